import { describe, expect, test } from 'vitest';
import { toPlainText } from '../../../src/slack/content/incoming-text.ts';
import { type MessageContent, readContent, wholeText } from '../../../src/slack/content/message-content.ts';

/* Whole messages as Slack sends them; its documentation and reports of other apps have each form. */

const identity = { teamId: 'T0ACME', botUserId: 'U0APP', botId: 'B0APP' };
const person = { type: 'message', user: 'UANNA', channel: 'C0HOME', ts: '1790000100.000200' };
const program = { type: 'message', subtype: 'bot_message', bot_id: 'B0ALERT', ts: '1790000100.000200', text: '' };

function read(message: object): MessageContent {
  const content = readContent(message, identity);
  if (content === undefined) throw new Error('no message');
  return content;
}

/** As people see it. */
function plain(text: string): string {
  const names: Record<string, string> = { UANNA: 'Anna', UBEN: 'Ben', C0OPS: 'ops' };
  const name = (id: string): string | undefined => names[id];
  return toPlainText(text, { user: name, channel: name }, identity.botUserId);
}

const rich = (...elements: object[]) => ({ type: 'rich_text', elements });
const line = (...elements: object[]) => ({ type: 'rich_text_section', elements });
const said = (text: string, style?: object) => ({ type: 'text', text, ...(style === undefined ? {} : { style }) });

const forward = {
  is_share: true,
  is_msg_unfurl: true,
  ts: '1789990000.000100',
  from_url: 'https://acme.slack.com/archives/C0OPS/p1789990000000100',
  channel_id: 'C0OPS',
  channel_team: 'T0ACME',
  channel_name: 'ops',
  author_id: 'UBEN',
  author_name: 'Ben B',
  author_subname: 'ben',
  text: 'deploy failed',
  fallback: '[September 21st, 2026 9:00 AM] ben: deploy failed',
  mrkdwn_in: ['text'],
  message_blocks: [
    {
      team: 'T0ACME',
      channel: 'C0OPS',
      ts: '1789990000.000100',
      message: { blocks: [rich(line(said('deploy failed with '), said('exit 137', { code: true })))] },
    },
  ],
  files: [
    {
      id: 'F0LOG',
      name: 'deploy.log',
      mode: 'hosted',
      mimetype: 'text/plain',
      size: 12,
      url_private: 'https://files.slack.com/files-pri/T0ACME-F0LOG/deploy.log',
    },
  ],
};

test('a long row of emoji that is none is read in linear time', () => {
  const text = `${':a::skin-tone-2:'.repeat(2_500)}x`;
  const startedMs = performance.now();
  expect(read({ ...person, text }).text).toBe(text);
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});

