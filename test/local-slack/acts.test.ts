import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Act, ActError, createAct } from '../../src/local-slack/act.ts';
import { dmOf } from '../../src/local-slack/channels.ts';
import type { Attempt, Kind } from '../../src/local-slack/delivery.ts';
import { readManifest } from '../../src/local-slack/manifest.ts';
import { kindOf, people, team } from '../../src/local-slack/people.ts';
import { seed } from '../../src/local-slack/seed.ts';
import { createState, type State } from '../../src/local-slack/state.ts';
import { createWorkspace } from '../../src/local-slack/workspace.ts';
import { one } from '../support/one.ts';

type Body = Record<string, unknown>;

const { ada, bob, olga } = people;
const manifest = readManifest(readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8'));

let state: State;
let act: Act;
let workspace: ReturnType<typeof createWorkspace>;
let sent: { kind: Kind; payload: Body }[];
/** What the app says next. */
let attempt: Attempt;

beforeEach(() => {
  sent = [];
  attempt = { acknowledged: true };
  state = createState({ origin: () => 'http://127.0.0.1:1', pages: () => 'http://127.0.0.1:1' });
  seed(state);
  const made = createAct({
    state,
    manifest,
    previews: (host) => host === 'search.example.com',
    deliver: async (kind, payload) => {
      // As it travels: without what is undefined.
      sent.push({ kind, payload: JSON.parse(JSON.stringify(payload)) });
      return attempt;
    },
  });
  act = made.act;
  state.told.of = made.told;
  workspace = createWorkspace(state, manifest, () => true);
});

/** What the app posts, with a button, a menu and feedback buttons. */
function posted(channel = 'C0GENERAL', more: Body = {}): { channel: string; ts: string } {
  const plain = (text: string) => ({ type: 'plain_text', text });
  const feedback = {
    type: 'feedback_buttons',
    action_id: 'vote',
    positive_button: { text: plain('Good'), value: 'up' },
    negative_button: { text: plain('Bad'), value: 'down' },
  };
  const blocks = [
    {
      type: 'actions',
      elements: [
        { type: 'button', action_id: 'go', value: '1', text: plain('Go') },
        { type: 'overflow', action_id: 'more', options: [{ text: plain('Share'), value: 'share' }] },
      ],
    },
    { type: 'context_actions', elements: [feedback] },
  ];
  const args = { channel, text: 'hi', blocks, unfurl_links: 'false', unfurl_media: 'false', ...more };
  const reply = state.methods['chat.postMessage']?.(args);
  if (reply?.ok !== true) throw new Error(JSON.stringify(reply));
  sent.length = 0;
  return { channel, ts: String(reply.ts) };
}

function opened(view: Body = {}): string {
  const input = { type: 'plain_text_input', action_id: 'text' };
  const blocks = [
    { type: 'input', block_id: 'question', label: { type: 'plain_text', text: 'Question' }, element: input },
  ];
  const [title, submit] = ['Ask', 'Send'].map((text) => ({ type: 'plain_text', text }));
  const args = { trigger_id: state.views.trigger(ada), view: { type: 'modal', title, submit, blocks, ...view } };
  const reply = state.methods['views.open']?.(args);
  if (reply?.ok !== true) throw new Error(JSON.stringify(reply));
  return workspace.modalsOf(ada).at(-1)?.id ?? '';
}

const outer =
  'api_app_id authorizations context_enterprise_id context_team_id event event_context event_id event_time is_ext_shared_channel team_id token type';
const said = 'blocks channel client_msg_id event_ts team text ts type user';
const message = `${said} channel_type source_team user_team`;
const change = 'channel channel_type event_ts hidden previous_message subtype ts type';
const interaction = 'api_app_id enterprise is_enterprise_install team token trigger_id type user';
const onMessage = `${interaction} actions channel container message response_url state`;

function keysOf(value: unknown): string {
  return Object.keys(value as Body)
    .toSorted()
    .join(' ');
}

function sorted(keys: string): string {
  return keys.split(' ').toSorted().join(' ');
}

describe('what people do sends what Slack sends', () => {
  const at = () => ({ person: ada, channel: 'C0GENERAL' });
  const own = async (text = 'a text') => {
    const { message: mine } = (await act.post({ ...at(), text })) as { message: { ts: string } };
    sent.length = 0;
    return { ...at(), ts: mine.ts };
  };
  const file = { name: 'a.log', text: 'failed' };

  test.each<[string, () => Promise<unknown>, Record<string, string>]>([
    ['a message', () => act.post({ ...at(), text: 'hi' }), { message }],
    ['a mention', () => act.post({ ...at(), text: '@deepsearch hi' }), { message, app_mention: said }],
    [
      'a reply',
      async () => act.post({ ...at(), text: 'hi', threadTs: (await own()).ts }),
      { message: `${message} thread_ts parent_user_id` },
    ],
    [
      'a reply that is also sent to the channel',
      async () => act.post({ ...at(), text: 'hi', threadTs: (await own()).ts, broadcast: true }),
      { message: `${message} thread_ts parent_user_id subtype root` },
    ],
    [
      'a file',
      () => act.post({ ...at(), text: 'see', files: [file] }),
      { message: `${message} subtype files upload display_as_bot` },
    ],
    [
      'a link with a preview by the app',
      () => act.post({ ...at(), text: 'https://search.example.com/a?b=1&c=2' }),
      { message, link_shared: 'channel event_ts is_bot_user_member links message_ts source type unfurl_id user' },
    ],
    ['a direct message', () => act.post({ person: ada, channel: dmOf(ada), text: 'hi' }), { message }],
    ['an edit', async () => act.edit({ ...(await own()), text: 'b' }), { message: `${change} message` }],
    [
      'an edit of a mention',
      async () => act.edit({ ...(await own('@deepsearch a')), text: '@deepsearch b' }),
      { message: `${change} message`, app_mention: `${said} edited` },
    ],
    ['a deletion', async () => act.remove(await own()), { message: `${change} deleted_ts` }],
    [
      'a deletion of a root with replies',
      async () => {
        const root = await own();
        await act.post({ ...at(), text: 'hi', threadTs: root.ts });
        sent.length = 0;
        await act.remove(root);
      },
      { message: `${change} message` },
    ],
    [
      'a forward',
      async () => act.forward({ ...(await own()), to: 'C0PAYMENTS' }),
      { message: message.replace('blocks ', 'attachments ') },
    ],
    [
      'adding the app',
      () => act.invite({ person: ada, channel: 'C0DESIGN', added: team.botUserId }),
      {
        message: 'channel channel_type event_ts inviter source_team subtype team text ts type user user_team',
        member_joined_channel: 'channel channel_type event_ts inviter team type user',
      },
    ],
    ['opening Home', () => act.openHome({ person: ada }), { app_home_opened: 'channel event_ts tab type user' }],
    [
      'opening direct messages',
      () => act.openDirect({ person: ada }),
      { app_home_opened: 'channel event_ts tab type user' },
    ],
    [
      'the stop button',
      async () => {
        const root = await own('@deepsearch a');
        state.agents.sessions.set(`C0GENERAL:${root.ts}`, { status: 'processing' });
        await act.stop({ ...at(), threadTs: root.ts });
      },
      { agent_session_stopped: 'channel event_ts streaming_message_ts thread_ts type user' },
    ],
  ])('%s', async (_, does, expected) => {
    await does();
    expect(sent.map(({ kind }) => kind)).toEqual(Object.keys(expected).map(() => 'events_api'));
    for (const { payload } of sent) {
      expect(keysOf(payload)).toBe(sorted(outer));
      const event = payload.event as Body;
      expect(keysOf(event)).toBe(sorted(expected[String(event.type)] ?? ''));
    }
  });

  test.each<[string, Kind, () => Promise<unknown>, string]>([
    [
      'a command',
      'slash_commands',
      () => act.post({ ...at(), text: '/deepsearch where is it, @bob?' }),
      'api_app_id channel_id channel_name command is_enterprise_install response_url team_domain team_id text token trigger_id user_id user_name',
    ],
    [
      'a global shortcut',
      'interactive',
      () => act.globalShortcut({ person: ada, callbackId: 'c' }),
      `${interaction} action_ts callback_id`,
    ],
    [
      'a shortcut of a message',
      'interactive',
      async () => act.messageShortcut({ ...(await own()), callbackId: 'c' }),
      `${interaction} action_ts callback_id channel message message_ts response_url`,
    ],
    [
      'a button',
      'interactive',
      () => act.use({ person: ada, place: posted(), blockId: 'b0', actionId: 'go' }),
      onMessage,
    ],
    [
      'an overflow menu',
      'interactive',
      () => act.use({ person: ada, place: posted(), blockId: 'b0', actionId: 'more', choice: 'share' }),
      onMessage,
    ],
    [
      'feedback buttons',
      'interactive',
      () => act.use({ person: ada, place: posted(), blockId: 'b1', actionId: 'vote', choice: 'negative' }),
      onMessage,
    ],
    [
      'a form',
      'interactive',
      () => act.submit({ person: ada, view: opened(), entered: { 'question/text': 'where?' } }),
      `${interaction} response_urls view`,
    ],
    [
      'a closed form that asks to be told',
      'interactive',
      () => act.closeView({ person: ada, view: opened({ notify_on_close: true }) }),
      `${interaction.replace('trigger_id ', '')} is_cleared view`,
    ],
  ])('%s', async (_, kind, does, keys) => {
    await does();
    const { payload, kind: kindSent } = one(sent);
    expect([kindSent, keysOf(payload)]).toEqual([kind, sorted(keys)]);
  });

  test('nothing of a channel without the app; a mention there is answered privately by Slack', async () => {
    await act.post({ person: ada, channel: 'C0DESIGN', text: '@deepsearch hi' });
    expect(sent).toEqual([]);
    const [shown] = workspace.timeline(ada, 'C0DESIGN').filter(({ isPrivate }) => isPrivate);
    expect(shown?.message.text).toContain('not in this channel');
    expect(workspace.timeline(bob, 'C0DESIGN').some(({ isPrivate }) => isPrivate)).toBe(false);
  });

  test('the app’s own posts, edits and deletions, in a shared channel marked as such', () => {
    const { channel, ts } = posted('C0SHARED');
    state.methods['chat.update']?.({ channel, ts, text: 'changed' });
    state.methods['chat.delete']?.({ channel, ts });
    expect(
      sent.map(({ payload: { event, is_ext_shared_channel: shared } }) => [(event as Body).subtype, shared]),
    ).toEqual([
      ['message_changed', true],
      ['message_deleted', true],
    ]);
  });

  test('the app’s own previews, files and joining', () => {
    const ts = String(
      state.messages.add({ channel: 'C0GENERAL', user: ada, text: '<https://search.example.com/a>' }).ts,
    );
    const unfurls = { 'https://search.example.com/a': { title: 'A' } };
    state.methods['chat.unfurl']?.({ channel: 'C0GENERAL', ts, unfurls });
    state.methods['conversations.join']?.({ channel: 'C0DESIGN' });
    state.methods['conversations.join']?.({ channel: 'C0DESIGN' });
    const upload = state.methods['files.getUploadURLExternal']?.({ filename: 'a.md', length: '3' });
    const id = upload?.ok === true ? String(upload.file_id) : '';
    state.files.receive(id, Buffer.from('abc'));
    state.methods['files.completeUploadExternal']?.({ channel_id: 'C0GENERAL', files: [{ id }] });
    const told = sent
      .map(({ payload }) => payload.event as Body)
      .map(({ type, subtype }) => `${type} ${subtype ?? ''}`);
    expect(told).toEqual([
      'message message_changed',
      'message channel_join',
      'member_joined_channel ',
      'message file_share',
    ]);
  });

  test('a press at the version of Home that the person still sees', async () => {
    const button = (value: string) => ({
      type: 'button',
      action_id: 'cancel',
      value,
      text: { type: 'plain_text', text: 'Cancel' },
    });
    const published = (...values: string[]) => {
      const blocks = values.map((value) => ({ type: 'actions', elements: [button(value)] }));
      state.methods['views.publish']?.({ user_id: ada, view: { type: 'home', blocks } });
      return one([workspace.homeOf(ada)].filter((view) => view !== undefined));
    };
    const { id, blocks } = published('first');
    const blockId = String(one(blocks).block_id);
    published('second', 'first');
    await act.use({ person: ada, place: { view: id }, blockId, actionId: 'cancel' });
    expect(one(sent).payload).toMatchObject({ actions: [{ block_id: blockId, value: 'first' }], view: { blocks } });
    published('third');
    await expect(act.use({ person: ada, place: { view: id }, blockId, actionId: 'cancel' })).rejects.toThrow(ActError);
  });

  test('a form with errors stays, and Slack itself refuses an empty required field', async () => {
    const view = opened();
    expect(await act.submit({ person: ada, view, entered: { 'question/text': '' } })).toMatchObject({
      errors: { question: expect.stringContaining('required') },
    });
    expect(sent).toEqual([]);
    attempt = { acknowledged: true, response: { response_action: 'errors', errors: { question: 'too short' } } };
    expect(await act.submit({ person: ada, view, entered: { 'question/text': 'a' } })).toEqual({
      errors: { question: 'too short' },
    });
    expect(workspace.modalsOf(ada)).toHaveLength(1);
    expect(workspace.modalsOf(bob)).toHaveLength(0);
    attempt = { acknowledged: true };
    await act.submit({ person: ada, view, entered: { 'question/text': 'a' } });
    expect(workspace.modalsOf(ada)).toHaveLength(0);
  });

  test('a response URL reaches only the person who pressed, replaces, deletes, and works five times', async () => {
    const place = posted();
    await act.use({ person: bob, place, blockId: 'b0', actionId: 'go' });
    const url = String(one(sent).payload.response_url);
    const respond = (body: Body) => state.responses.take(url.replace(/^.*\//, ''), body);
    respond({ text: 'for you' });
    const seenBy = (person: string) => workspace.timeline(person, 'C0GENERAL').map(({ message: { text } }) => text);
    expect([seenBy(bob).includes('for you'), seenBy(ada).includes('for you')]).toEqual([true, false]);
    respond({ text: 'replaced', replace_original: true });
    expect(workspace.message(place.channel, place.ts)).toMatchObject({ text: 'replaced' });
    respond({ delete_original: true });
    expect(workspace.message(place.channel, place.ts)).toBeUndefined();
    expect([respond({ text: '4' }), respond({ text: '5' }), respond({ text: '6' })]).toEqual([
      undefined,
      undefined,
      'used_url',
    ]);
    expect(state.violations).toEqual([]);
  });

  test.each<[string, () => unknown]>([
    ['post where they are no members', () => act.post({ person: olga, channel: 'C0GENERAL', text: 'hi' })],
    ['post nothing', () => act.post({ ...at(), text: ' ' })],
    ['run a command in a thread', async () => act.post({ ...at(), text: '/deepsearch a', threadTs: (await own()).ts })],
    ['edit what others wrote', async () => act.edit({ ...(await own()), person: bob, text: 'b' })],
    ['delete what the app wrote', () => act.remove({ person: ada, ...posted() })],
    ['join a private channel', () => act.join({ person: olga, channel: 'C0PRIVATE' })],
    ['use a button that is gone', () => act.use({ person: ada, place: posted(), blockId: 'b0', actionId: 'gone' })],
    ['submit another person’s form', () => act.submit({ person: bob, view: opened(), entered: {} })],
    ['stop what does not run', async () => act.stop({ ...at(), threadTs: (await own()).ts })],
  ])('people can’t %s', async (_, does) => {
    await expect(async () => does()).rejects.toThrow(ActError);
    expect(sent).toEqual([]);
  });

  test('there are people of every kind', () => {
    const kinds = [...workspace.people.values()].map((person) => `${person.name} ${kindOf(person)}`).join(', ');
    expect(kinds).toBe(
      'ada admin, bob member, gerd member, mia guest, uma guest, olga outsider, otto deactivated, robo app, deepsearch app',
    );
  });

  test('unread messages and mentions count until they are read, replies only in one’s own threads', async () => {
    const counts = () => {
      const found = workspace.conversationsOf(ada).find(({ id }) => id === 'C0GENERAL');
      return [found?.unread, found?.mentions];
    };
    act.read(at());
    const { message: root } = (await act.post({ ...at(), person: bob, text: 'hi' })) as { message: { ts: string } };
    await act.post({ ...at(), person: people.gerd, text: 'between us', threadTs: root.ts });
    await act.post({ ...at(), person: bob, text: 'hi @ada' });
    expect(counts()).toEqual([2, 1]);
    act.read(at());
    expect(counts()).toEqual([0, 0]);
  });

  test('a trigger opens one modal, and only within three seconds', () => {
    const trigger_id = state.views.trigger(ada);
    const view = { type: 'modal', title: { type: 'plain_text', text: 'A' }, blocks: [{ type: 'divider' }] };
    const open = (trigger: string) => state.methods['views.open']?.({ trigger_id: trigger, view });
    expect(open(trigger_id)).toMatchObject({ ok: true });
    expect(open(trigger_id)).toMatchObject({ error: 'exchanged_trigger_id' });
    expect(open('made.up')).toMatchObject({ error: 'expired_trigger_id' });
  });
});

describe('what people type', () => {
  const post = async (text: string) => {
    const { message: made } = (await act.post({ person: ada, channel: 'C0GENERAL', text })) as {
      message: { text: string; blocks: { elements: unknown }[] };
    };
    return made;
  };

  test.each([
    ['a @bob & #payments <x>', 'a <@U0BOB> &amp; <#C0PAYMENTS|payments> &lt;x&gt;'],
    ['@here https://a.example/b?c=1&d=2', '<!here> <https://a.example/b?c=1&amp;d=2>'],
    ['a@bob.example @unknown', 'a@bob.example @unknown'],
    ['`@bob` and\n```\n#payments\n```', '`@bob` and\n```\n#payments\n```'],
  ])('%j is stored as Slack stores it, and can be edited', async (typed, text) => {
    const made = await post(typed);
    expect(made.text).toBe(text);
    expect(act.typed({ ...made, ts: '', channel: '', user: ada, edits: 0, blocks: [] })).toBe(typed);
  });

  test('has a rich_text block with its marks, lists, quotes and code', async () => {
    const { blocks } = await post('*b _i_* :wave: @bob\n- one\n- two\n> quoted\n```\nx = 1\n```');
    const text = (value: string) => ({ type: 'text', text: value });
    const section = (...elements: unknown[]) => ({ type: 'rich_text_section', elements });
    expect(blocks[0]?.elements).toEqual([
      section(
        { ...text('b '), style: { bold: true } },
        { ...text('i'), style: { bold: true, italic: true } },
        text(' '),
        { type: 'emoji', name: 'wave' },
        text(' '),
        { type: 'user', user_id: bob },
      ),
      {
        type: 'rich_text_list',
        style: 'bullet',
        indent: 0,
        border: 0,
        elements: [section(text('one')), section(text('two'))],
      },
      { type: 'rich_text_quote', elements: [text('quoted')] },
      { type: 'rich_text_preformatted', border: 0, elements: [text('x = 1')] },
    ]);
  });
});
