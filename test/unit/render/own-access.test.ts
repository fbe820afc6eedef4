import { describe, expect, it } from 'vitest';
import type { Outcome, Question } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { renderAnswerFile } from '../../../src/render/answer-file.ts';
import { FORMAT_LADDER } from '../../../src/render/blocks.ts';
import { renderCard } from '../../../src/render/card.ts';
import { renderShareForm } from '../../../src/render/modals.ts';
import { type Notice, renderNotice } from '../../../src/render/notices.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { expectGolden } from '../../support/golden.ts';
import { answered, ended, exampleAnswer, exampleQuestion, QUESTION_ID } from './example.ts';

const url = 'https://code.example/deepsearch/7c9e6679';
const linked = { ...exampleQuestion().upstream, shareUrl: url };
const direct = { ...exampleQuestion().place, channelId: 'D0ASKER' };

const notices: Notice[] = [
  { kind: 'chooseReaders', questionId: QUESTION_ID, channelId: 'C1', text: 'Where is it?' },
  { kind: 'chooseReaders', questionId: QUESTION_ID, channelId: 'C1', text: 'Where is it?', people: 1 },
  { kind: 'chooseReaders', questionId: QUESTION_ID, channelId: 'C1', text: 'Where is it?', people: 214 },
  {
    ...{ kind: 'chooseReaders', questionId: QUESTION_ID, channelId: 'C1', text: 'Where is it?', people: 2 },
    answer: '# Retries\n\nThey are in `retry.ts`. <!channel> '.repeat(40),
  },
  { kind: 'shownHere', channelId: 'C1' },
  { kind: 'alwaysShown', channelId: 'C1' },
  { kind: 'readersChosen' },
  { kind: 'choiceTooLate' },
];

it.each(['en-US', 'de-DE'])('the choice of readers matches its golden file in %s', (locale) => {
  const messages = [
    ...notices.map((notice) => renderNotice(notice, { botUserId: 'U0BOT', locale })),
    ...(['choosing', 'answeredPrivately'] as const).flatMap((kind) =>
      FORMAT_LADDER.map((format) => renderCard(exampleQuestion({ locale }), { kind }, { format })),
    ),
  ];
  for (const message of messages) expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
  expectGolden(`render/surfaces/own-access.${locale}.txt`, messages);
});

it('a long question fits into the message that asks who sees its answer', () => {
  const notice: Notice = {
    kind: 'chooseReaders',
    questionId: QUESTION_ID,
    channelId: 'C1',
    text: 'w&<'.repeat(3_333),
    answer: 'w&<'.repeat(3_333),
  };
  const message = renderNotice(notice, { botUserId: 'U0BOT', locale: 'de-DE' });
  expect(slackProblems('chat.postEphemeral', { ...message })).toEqual([]);
});

describe('the link to an own conversation', () => {
  /** All that others can see of a question: its card, its messages in every format, and the attached file. */
  function shown(change: Partial<Question>, outcome?: Outcome): string {
    const question = outcome === undefined ? answered({}, change) : ended(outcome, change);
    const formats = FORMAT_LADDER.flatMap((format) => [
      renderCard(question, { kind: 'answered', durationMs: 1, steps: 1 }, { format }),
      ...renderOutcome(question, { format }),
    ]);
    return JSON.stringify([formats, outcome === undefined ? renderAnswerFile(question, exampleAnswer()) : '']);
  }

  it.each<[string, Partial<Question>, boolean]>([
    ['of the app is shown', { upstream: linked }, true],
    ['is not shown in a channel', { access: 'own', upstream: linked }, false],
    [
      'is not shown in a channel where others could not open it',
      { access: 'own', upstream: { ...linked, isLinkOpen: false } },
      false,
    ],
    [
      'is shown in a channel where others can open it',
      { access: 'own', upstream: { ...linked, isLinkOpen: true } },
      true,
    ],
    ['is shown in direct messages', { access: 'own', upstream: linked, place: direct }, true],
  ])('%s, with an answer and when the app stopped watching', (_, change, isShown) => {
    expect(shown(change).includes(url)).toBe(isShown);
    expect(shown(change, { kind: 'gaveUp' }).includes(url)).toBe(isShown);
  });

  it('of a long answer with a diagram is not shown in a channel either', () => {
    const markdown = `\`\`\`mermaid\ngraph TD; a-->b\n\`\`\`\n\n${'long words '.repeat(30_000)}`;
    const messages = (change: Partial<Question>) =>
      JSON.stringify(renderOutcome(answered({ markdown }, { upstream: linked, ...change }), { format: 'markdown' }));
    expect(messages({})).toContain(url);
    expect(messages({ access: 'own' })).not.toContain(url);
  });
});

it('the form that shares an answer with own access says when the link is left out', () => {
  const hint = 'It is left out if others cannot open it';
  const form = (isOwnAccess: boolean) =>
    JSON.stringify(renderShareForm({ questionId: QUESTION_ID, isOwnAccess }, 'en-US'));
  expect(form(true)).toContain(hint);
  expect(form(false)).not.toContain(hint);
  expect(
    slackProblems('views.open', { view: renderShareForm({ questionId: QUESTION_ID, isOwnAccess: true }, 'de-DE') }),
  ).toEqual([]);
});
