import { describe, expect, it } from 'vitest';
import type { Answer, Failure, Question, Source } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import type { RenderedMessage } from '../../../src/render/blocks.ts';
import { ACTIONS, followUpAction, hasMarker, parseButtonValue, partMarker } from '../../../src/render/ids.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { renderSourcesModal } from '../../../src/render/sources.ts';
import { answered, ended, exampleAnswer, exampleQuestion } from './example.ts';

function sources(count: number, repositories = 1): Source[] {
  return Array.from({ length: count }, (_, index) => ({
    url: `https://search.example.com/file-${index}.ts`,
    label: `file-${index}.ts`,
    repository: `github.com/acme/repo-${index % repositories}`,
  }));
}

function buttons(message: RenderedMessage | undefined) {
  return (message?.blocks ?? [])
    .flatMap((block) => [...(block.type === 'actions' ? block.elements : [])])
    .flatMap((each) =>
      each.type === 'button' ? [{ id: each.action_id, label: each.text.text, value: each.value }] : [],
    );
}

function texts(message: RenderedMessage | undefined): string {
  return (message?.blocks ?? [])
    .flatMap((block) => {
      if (block.type === 'section') return [block.text?.text ?? ''];
      return block.type === 'context' ? block.elements.flatMap((each) => ('text' in each ? [each.text] : [])) : [];
    })
    .join('\n');
}

function only(messages: RenderedMessage[]): RenderedMessage | undefined {
  expect(messages).toHaveLength(1);
  for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
  return messages[0];
}

const markdown = { format: 'markdown' } as const;