describe('a forward', () => {
  const known = {
    from: '<@UBEN|Ben B>',
    text: 'deploy failed with `exit 137`',
    channel: 'ops',
    ts: '1789990000.000100',
    url: 'https://acme.slack.com/archives/C0OPS/p1789990000000100',
  };

  test('with a comment is read beside it, with author, place, time, link and files', () => {
    const content = read({ ...person, text: 'can you check this?', attachments: [forward] });
    expect(content.text).toBe('can you check this?');
    expect(content.forwards).toEqual([known]);
    expect(content.files).toEqual([
      {
        id: 'F0LOG',
        name: 'deploy.log',
        type: 'text/plain',
        bytes: 12,
        url: 'https://files.slack.com/files-pri/T0ACME-F0LOG/deploy.log',
      },
    ]);
    expect(plain(wholeText(content))).toBe(
      'can you check this?\nForwarded message from @Ben in #ops at 2026-09-21T11:26Z https://acme.slack.com/archives/C0OPS/p1789990000000100:\n> deploy failed with `exit 137`',
    );
  });

  test('alone leaves the text of the message empty', () => {
    expect(read({ ...person, text: '', attachments: [forward] })).toMatchObject({ text: '', forwards: [known] });
  });

  test('is read from its text where Slack sends no blocks, and from its fields where it is a program’s', () => {
    const { message_blocks: _, ...old } = forward;
    const alert = { ...old, text: '', title: 'Disk full', fields: [{ title: 'Host', value: 'db-1' }] };
    const content = read({ ...person, text: '', attachments: [old, alert] });
    expect(content.forwards.map(({ text }) => text)).toEqual(['deploy failed', 'Disk full\nHost: db-1']);
  });

  test('of a forward comes after it, to a bounded depth and number', () => {
    const nest = (depth: number): object =>
      depth === 0
        ? forward
        : { ...forward, message_blocks: [], text: `level ${depth}`, attachments: [nest(depth - 1)] };
    expect(read({ ...person, text: '', attachments: [nest(9)] }).forwards.map(({ text }) => text)).toEqual([
      'level 9',
      'level 8',
      'level 7',
    ]);
    const many = read({ ...person, text: '', attachments: Array.from({ length: 40 }, () => forward) });
    expect(many.forwards).toHaveLength(10);
    const long = { ...forward, message_blocks: [], text: 'x'.repeat(30_000) };
    const [cut, ...others] = read({ ...person, text: '', attachments: [long, long] }).forwards;
    expect(cut?.text).toHaveLength(12_001);
    expect(others).toEqual([]);
  });

  test('of the app’s own message, a link’s preview and a pasted permalink are no content', () => {
    const preview = { from_url: 'https://e.org', service_name: 'Example', title: 'A page', text: 'of it', id: 1 };
    const { is_share: _, ...permalink } = forward;
    const own = { ...forward, author_id: 'U0APP' };
    const ownAsBot = { ...forward, author_id: undefined, bot_id: 'B0APP' };
    const unfurl = { is_app_unfurl: true, app_unfurl_url: 'https://e.org', blocks: [{ type: 'section', text: 'x' }] };
    const attachments = [preview, permalink, own, ownAsBot, unfurl];
    expect(read({ ...person, text: 'see https://e.org', attachments })).toMatchObject({
      text: 'see https://e.org',
      forwards: [],
      files: [],
    });
  });
});

describe('a message of a program', () => {
  test.each<[string, object, string]>([
    [
      'made of blocks in an attachment',
      {
        attachments: [
          {
            color: '#f00',
            fallback: '[no preview available]',
            blocks: [
              { type: 'header', text: { type: 'plain_text', text: 'HighErrorRate :fire:' } },
              { type: 'section', text: { type: 'mrkdwn', text: '*checkout* is failing &gt; 5%' } },
              {
                type: 'section',
                fields: [
                  { type: 'mrkdwn', text: 'Env\nprod' },
                  { type: 'mrkdwn', text: 'Pod\nweb-1' },
                ],
              },
              {
                type: 'context',
                elements: [
                  { type: 'image', alt_text: 'red' },
                  { type: 'mrkdwn', text: 'since 9:00' },
                ],
              },
              { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Acknowledge' } }] },
            ],
          },
        ],
      },
      'HighErrorRate 🔥\n*checkout* is failing > 5%\nEnv\nprod\nPod\nweb-1\nred since 9:00',
    ],
    [
      'with legacy fields',
      {
        attachments: [
          {
            fallback: 'FIRING: HighErrorRate',
            pretext: 'FIRING',
            title: 'HighErrorRate',
            title_link: 'https://prom.example/g?a=1&b=2',
            text: 'rate is 7%',
            fields: [
              { title: 'severity', value: 'page', short: true },
              { title: '', value: 'see runbook' },
            ],
            footer: 'prometheus',
          },
        ],
      },
      'FIRING\nHighErrorRate (https://prom.example/g?a=1&b=2)\nrate is 7%\nseverity: page\nsee runbook\nprometheus',
    ],
    [
      'with top-level blocks and a placeholder for its text',
      {
        text: "This content can't be displayed.",
        blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'Build 12 failed' } }],
      },
      'Build 12 failed',
    ],
    [
      'with text, and an attachment that is shorter',
      { text: 'Deploy of web finished with warnings', attachments: [{ text: 'see log' }] },
      'Deploy of web finished with warnings\nsee log',
    ],
    ['with nothing but placeholders', { attachments: [{ fallback: '[no preview available]' }] }, ''],
  ])('%s is read', (_, message, text) => {
    expect(plain(read({ ...program, ...message }).text)).toBe(text);
  });
});

