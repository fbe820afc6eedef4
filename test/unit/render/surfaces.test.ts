import { describe, expect, it } from 'vitest';
import type { Disposition } from '../../../src/core/history/lists.ts';
import type { CardView } from '../../../src/core/ports.ts';
import { threadQuestion } from '../../../src/core/question/prompt.ts';
import type { Failure, Outcome, Question, Refusal } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { FORMAT_LADDER, type RenderedMessage } from '../../../src/render/blocks.ts';
import { renderCard } from '../../../src/render/card.ts';
import { feedbackBlock, renderFeedbackForm } from '../../../src/render/feedback.ts';
import { renderHelp } from '../../../src/render/help.ts';
import { renderAskForm, renderEditForm, renderShareForm, renderWords } from '../../../src/render/modals.ts';
import { type Notice, renderNotice } from '../../../src/render/notices.ts';
import { renderOutcome, renderUsedEnd } from '../../../src/render/outcome.ts';
import { sayIn } from '../../../src/render/say.ts';
import { renderSourcesModal } from '../../../src/render/sources.ts';
import { type PlaceRule, renderStatus, ruleOf, type StatusView } from '../../../src/render/status.ts';
import { renderWhy, type WhyEntry } from '../../../src/render/why.ts';
import { expectGolden } from '../../support/golden.ts';
import { ended, exampleQuestion, QUESTION_ID } from './example.ts';

function fitting(method: string, message: RenderedMessage): RenderedMessage {
  expect(slackProblems(method, { ...message })).toEqual([]);
  return message;
}

const reference = 'e01234567';
const place = { teamId: 'T1', channelId: 'C1', threadTs: '1700000000.000100' };
const refusals: Refusal[] = [
  'guest',
  'outsider',
  'unknownPerson',
  'unknownChannel',
  'channelTooLarge',
  'sharedChannel',
  'guestsInChannel',
  'channelRefused',
];

describe('the private messages', () => {
  const text = 'Where is it?';
  const notices: Notice[] = [
    { kind: 'answeredBeforeCancel' },
    { kind: 'connectFirst', questionId: QUESTION_ID, text, isRefused: false },
    { kind: 'connectFirst', questionId: QUESTION_ID, text, isRefused: true },
    { kind: 'reconnect', questionId: QUESTION_ID },
    { kind: 'shareUndeliverable', questionId: QUESTION_ID, channelId: 'C2' },
    ...[text, threadQuestion].flatMap((asked): Notice[] => [
      { kind: 'notInChannel', questionId: QUESTION_ID, text: asked, canInvite: true },
      { kind: 'notInChannel', questionId: QUESTION_ID, text: asked, canInvite: false },
      { kind: 'notInChannel', questionId: QUESTION_ID, text: asked, canInvite: false, isBetweenTwo: true },
      { kind: 'notAllowed', reason: 'sharedChannel', questionId: QUESTION_ID, text: asked },
    ]),
    { kind: 'undeliverable', questionId: QUESTION_ID, place },
    { kind: 'undeliverable', questionId: QUESTION_ID, place, shareUrl: 'https://search.example.com/x' },
    ...refusals.flatMap((reason): Notice[] => [
      { kind: 'notAllowed', reason, questionId: QUESTION_ID, text },
      { kind: 'notAllowed', reason, questionId: QUESTION_ID, text, withheld: 'answer' },
      { kind: 'notAllowed', reason, questionId: QUESTION_ID, text, withheld: 'share' },
      { kind: 'actionNotAllowed', reason, reference },
    ]),
    { kind: 'actionNotChecked', reference },
    { kind: 'emptyQuestion' },
    { kind: 'emptyQuestion', after: 'command' },
    { kind: 'emptyQuestion', after: 'new' },
    { kind: 'nothingAsked', after: 'greeting' },
    { kind: 'nothingAsked', after: 'thanks' },
    { kind: 'questionTooLong', text: 'x'.repeat(12_000) },
    { kind: 'notTaken', text, reference },
    { kind: 'actionNotTaken', reference },
    { kind: 'inDoubt', questionId: QUESTION_ID, triggerId: '1.2.3', text, reference },
    { kind: 'actionInDoubt', reference },
    { kind: 'alreadyAsked' },
    { kind: 'alreadyAsked', byUserId: 'U0BOB' },
    { kind: 'alreadyAskedByYou' },
    { kind: 'alreadyWatched' },
    { kind: 'notAsker', askerId: 'U0BOB' },
    { kind: 'queueFull', limit: 10, reference },
    { kind: 'nothingToCancel' },
    { kind: 'alreadyEnded' },
    { kind: 'nothingToCancelInDirect' },
    { kind: 'severalToCancel' },
    { kind: 'confirmCancel', questionId: QUESTION_ID, askerId: 'U0BOB', text },
    { kind: 'expiredButton', reference },
    { kind: 'muted' },
    { kind: 'unmuted' },
    { kind: 'muteDirect' },
    { kind: 'muteNeedless' },
    { kind: 'threadVerb', verb: 'status' },
    { kind: 'nothingToConnect' },
    { kind: 'edited', questionId: QUESTION_ID, text },
    { kind: 'editedAfterAnswer' },
    { kind: 'formNotOpened', reference },
    { kind: 'askedPrivately' },
    { kind: 'shownPrivately' },
    { kind: 'alreadyShown' },
    { kind: 'notYours', reference },
    { kind: 'sharing', channelId: 'C2' },
  ];

  it('match their golden file', () => {
    const options = { botUserId: 'U0BOT', locale: 'en-US' };
    const shown = notices.map((notice) => [
      JSON.stringify(notice).slice(0, 200),
      fitting('chat.postEphemeral', renderNotice(notice, options)),
    ]);
    const help = fitting('chat.postEphemeral', renderHelp({ commandName: '/deepsearch', ...options }));
    expectGolden('render/surfaces/notices.txt', { ...Object.fromEntries(shown), help });
  });
});