describe('an answer', () => {
  it('mentions the asker once, and then has title, answer, sources, follow-ups and footer', () => {
    const message = only(renderOutcome(answered(), markdown));
    expect(message?.blocks?.map((block) => block.type)).toEqual([
      'section',
      'markdown',
      'context',
      'actions',
      'context_actions',
    ]);
    expect(texts(message)).toBe(
      [
        '<@U0ASKER> *Payment retries*',
        '*Sources* · <https://x.example.com/a.ts|a.ts> · <https://x.example.com/b.ts|b.ts>',
        '41 s · 12 steps · 3 credits · *<https://search.example.com/deepsearch/abc|Open in Deep Search>*',
      ].join('\n'),
    );
    expect(message?.text).toBe('Retries are configured in retry.ts.');
  });

  it('has parts that can all be found by their markers', () => {
    const question = answered({ markdown: 'A paragraph of an answer. '.repeat(2_000) });
    const messages = renderOutcome(question, markdown);
    expect(messages.length).toBeGreaterThan(3);
    for (const [index, message] of messages.entries()) {
      expect(hasMarker({ blocks: message.blocks }, partMarker(question, index))).toBe(true);
      expect(hasMarker({ metadata: message.metadata }, partMarker(question, index))).toBe(true);
      expect(texts(message)).toContain(`Part ${index + 1} of ${messages.length}`);
      expect(texts(message).includes('<@U0ASKER>')).toBe(index === 0);
      expect(texts(message).includes('*Sources*')).toBe(index === messages.length - 1);
    }
  });

  it('names its parts in small text, and its duration and steps under the last one', () => {
    const messages = renderOutcome(answered({ markdown: 'A paragraph of an answer. '.repeat(700) }), markdown);
    const small = messages.map((message) => texts(message).split('\n').at(-1));
    expect(messages).toHaveLength(2);
    expect(small).toEqual([
      'Part 1 of 2',
      'Part 2 of 2 · 41 s · 12 steps · 3 credits · *<https://search.example.com/deepsearch/abc|Open in Deep Search>*',
    ]);
  });

  it('is announced by its title where it has no words, and otherwise only as empty', () => {
    expect(only(renderOutcome(answered({ markdown: '---' }), markdown))?.text).toBe('Payment retries');
    expect(only(renderOutcome(answered({ markdown: '---', title: '' }), markdown))?.text).toContain(
      'finished without writing an answer',
    );
  });

  it.each([
    [2_000, true],
    [2_001, false],
  ])('with an address of %i characters, makes it %s that the conversation is linked', (length, isLinked) => {
    const shareUrl = 'https://search.example.com/'.padEnd(length, 'x');
    for (const markdownText of ['Text.', '```mermaid\ngraph TD; A-->B;\n```']) {
      const question = answered({ markdown: markdownText }, { upstream: { steps: 0, shareUrl } });
      expect(JSON.stringify(only(renderOutcome(question, markdown))).includes(shareUrl)).toBe(isLinked);
    }
  });

  it('says when the quota starts again, where that is known', () => {
    const quota = { used: 90, limit: 100, resetAtMs: Date.UTC(2023, 11, 1) };
    expect(texts(only(renderOutcome(answered({ quota }), markdown)))).toContain(
      '90% of the quota used (90 of 100 credits), resets <!date^1701388800^{date_short_pretty} at {time}|2023-12-01 00:00 UTC>',
    );
  });

  it('offers follow-ups with their place in the answer, and cuts long ones at a word', () => {
    const long =
      'How does the retry policy of the payment service treat a provider that answers too slowly to be useful?';
    const [first, second, third, ...more] = buttons(
      only(renderOutcome(answered({ followUps: [long, ' ', 'b', 'c'] }), markdown)),
    );
    expect(first?.label).toBe('How does the retry policy of the payment service treat a provider that…');
    expect(first?.id).toBe(followUpAction(0));
    expect(parseButtonValue(first?.value)).toEqual({ questionId: exampleQuestion().id, index: 0 });
    expect(second).toMatchObject({ label: 'b', id: followUpAction(2) });
    expect([third, ...more]).toEqual([undefined]);
  });

  it('shows five sources, without repetitions, and offers the others', () => {
    const many = sources(12, 3);
    const message = only(renderOutcome(answered({ sources: [...many, ...many] }), markdown));
    const [line = ''] = texts(message)
      .split('\n')
      .filter((each) => each.startsWith('*Sources*'));
    expect(line.match(/\|[\w.-]+>/g)).toEqual(['|file-0.ts>', '|file-1.ts>', '|file-2.ts>']);
    expect(buttons(message)).toContainEqual(
      expect.objectContaining({ id: ACTIONS.allSources, label: 'All sources (12)' }),
    );
    expect(only(renderOutcome(answered({ sources: many }), { format: 'plain' }))?.text).toContain(
      '|file-2.ts> · 9 more\n',
    );
    expect(buttons(only(renderOutcome(answered({ sources: sources(3) }), markdown))).map(({ id }) => id)).not.toContain(
      ACTIONS.allSources,
    );
  });

  it.each([2, 3, 5])('offers all of %i sources where a long address leaves no room for the others', (count) => {
    const long = sources(count).map((source) => ({ ...source, url: `${source.url}?${'x'.repeat(1_700)}` }));
    const message = only(renderOutcome(answered({ sources: long }), markdown));
    expect(texts(message).match(/\|file-\d\.ts>/g)).toEqual(['|file-0.ts>']);
    expect(buttons(message)).toContainEqual(
      expect.objectContaining({ id: ACTIONS.allSources, label: `All sources (${count})` }),
    );
  });

  it('shows the sources that have room, and those without behind the button', () => {
    const [first, ...others] = sources(3);
    if (first === undefined) throw new Error('no source');
    const long = { ...first, url: first.url.padEnd(2_900, 'x') };
    const message = only(renderOutcome(answered({ sources: [long, ...others] }), markdown));
    expect(texts(message).match(/\|file-\d\.ts>/g)).toEqual(['|file-1.ts>', '|file-2.ts>']);
    expect(buttons(message)).toContainEqual(expect.objectContaining({ label: 'All sources (3)' }));
    const none = only(renderOutcome(answered({ sources: [long] }), markdown));
    expect(texts(none).split('\n')).toContain('*Sources*');
    expect(buttons(none)).toContainEqual(expect.objectContaining({ label: 'All sources (1)' }));
  });

  it('shows no source that it links to itself, and no repository of which it shows a file', () => {
    const url = (path: string) => `https://x.example.com/github.com/acme/shop${path}`;
    const shop = (path: string, label: string) => ({ url: url(path), label, repository: 'github.com/acme/shop' });
    const all = [shop('', 'acme/shop'), shop('/-/blob/a.ts?L1', 'a.ts'), shop('/-/blob/a.ts?L12', 'a.ts:12')];
    const line = (text: string) => texts(only(renderOutcome(answered({ markdown: text, sources: all }), markdown)));
    for (const linked of [`[a](${url('/-/blob/a.ts?L12')})`, `See ${url('/-/blob/a.ts?L12')}.`]) {
      expect(line(linked)).toContain(`*Sources* · <${url('/-/blob/a.ts?L1')}|a.ts>\n`);
    }
    expect(line(`[a](${url('/-/blob/a.ts?L1')}), [b](${url('/-/blob/a.ts?L12')} "b")`)).toContain(
      '*Sources* · linked above\n',
    );
    const { blocks } = renderSourcesModal({ id: 'q' }, { sources: all }, 'en-US');
    const said = `_<${url('')}|github.com/acme/shop>_\n• <${url('/-/blob/a.ts?L1')}|a.ts>\n• <${url('/-/blob/a.ts?L12')}|a.ts:12>`;
    expect(blocks).toMatchObject([{ text: { text: said } }]);
    const commit = { ...shop('@main', 'acme/shop'), repository: 'github.com/acme/shop' };
    expect(line('Text.')).toContain('|a.ts:12>\n');
    expect(texts(only(renderOutcome(answered({ sources: [commit] }), markdown)))).toContain('|acme/shop>\n');
  });

  it('leaves its time and steps to the card where there is one that says them', () => {
    const footer = (question: Partial<Question>, changes: Partial<Answer> = {}) =>
      texts(only(renderOutcome(answered(changes, question), markdown)))
        .split('\n')
        .at(-1);
    const rest = '3 credits · *<https://search.example.com/deepsearch/abc|Open in Deep Search>*';
    const card = { ts: '1700000000.000200' };
    expect(footer({ card })).toBe(rest);
    for (const without of [{ card: {} }, { card: { ...card, gone: true } }, { card, origin: 'shared' as const }]) {
      expect(footer(without)).toBe(`41 s · 12 steps · ${rest}`);
    }
    const { credits: _, ...untold } = exampleAnswer();
    const bare = answered({}, { card, upstream: { steps: 0 }, outcome: { kind: 'answered', answer: untold } });
    expect(
      texts(only(renderOutcome(bare, markdown)))
        .split('\n')
        .at(-1),
    ).toBe('41 s · 12 steps');
  });

  it('says when there are no sources', () => {
    expect(texts(only(renderOutcome(answered({ sources: [] }), markdown)))).toContain(
      '_This answer lists no sources._',
    );
  });

  it('never writes a dangerous source', () => {
    const evil = [
      { url: 'https://e.org/a|b>c', label: 'a|b> <!here>' },
      { url: 'javascript:alert(1)', label: 'click' },
      { url: `https://e.org/${'x'.repeat(4_000)}`, label: 'long' },
    ];
    const shown = texts(only(renderOutcome(answered({ sources: evil }), markdown)));
    expect(shown).toContain(
      '*Sources* · <https://e.org/a%7Cb%3Ec|a❘b&gt; &lt;!here&gt;> · click (javascript:alert(1))\n',
    );
  });

  it('mentions the quota only above 80 percent', () => {
    const footer = (used: number, limit = 100) =>
      texts(only(renderOutcome(answered({ quota: { used, limit } }), markdown)));
    expect(footer(80)).not.toContain('quota');
    expect(footer(81)).toContain('81% of the quota used (81 of 100 credits)');
    expect(footer(5, 0)).not.toContain('quota');
  });

  it('leaves out a title that is the beginning of the answer', () => {
    const message = only(renderOutcome(answered({ markdown: '# Payment retries\n\nText.' }), markdown));
    expect(texts(message)).toMatch(/^<@U0ASKER>\n/);
  });

  it('says that the conversation is a new one when the old one is gone', () => {
    const lost = answered({}, { upstream: { steps: 0, conversationLost: true } });
    expect(texts(only(renderOutcome(lost, markdown)))).toContain('can no longer be continued');
  });

  it('that is empty says so', () => {
    for (const empty of ['', ' \n', '<!-- -->'.slice(0, 0)]) {
      const message = only(renderOutcome(answered({ markdown: empty, title: '' }), markdown));
      expect(JSON.stringify(message?.blocks)).toContain('finished without writing an answer');
    }
  });

  it('links no conversation whose address gets too long for the footer once it is written', () => {
    const shareUrl = `https://search.example.com/?${'&'.repeat(1_000)}`;
    const question = answered({}, { upstream: { steps: 0, shareUrl } });
    expect(texts(only(renderOutcome(question, markdown)))).not.toContain('Open in Deep Search');
  });

  it('fits with a title, labels and repositories of any length', () => {
    const long = '<&> * '.repeat(2_000);
    const wild = sources(9, 9).map((source, index) => ({
      ...source,
      label: `${long}${index}`,
      repository: `${index}${long}`,
      url: `${source.url}?${'&'.repeat(500)}`,
    }));
    for (const format of ['markdown', 'mrkdwn', 'plain'] as const) {
      for (const message of renderOutcome(answered({ title: long, sources: wild, followUps: [long, long, long] }), {
        format,
      })) {
        expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
      }
    }
  });

  it('is announced by all its words, for screen readers', () => {
    const markdown = `# Title\n\n${'All of it is *read*. '.repeat(300)}\n\nThe end.`;
    const [{ text } = { text: '' }] = renderOutcome(answered({ markdown }), { format: 'markdown' });
    expect(text.startsWith('Title All of it is read.')).toBe(true);
    expect(text.endsWith('The end.')).toBe(true);
  });

  it('says in one line that it has parts which Slack cannot show, and where they are', () => {
    for (const format of ['markdown', 'mrkdwn', 'plain'] as const) {
      const messages = renderOutcome(answered({ markdown: 'Text.', hasMore: true }), { format });
      expect(
        JSON.stringify(messages).match(/cannot be shown in Slack. They are in <https:[^|]*\|Deep Search>/g),
      ).toHaveLength(1);
      for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
    }
  });

  it('pings no person, wherever the token appears', () => {
    const token = '<!channel> <!here|x> <@U123> <!subteam^S1> @everyone';
    const everywhere = [
      `# ${token}`,
      token,
      `**${token}**`,
      `\`${token}\``,
      `- ${token}`,
      `> ${token}`,
      `| ${token.replaceAll('|', '\\|')} |\n|---|\n| \`<@U123>\` |`,
      `\`\`\`${token}\n${token}\n\`\`\``,
      `[${token}](https://e.org/<!here>)`,
      `![${token}](https://e.org)`,
      '&lt;!channel&gt;',
      `<div>${token}</div>`,
      '<!here>',
      `[^1]\n\n[^1]: ${token}`,
      '<!he**re**>',
      '`<!here>` `` `<@U123> ``',
    ].join('\n\n');
    const question = answered({
      title: token,
      markdown: everywhere,
      sources: [{ url: 'https://e.org', label: token, repository: token }],
    });
    for (const format of ['markdown', 'mrkdwn', 'plain'] as const) {
      const written = JSON.stringify(renderOutcome(question, { format })).replace('<@U0ASKER>', '');
      // Slack reads no tokens in code. Neither pattern goes beyond one string.
      const prose = written.replace(/(?<!`)(`+)(?!`)[^"]*?(?<!`)\1(?!`)/g, '');
      expect(prose).not.toMatch(/<!(?:channel|here|everyone|subteam)|<@U|@everyone/);
      expect(written.match(/U123/g)?.length).toBeGreaterThanOrEqual(10);
    }
  });
});

describe('an outcome without an answer', () => {
  it.each<[Failure, string, string]>([
    [
      { cause: 'service', title: 'Boom <!here>', message: 'It broke & stopped.' },
      '*Boom &lt;!here&gt;*\nIt broke &amp; stopped.',
      ACTIONS.tryAgain,
    ],
    [{ cause: 'service' }, 'Deep Search could not answer this question.', ACTIONS.tryAgain],
    [{ cause: 'tooLong' }, 'grown too long', ACTIONS.askNew],
    [
      { cause: 'unauthorized' },
      "Deep Search does not accept this app's access token.\nThe operator of this app can fix this",
      ACTIONS.tryAgain,
    ],
    [{ cause: 'unreachable' }, 'could not be reached', ACTIONS.tryAgain],
    [{ cause: 'limited', mayBeAsked: true }, 'could not find out whether Deep Search has', ACTIONS.tryAgain],
    [
      { cause: 'limited' },
      'Deep Search is limiting requests right now.\nTry again in a few minutes.',
      ACTIONS.tryAgain,
    ],
    [{ cause: 'gone' }, 'was deleted in Deep Search', ACTIONS.askNew],
    [{ cause: 'refused' }, 'rejected this question', ACTIONS.askNew],
    [
      { cause: 'refused', message: 'question must have at most 10,000 <characters>' },
      'question must have at most 10,000 &lt;characters&gt;',
      ACTIONS.askNew,
    ],
    [{ cause: 'signInPage' }, 'A sign-in page answered in place of Deep Search.\nThe operator', ACTIONS.tryAgain],
    [{ cause: 'answerTooLong' }, 'too long to be read here', ACTIONS.askNew],
    [{ cause: 'threadUnread' }, 'I could not read this thread', ACTIONS.tryAgain],
    [{ cause: 'internal' }, 'This app failed', ACTIONS.tryAgain],
  ])('for %o says what happened, what to do, and a reference', (failure, sentence, action) => {
    const question = ended({ kind: 'failed', failure });
    const message = only(renderOutcome(question, markdown));
    expect(texts(message)).toContain('<@U0ASKER> ');
    expect(texts(message)).toContain(sentence);
    expect(texts(message)).toContain('Reference `q01234567`');
    expect(buttons(message)).toMatchObject([{ id: action, value: question.id }]);
    expect(hasMarker({ blocks: message?.blocks }, partMarker(question, 0))).toBe(true);
  });

  it('has no words of the service where others read, if they may not see what was asked with own access', () => {
    const failure: Failure = { cause: 'service', title: 'acme/secret', message: 'secret.ts is too large' };
    const failed = ended({ kind: 'failed', failure });
    const shown = (more: Partial<Question>) => texts(only(renderOutcome({ ...failed, ...more }, markdown)));
    const direct = { ...failed.place, channelId: 'D1' };
    expect(shown({ access: 'own' })).not.toContain('secret');
    expect(shown({ access: 'own' })).toContain('Deep Search could not answer this question.');
    expect(shown({ access: 'own', showing: { choice: 'onlyMe' } })).not.toContain('secret');
    expect(shown({ access: 'own', showing: { choice: 'here' } })).toContain('secret.ts');
    expect(shown({ access: 'own', place: direct })).toContain('secret.ts');
    expect(shown({ access: 'app' })).toContain('secret.ts');
  });

  it('limits the length of texts of the service', () => {
    const long = '<&> * '.repeat(5_000);
    only(renderOutcome(ended({ kind: 'failed', failure: { cause: 'service', title: long, message: long } }), markdown));
  });

  it('has the link and the button to check again when the app stopped watching', () => {
    const message = only(renderOutcome(ended({ kind: 'gaveUp' }), markdown));
    expect(texts(message)).toContain('still running; I stopped watching');
    expect(texts(message)).toContain('<https://search.example.com/deepsearch/abc|Open in Deep Search>');
    expect(buttons(message)).toMatchObject([{ id: ACTIONS.checkAgain }]);
    expect(message?.text).not.toContain('<');
  });

  it('says who cancelled', () => {
    const message = only(
      renderOutcome(ended({ kind: 'cancelled' }, { cancel: { byUserId: 'U0BOB', atMs: 1 } }), markdown),
    );
    expect(texts(message)).toBe('This question was cancelled by <@U0BOB>.');
    expect(buttons(message)).toMatchObject([{ id: ACTIONS.tryAgain }]);
  });

  it('has one part in every format, and no part where there is no outcome', () => {
    for (const format of ['markdown', 'mrkdwn', 'plain'] as const) {
      for (const kind of ['gaveUp', 'cancelled'] as const) only(renderOutcome(ended({ kind }), { format }));
      only(renderOutcome(ended({ kind: 'undeliverable', canInvite: true }), { format }));
    }
    expect(renderOutcome(exampleQuestion(), markdown)).toEqual([]);
  });

  it('has no part where the asker may not ask', () => {
    expect(renderOutcome(ended({ kind: 'notAllowed', reason: 'guest' }), markdown)).toEqual([]);
  });
});

describe('the list of all sources', () => {
  it.each([0, 1, 6, 300, 5_000])('fits a modal with %i sources and says what it leaves out', (count) => {
    const all = sources(count, 7).map((source) => ({ ...source, url: `${source.url}?${'x'.repeat(100)}` }));
    const view = renderSourcesModal(exampleQuestion(), { sources: all }, undefined);
    expect(slackProblems('views.open', { view })).toEqual([]);
    const shown = view.blocks
      .flatMap((block) => ('text' in block && typeof block.text === 'object' ? [block.text.text] : []))
      .join('\n');
    const listed = shown.match(/^• /gm)?.length ?? 0;
    const left = Number(/([\d,]+) more sources? do/.exec(shown)?.[1]?.replace(',', '') ?? 0);
    expect(listed + left).toBe(count);
    if (count <= 300) expect(left).toBe(0);
  });

  it('fits with the longest addresses there are', () => {
    const all = sources(200).map((source) => ({
      ...source,
      url: `${source.url}?${'&'.repeat(580)}`,
      label: '漢<'.repeat(200),
    }));
    expect(
      slackProblems('views.open', { view: renderSourcesModal(exampleQuestion(), { sources: all }, undefined) }),
    ).toEqual([]);
  });
});