describe('a table', () => {
  const cell = (text: string) => ({ type: 'raw_text', text });
  test('that a person pasted is read as Markdown, whatever its cells are', () => {
    const rows = [
      [cell('job'), cell('p|95'), cell('ok')],
      [
        { type: 'rich_text', elements: [line(said('web', { code: true }), said('\nnew'))] },
        { type: 'raw_number', value: 3, text: '3.0' },
        { type: 'raw_boolean', value: true },
      ],
      [cell('a'), { type: 'raw_number', value: 4 }, cell(' ')],
    ];
    const table = { fallback: '[no preview available]', blocks: [{ type: 'table', rows }] };
    const content = read({ ...person, text: 'why is web slow?', attachments: [table] });
    expect(plain(content.text)).toBe(
      'why is web slow?\n| job | p\\|95 | ok |\n| --- | --- | --- |\n| `web` new | 3.0 | true |\n| a | 4 |  |',
    );
  });

  test('of another shape is left out', () => {
    for (const rows of [undefined, 'x', [], ['x']]) {
      expect(
        read({
          ...program,
          blocks: [
            { type: 'data_table', rows },
            { type: 'header', text: 'x' },
          ],
        }).text,
      ).toBe('x');
    }
  });
});

describe('rich text', () => {
  /** The text beside it is what Slack makes of it, which is poorer. */
  const plainOf = (...elements: object[]): string =>
    plain(read({ ...person, text: 'poorer', blocks: [rich(...elements)] }).text);

  test.each<[string, object[], string]>([
    [
      'its lists, with indents and numbers that go on',
      [
        { type: 'rich_text_list', style: 'ordered', indent: 0, elements: [line(said('one'))] },
        { type: 'rich_text_list', style: 'bullet', indent: 1, elements: [line(said('in\nit'))] },
        {
          type: 'rich_text_list',
          style: 'ordered',
          indent: 0,
          offset: 1,
          elements: [line(said('two')), line(said('three'))],
        },
      ],
      '1. one\n  • in\n    it\n2. two\n3. three',
    ],
    [
      'its quotes',
      [{ type: 'rich_text_quote', elements: [said(''), said('a', { code: true }), said(' b\nc')] }],
      '> `a` b\n> c',
    ],
    [
      'its code with language, byte for byte',
      [
        {
          type: 'rich_text_preformatted',
          language: 'typescript',
          elements: [
            said('const m: Map<K,V> = f(:smile:, &amp;);\n```\n'),
            { type: 'link', url: 'https://e.org/a?b&c' },
          ],
        },
      ],
      '````typescript\nconst m: Map<K,V> = f(:smile:, &amp;);\n```\nhttps://e.org/a?b&c\n````',
    ],
    [
      'code in a line, with what Slack made of it',
      [
        line(
          said('is '),
          said('x.', { code: true }),
          { type: 'link', url: 'http://main.py', text: 'main.py', style: { code: true } },
          said(' `odd` '),
          said('a`b', { code: true }),
        ),
      ],
      'is `x.main.py` `odd` ``a`b``',
    ],
    [
      'names as people see them',
      [
        line(
          said('see ', { bold: true }),
          { type: 'link', url: 'https://ex.org', text: 'doc' },
          said(' '),
          { type: 'user', user_id: 'UANNA' },
          said(' '),
          { type: 'channel', channel_id: 'C0OPS' },
          said(' '),
          { type: 'broadcast', range: 'here' },
          said(' '),
          { type: 'emoji', name: '+1', unicode: '1f44d-1f3fb', skin_tone: 2 },
          { type: 'emoji', name: 'wave::skin-tone-3' },
          { type: 'emoji', name: 'shipit', url: 'https://emoji.slack-edge.com/T0/shipit/1.gif' },
          said(' '),
          { type: 'date', timestamp: 1790000000, format: '{date_short}', fallback: 'Sep 21' },
          { type: 'date', timestamp: 1790000000, format: '{date_short}' },
          said(' '),
          { type: 'color', value: '#F405B3' },
          said(' '),
          { type: 'tag', text: 'beta' },
          said(' '),
          { type: 'team', team_id: 'T0ACME' },
          said(' no', { strike: true }),
        ),
      ],
      'see doc (https://ex.org) @Anna #ops @here 👍🏻👋🏼:shipit: Sep 212026-09-21T14:13Z #F405B3 beta T0ACME~ no~',
    ],
    [
      'links of every kind with their labels',
      [
        line(
          { type: 'citation', url: 'https://e.org/1', text: 'one', index: 1 },
          said(' '),
          {
            type: 'message_mention',
            channel_id: 'C0OPS',
            message_ts: '1.2',
            url: 'https://acme.slack.com/archives/C0OPS/p12',
          },
          said(' '),
          { type: 'attachment_mention', url: 'https://e.org/a|b', text: 'A<B' },
          said(' '),
          { type: 'work_object_mention', entity_id: 'E', app_id: 'A', text: 'BUG-1', url: 'https://e.org/BUG-1' },
          said(' '),
          { type: 'link', url: 'vscode://file/x' },
          said(' '),
          { type: 'an_element_of_tomorrow', text: 'new' },
        ),
      ],
      'one (https://e.org/1) https://acme.slack.com/archives/C0OPS/p12 A<B (https://e.org/a%7Cb) BUG-1 (https://e.org/BUG-1) vscode://file/x new',
    ],
  ])('keeps %s', (_, elements, text) => {
    expect(plainOf(...elements)).toBe(text);
  });

  test('has the names that only the text knows', () => {
    const blocks = [
      rich(line({ type: 'channel', channel_id: 'C9' }, said(' '), { type: 'usergroup', usergroup_id: 'S0DEV' })),
    ];
    const content = read({ ...person, text: '<#C9|dev> <!subteam^S0DEV|@devs>', blocks });
    expect(plain(content.text)).toBe('#dev @devs');
  });

  test('that says nothing leaves the text', () => {
    for (const blocks of [[], 'x', [rich()], [rich(line(said('')))], [{ type: 'rich_text', elements: 7 }]]) {
      expect(read({ ...person, text: 'the text', blocks }).text).toBe('the text');
    }
  });
});