describe('the forms', () => {
  it('match their golden file', () => {
    const audience = { members: 12, guests: 0, outsiders: 0, organizations: 0, isKnown: true, fingerprint: 'f1' };
    const share = (more: Partial<Parameters<typeof renderShareForm>[0]>) =>
      renderShareForm({ questionId: QUESTION_ID, ...more }, 'en-US');
    const chosen = (changes: Partial<typeof audience>) =>
      share({ chosen: { channelId: 'C2', audience: { ...audience, ...changes } } });
    const sources = [
      { url: 'https://x.example.com/a.ts', label: 'a.ts', repository: 'github.com/acme/shop' },
      { url: 'https://x.example.com/b.ts', label: 'b.ts' },
    ];
    const edited = { value: { questionId: QUESTION_ID, index: 1 }, text: 'Who calls it?' };
    const forms = {
      words: renderWords((say) => say.modals.loading(), 'en-US'),
      failure: renderWords((say) => say.modals.failed(), 'en-US', reference),
      'ask somewhere': renderAskForm({}, 'en-US'),
      'ask about a message, privately': renderAskForm(
        { text: 'What is this?', about: 'C1 1.2', startsPrivately: true },
        'en-US',
      ),
      'ask with a text that does not fit': {
        ...renderAskForm({ text: 'x'.repeat(3_001) }, 'en-US'),
        blocks: renderAskForm({ text: 'x'.repeat(3_001) }, 'en-US').blocks.slice(1),
      },
      edit: renderEditForm({ ...edited, isDirect: false }, 'en-US'),
      'edit in direct messages': renderEditForm({ ...edited, isDirect: true }, 'en-US'),
      'share, before a channel is chosen': share({}),
      'share, where there is a problem': share({ problem: 'No one may see it there.' }),
      'share with members, with the link': share({ chosen: { channelId: 'C2', audience }, withLink: true }),
      'share with guests': chosen({ guests: 2 }),
      'share with another organization': chosen({ outsiders: 3, organizations: 1 }),
      'share with people of no known organization': chosen({ outsiders: 3 }),
      'share with an invited organization': chosen({ organizations: 1 }),
      'share with an unknown audience': chosen({ isKnown: false }),
      feedback: renderFeedbackForm(QUESTION_ID, 'en-US'),
      'all sources': renderSourcesModal(exampleQuestion(), { sources }, 'en-US'),
      'no sources': renderSourcesModal(exampleQuestion(), { sources: [] }, 'en-US'),
    };
    for (const view of Object.values(forms)) expect(slackProblems('views.open', { view })).toEqual([]);
    expectGolden('render/surfaces/forms.txt', forms);
  });

  it('have feedback buttons that match their golden file', () => {
    const say = sayIn('en-US');
    expectGolden('render/surfaces/feedback.txt', {
      markdown: feedbackBlock(QUESTION_ID, 'markdown', say),
      mrkdwn: feedbackBlock(QUESTION_ID, 'mrkdwn', say),
    });
  });
});