describe('a mention of the app', () => {
  const live = '<@U0APP>';
  test.each<[string, object, boolean]>([
    ['in text', { text: '<@U0APP> hi' }, true],
    ['by the id of its bot', { text: '<@B0APP> hi' }, true],
    ['in code', { text: 'what does `<@U0APP>` do?' }, false],
    ['by its bot in code', { text: 'what does `<@B0APP>` do?' }, false],
    ['in a fence', { text: '```\nping <@U0APP>\n```' }, false],
    ['after code', { text: '`a` <@U0APP> `b`' }, true],
    ['in rich text', { text: 'x', blocks: [rich(line({ type: 'user', user_id: 'U0APP' }, said(' hi')))] }, true],
    ['by its bot in rich text', { text: 'x', blocks: [rich(line({ type: 'user', user_id: 'B0APP' }))] }, true],
    [
      'in code of rich text',
      { text: '`<@U0APP>`', blocks: [rich(line({ type: 'user', user_id: 'U0APP', style: { code: true } }))] },
      false,
    ],
    [
      'in a fence of rich text',
      { blocks: [rich({ type: 'rich_text_preformatted', elements: [said('<@U0APP>')] })] },
      false,
    ],
    ['in a forward', { text: '', attachments: [{ ...forward, message_blocks: [], text: '<@U0APP> stop' }] }, false],
  ])('%s counts: %o', (_, message, isMention) => {
    const content = read({ ...person, ...message });
    expect(content.text.includes(live)).toBe(isMention);
    if (!isMention) expect(plain(content.text).length).toBeGreaterThanOrEqual(content.text === '' ? 0 : 7);
  });
});

describe('emoji', () => {
  test.each([
    [':bug: in `:bug:` :+1::skin-tone-4: :shipit: :flag-ch:', '🐛 in `:bug:` 👍🏽 :shipit: 🇨🇭'],
    ['10:100:5 Foo::key::bar https://e.org/:8080: ::', '10:100:5 Foo::key::bar https://e.org/:8080: ::'],
    [':tada::tada: (:eyes:)', '🎉🎉 (👀)'],
    ['<https://e.org/:bug:> ```:bug:```', 'https://e.org/:bug: ```:bug:```'],
  ])('in %j are characters', (text, shown) => {
    expect(plain(read({ ...person, text }).text)).toBe(shown);
  });
});