describe('the list of running and waiting questions', () => {
  const entry = (view: CardView, changes: Partial<Question> = {}) => ({ question: exampleQuestion(changes), view });
  const views: CardView[] = [
    { kind: 'queued', place: 2 },
    { kind: 'waitingForSlot', ahead: 1 },
    { kind: 'starting' },
    { kind: 'running', elapsedMs: 65_000, steps: 3 },
    { kind: 'unreachable' },
    { kind: 'limited' },
    { kind: 'cancelling' },
    { kind: 'parked', untilMs: Date.UTC(2023, 10, 16, 7) },
    { kind: 'answered', durationMs: 1, steps: 1 },
  ];
  const open = views.map((view, index) => entry(view, { askerId: index % 2 === 0 ? 'U0ASKER' : 'U0BOB' }));
  const base: StatusView = { of: 'thread', open: [], elsewhere: [], rule: 'replies', service: 'fine' };
  const quota = { used: 1_900, limit: 2_000, resetAtMs: Date.UTC(2023, 11, 1) };

  it('matches its golden file', () => {
    const status = (view: Partial<StatusView>) =>
      fitting(
        'chat.postEphemeral',
        renderStatus({ ...base, ...view }, { userId: 'U0ASKER', locale: 'en-US', botUserId: 'U0BOT' }),
      );
    expectGolden('render/surfaces/status.txt', {
      nothing: status({}),
      'in a thread': status({ open, conversationUrl: 'https://search.example.com/x', quota }),
      'in a channel': status({
        of: 'channel',
        rule: 'channel',
        service: 'unreachable',
        open: open.slice(0, 1),
        elsewhere: [
          entry({ kind: 'starting' }, { place: { ...place, channelId: 'D1' } }),
          entry({ kind: 'starting' }, { place: { ...place, channelId: 'C9' } }),
        ],
        quota: { used: 1, limit: 0 },
      }),
      'in direct messages': status({ of: 'direct', rule: 'direct', service: 'refused', quota: { used: 1, limit: 2 } }),
      'with ten questions': status({ open: Array.from({ length: 10 }, () => entry({ kind: 'starting' })) }),
      'with eleven questions': status({ open: Array.from({ length: 11 }, () => entry({ kind: 'starting' })) }),
      'with the longest address': status({ conversationUrl: `https://e.org/${'x'.repeat(486)}` }),
      'with too long an address': status({ conversationUrl: `https://e.org/${'x'.repeat(487)}` }),
      'in a muted thread': status({ rule: 'muted' }),
      "in people's thread": status({ rule: 'peoplesThread' }),
      'in a channel that may not have the app': status({ of: 'channel', rule: 'channelUnknown' }),
      'in a channel without the app': status({ of: 'channel', rule: 'notInChannel' }),
    });
  });
});

describe('the reasons of the command why', () => {
  const sentMs = 1_700_000_000_000;
  const note = (disposition: Disposition, more: Partial<WhyEntry['notes'][0]> = {}) => ({
    ts: '1700000000.000100',
    userId: 'U0ASKER',
    atMs: sentMs,
    disposition,
    ...more,
  });
  const dispositions: Disposition[] = [
    'asked',
    'cancelled',
    'verbCarriedOut',
    'duplicate',
    'addressesAnother',
    'muted',
    'asksNothing',
    'peoplesThread',
    'fromBot',
    'edited',
    'noText',
    'tooLong',
    'queueFull',
    'notTaken',
  ];
  const outcomes: Outcome[] = [
    { kind: 'failed', failure: { cause: 'internal' } },
    { kind: 'gaveUp' },
    { kind: 'undeliverable', canInvite: true },
    { kind: 'cancelled' },
    ...refusals.map((reason): Outcome => ({ kind: 'notAllowed', reason })),
  ];
  const told = (
    entries: (Pick<WhyEntry, 'notes'> & Partial<WhyEntry>)[],
    { nowMs = sentMs + 60_000, rule = 'channel' }: { nowMs?: number; rule?: PlaceRule } = {},
  ) =>
    fitting(
      'chat.postEphemeral',
      renderWhy(
        { entries: entries.map((entry) => ({ positionInQueue: 0, ...entry })), rule },
        {
          userId: 'U0ASKER',
          locale: 'en-US',
          botUserId: 'U0BOT',
          nowMs,
          workspaceUrl: 'https://acme.slack.com/',
          channelId: 'C1',
        },
      ),
    );
  const hoursMs = 60 * 60 * 1_000;

  it('match their golden file', () => {
    const asked = note('asked', { questionId: QUESTION_ID });
    expectGolden('render/surfaces/why.txt', {
      nothing: told([]),
      'one of each': told(dispositions.map((disposition) => ({ notes: [note(disposition)] }))),
      'of a question that has ended': told(outcomes.map((outcome) => ({ notes: [asked], question: ended(outcome) }))),
      "of another's question that was not allowed": told([
        { notes: [asked], question: ended({ kind: 'notAllowed', reason: 'guest' }, { askerId: 'U0BOB' }) },
      ]),
      'of an open question': told([
        { notes: [asked], question: exampleQuestion({ phase: 'parked', parkedUntilMs: sentMs + hoursMs }) },
        { notes: [asked], question: exampleQuestion({ phase: 'parked' }) },
        { notes: [asked], question: exampleQuestion({ phase: 'waiting' }), positionInQueue: 2 },
        { notes: [asked], question: exampleQuestion({ phase: 'waiting' }) },
        { notes: [asked], question: exampleQuestion({ phase: 'running' }) },
      ]),
      'by others': told([
        { notes: [note('muted', { userId: 'U0BOB' })] },
        { notes: [note('fromBot', { userId: 'B0APP' })] },
        { notes: [note('fromBot', { userId: '' })] },
      ]),
      'of each kind': told(
        (['mention', 'reply', 'direct'] as const).flatMap((reached) => [
          { notes: [note('muted', { reached })] },
          { notes: [note('edited'), note('muted', { reached, userId: 'U0BOB' })] },
        ]),
      ),
      'that came again, or was edited': told([
        { notes: [note('duplicate'), note('edited'), asked] },
        { notes: [note('edited'), note('muted')] },
        { notes: [note('edited'), note('duplicate')] },
        { notes: [note('duplicate')], question: exampleQuestion() },
      ]),
      'in a thread': told([{ notes: [note('muted', { threadTs: '1690000000.000100' })] }], { rule: 'muted' }),
      'of today': told([{ notes: [asked] }], { nowMs: sentMs + 18 * hoursMs }),
      'of yesterday': told([{ notes: [asked] }], { nowMs: sentMs + 18 * hoursMs + 1 }),
      'of an odd time': told([{ notes: [note('muted', { ts: 'odd', atMs: sentMs - hoursMs })] }]),
    });
  });
});

describe('the rule for replies in a place', () => {
  it('depends on the thread', () => {
    const thread = { version: 1, ...place, followsReplies: true, line: [] } as const;
    expect(ruleOf(false, { ...thread, queue: [] })).toBe('channel');
    expect(ruleOf(true, undefined)).toBe('peoplesThread');
    expect(ruleOf(true, { ...thread, queue: [], followsReplies: false, muted: true })).toBe('peoplesThread');
    expect(ruleOf(true, { ...thread, queue: [], muted: true })).toBe('muted');
    expect(ruleOf(true, { ...thread, queue: [], muted: false })).toBe('replies');
  });
});