describe('files', () => {
  const url = 'https://files.slack.com/files-pri/T-F/x';
  const transcript = 'https://files.slack.com/files-tmb/T-F/file.vtt';
  const clip = {
    id: 'F1',
    name: 'audio.m4a',
    mimetype: 'video/mp4',
    subtype: 'slack_audio',
    size: 9,
    url_private: url,
    vtt: transcript,
  };
  const shown = { id: 'F1', name: 'audio.m4a', type: 'video/mp4', bytes: 9 };
  test.each<[string, object, object[]]>([
    [
      'a snippet',
      { id: 'F1', mode: 'snippet', name: 'a.sql', mimetype: 'text/plain', preview: 'cut', size: 5, url_private: url },
      [{ id: 'F1', name: 'a.sql', type: 'text/plain', bytes: 5, url }],
    ],
    [
      'one of which Slack tells only the id',
      { id: 'F1', mode: 'file_access', file_access: 'check_file_info', created: 0, timestamp: 0, user: '' },
      [{ id: 'F1', name: 'F1', type: '', bytes: 0, isUnknown: true }],
    ],
    ['a deleted one', { id: 'F1', file_access: 'file_not_found', created: 0, user: 'U1', filetype: 'text' }, []],
    ['a deleted one in the older form', { id: 'F1', mode: 'tombstone' }, []],
    [
      'one over the limit of a free plan',
      { id: 'F1', mode: 'hidden_by_limit' },
      [{ id: 'F1', name: 'F1', type: '', bytes: 0 }],
    ],
    [
      'a canvas',
      {
        id: 'F1',
        mode: 'quip',
        filetype: 'quip',
        mimetype: 'application/vnd.slack-docs',
        name: '-',
        title: 'Plan',
        size: 3,
        url_private: url,
      },
      [{ id: 'F1', name: 'Plan', type: 'application/vnd.slack-docs', bytes: 3 }],
    ],
    [
      'a clip with its transcript',
      {
        ...clip,
        transcription: { status: 'complete', locale: 'en-US', preview: { content: 'hello', has_more: true } },
      },
      [{ ...shown, url: transcript, text: 'hello…' }],
    ],
    [
      'a clip whose transcript is not ready',
      { ...clip, transcription: { status: 'processing' } },
      [{ ...shown, isUnknown: true }],
    ],
    ['a clip without a transcript', { ...clip, transcription: { status: 'none' } }, [shown]],
    [
      'an e-mail',
      { id: 'F1', mode: 'email', name: 'mail', mimetype: 'text/html', subject: 'Down', plain_text: 'since 9', size: 4 },
      [{ id: 'F1', name: 'mail', type: 'text/html', bytes: 4, text: 'Down\n\nsince 9' }],
    ],
  ])('%s', (_, file, files) => {
    expect(read({ ...person, text: '', files: [file] }).files).toEqual(files);
  });

  test('in the line of a message are read once, also where the event leaves them out', () => {
    const element = { type: 'file', file_id: 'F1', text: 'a.log' };
    const canvas = { type: 'canvas', file_id: 'F2', text: 'Plan', url: 'https://acme.slack.com/docs/T/F2' };
    const blocks = [rich(line(element, canvas))];
    const named = { id: 'F1', name: 'a.log', type: '', bytes: 0, isUnknown: true };
    const plan = { id: 'F2', name: 'Plan', type: 'application/vnd.slack-docs', bytes: 0 };
    expect(read({ ...person, text: '', blocks }).files).toEqual([named, plan]);
    const whole = { id: 'F1', name: 'a.log', mimetype: 'text/plain', size: 3, url_private: url };
    expect(read({ ...person, text: '', blocks, files: [whole] }).files).toEqual([
      { id: 'F1', name: 'a.log', type: 'text/plain', bytes: 3, url },
      plan,
    ]);
  });
});