describe('the ends and the cards', () => {
  const causes: Failure['cause'][] = [
    'service',
    'tooLong',
    'unauthorized',
    'unreachable',
    'limited',
    'gone',
    'refused',
    'threadUnread',
    'internal',
  ];
  const shares = {
    questionId: 'q76543210fedcba9876543210',
    withLink: false,
    confirmed: [],
  };

  it('match their golden file where there is no answer', () => {
    const outcomes: [string, Question][] = [
      ...causes.flatMap((cause): [string, Question][] => [
        [cause, ended({ kind: 'failed', failure: { cause } })],
        [`${cause}, of a share`, ended({ kind: 'failed', failure: { cause } }, { shares, origin: 'shared' })],
      ]),
      [
        'service, in its words',
        ended({ kind: 'failed', failure: { cause: 'service', title: 'So *so*', message: 'It *broke*' } }),
      ],
      ['gaveUp', ended({ kind: 'gaveUp' })],
      [
        'gaveUp after a time, without a link',
        ended({ kind: 'gaveUp' }, { upstream: { steps: 0, askedMs: 1_000 }, endedMs: 901_000 }),
      ],
      ['gaveUp, never asked', ended({ kind: 'gaveUp' }, { upstream: { steps: 0 }, endedMs: 901_000 })],
      ['cancelled', ended({ kind: 'cancelled' })],
      ['cancelled by a person', ended({ kind: 'cancelled' }, { cancel: { byUserId: 'U0BOB', atMs: 1 } })],
      ['undeliverable', ended({ kind: 'undeliverable', canInvite: true })],
      ['undeliverable in German', ended({ kind: 'undeliverable', canInvite: false }, { locale: 'de-DE' })],
    ];
    const formats = (name: string) => (name === 'undeliverable' ? FORMAT_LADDER : (['mrkdwn'] as const));
    const shown = outcomes.map(([name, question]) => [
      name,
      formats(name).map((format) => renderOutcome(question, { format })),
    ]);
    const used = outcomes.map(([name, question]) => [
      `${name}, used`,
      renderUsedEnd(question, 'U0BOB', { format: 'mrkdwn' }) ?? 'nothing',
    ]);
    expectGolden('render/surfaces/ends.txt', Object.fromEntries([...shown, ...used]));
  });

  it('match their golden file while a question is open', () => {
    const read = { messages: 3, total: 5, files: 1, unreadable: 1, text: 'x' };
    const questions: Record<string, Question> = {
      mention: exampleQuestion(),
      shared: exampleQuestion({ origin: 'shared' }),
      'of the thread': exampleQuestion({ text: threadQuestion, origin: 'command', context: read }),
      'refused thread': exampleQuestion({ context: { ...read, refused: true } }),
      'refused thread without more': exampleQuestion({
        context: { messages: 0, total: 0, files: 0, unreadable: 0, text: '', refused: true },
      }),
      'new in a thread with a conversation': exampleQuestion({ fresh: true }),
      'about another thread': exampleQuestion({
        origin: 'shortcut',
        context: read,
        readsFrom: { teamId: 'T1', channelId: 'C2', threadTs: '1700000000.000100' },
      }),
      'about another thread that is not read': exampleQuestion({
        context: { messages: 0, total: 0, files: 0, unreadable: 0, text: '', refused: true },
        readsFrom: { teamId: 'T1', channelId: 'C2', threadTs: '1700000000.000100', isRefused: true },
      }),
      'carries on': exampleQuestion({
        follows: { text: 'What was\nfirst?', shareUrl: `https://e.org/${'x'.repeat(986)}` },
      }),
      'carries on without a link': exampleQuestion({
        follows: { text: `What was ${'x'.repeat(200)}`, shareUrl: `https://e.org/${'x'.repeat(987)}` },
      }),
    };
    const views: CardView[] = [
      { kind: 'queued', place: 1 },
      { kind: 'waitingForSlot', ahead: 1 },
      { kind: 'running', elapsedMs: 65_000, steps: 3, lastStep: 'Reading *a*' },
      { kind: 'parked', untilMs: 1_700_000_000_000 + 24 * 60 * 60 * 1_000 - 1 },
      { kind: 'parked', untilMs: 1_700_000_000_000 + 24 * 60 * 60 * 1_000 },
      { kind: 'answered', durationMs: 41_000, steps: 12 },
      { kind: 'cancelled' },
      { kind: 'notAllowed' },
    ];
    const card = (question: Question, view: CardView, format: 'mrkdwn' | 'plain') =>
      fitting('chat.postMessage', renderCard(question, view, { format }));
    const shown = Object.entries(questions).map(([name, question]) => [
      name,
      (name === 'mention' ? views : views.slice(2, 3)).map((view) => card(question, view, 'mrkdwn')),
    ]);
    for (const question of Object.values(questions)) for (const view of views) card(question, view, 'plain');
    shown.push(['plain', views.map((view) => card(exampleQuestion(), view, 'plain'))]);
    expectGolden('render/surfaces/cards.txt', Object.fromEntries(shown));
  });
});
