import { describe, expect, it } from 'vitest';
import { threadQuestion } from '../../../src/core/question/prompt.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { renderHelp } from '../../../src/render/help.ts';
import { ACTIONS } from '../../../src/render/ids.ts';
import { type Notice, renderNotice } from '../../../src/render/notices.ts';
import { QUESTION_ID } from './example.ts';

const reference = 'e01234567';
const place = { teamId: 'T1', channelId: 'C1', threadTs: '1.2' };
const options = { botUserId: 'U0BOT', locale: undefined };

function shown(notice: Notice): string {
  const message = renderNotice(notice, options);
  expect(slackProblems('chat.postEphemeral', { ...message })).toEqual([]);
  return JSON.stringify(message.blocks);
}

describe('a private notice', () => {
  it.each<[Notice, string[]]>([
    [{ kind: 'answeredBeforeCancel' }, ['so it stays']],
    [
      { kind: 'notInChannel', questionId: QUESTION_ID, text: 'Where <is> it?', canInvite: true },
      ['/invite', '<@U0BOT>', 'Where &lt;is&gt; it?', ACTIONS.askHere, ACTIONS.askInDm, QUESTION_ID],
    ],
    [
      { kind: 'undeliverable', questionId: QUESTION_ID, place, shareUrl: 'https://e.org/x' },
      ['<#C1>', '<https://e.org/x|Open in Deep Search>'],
    ],
    [
      { kind: 'undeliverable', questionId: QUESTION_ID, place, shareUrl: 'https://e.org/x|y> <!here' },
      ['<https://e.org/x%7Cy%3E%20%3C!here|Open in Deep Search>'],
    ],
    [{ kind: 'undeliverable', questionId: QUESTION_ID, place }, ['<#C1>', 'Ask again']],
    [{ kind: 'emptyQuestion' }, ['Write a question.']],
    [{ kind: 'emptyQuestion', after: 'new' }, ['Write a question after `new`.']],
    [{ kind: 'emptyQuestion', after: 'command' }, ['Write a question after `/deepsearch`.', '`/deepsearch where']],
    [{ kind: 'questionTooLong', text: 'x'.repeat(10_001) }, ['10,001', '10,000', 'Nothing was sent']],
    [{ kind: 'notTaken', text: 'Where is it?', reference }, ['Not taken, nothing was sent', 'Where is it?']],
    [{ kind: 'actionNotTaken', reference }, ['nothing was sent']],
    [
      { kind: 'inDoubt', questionId: QUESTION_ID, triggerId: '1.2.3', text: 'Where is it?', reference },
      ["can't tell whether I took", 'Where is it?', ACTIONS.askCommand, `${QUESTION_ID}=1.2.3 Where is it?`],
    ],
    [{ kind: 'actionInDoubt', reference }, ["can't tell whether that was done"]],
    [{ kind: 'alreadyAsked', byUserId: 'U0BOB' }, ['<@U0BOB>']],
    [{ kind: 'alreadyAsked' }, ['already asked.']],
    [{ kind: 'alreadyAskedByYou' }, ['You already asked this.']],
    [{ kind: 'missedNotAsked' }, ['I did not ask it. If I replied beside your message, the reply says why.']],
    [{ kind: 'alreadyWatched' }, ['I am already checking this question again.']],
    [{ kind: 'actionNotChecked', reference }, ['Try again in a minute.']],
    [{ kind: 'queueFull', limit: 10, reference }, ['10 questions are']],
    [{ kind: 'nothingToCancel' }, ['Nothing is running']],
    [{ kind: 'nothingToCancelInDirect' }, ['None of your questions is running here.']],
    [{ kind: 'severalToCancel' }, ['`cancel`', 'Home']],
    [{ kind: 'expiredButton', reference }, ['has expired']],
  ])('contains what is needed: %o', (notice, parts) => {
    const text = shown(notice);
    for (const part of parts) expect(text).toContain(part);
  });

  it('gives back a text of any size without breaking a limit, with a mark where it is cut', () => {
    for (const text of [
      'x'.repeat(40_000),
      '<'.repeat(12_000),
      '漢 '.repeat(10_000),
      'a\n'.repeat(8_000),
      '👩‍👩‍👧‍👦'.repeat(2_000),
    ]) {
      expect(shown({ kind: 'questionTooLong', text })).toMatch(/…/);
    }
  });
});

it('a command in doubt has a button that asks it again, if its question fits into the button', () => {
  const doubt = (text: string) =>
    shown({ kind: 'inDoubt', questionId: QUESTION_ID, triggerId: '1.2.3', text, reference });
  expect(doubt('x'.repeat(1_900))).toContain(ACTIONS.askCommand);
  expect(doubt('x'.repeat(2_000))).not.toContain(ACTIONS.askCommand);
});

it('a notice does not suggest an invitation where that would not help', () => {
  const text = shown({ kind: 'notInChannel', questionId: QUESTION_ID, text: 'Where is it?', canInvite: false });
  expect(text).toContain('archived, read-only or locked');
  expect(text).toContain('Where is it?');
  expect(text).toContain(ACTIONS.askInDm);
  expect(text).not.toContain(ACTIONS.askHere);
  expect(text).not.toContain('/invite');
});

describe('a private notice of a failure', () => {
  const text = 'Where is it?';
  const questionId = QUESTION_ID;

  it.each<[Notice]>([
    [{ kind: 'notInChannel', questionId, text, canInvite: true }],
    [{ kind: 'undeliverable', questionId, place }],
    [{ kind: 'shareUndeliverable', questionId, channelId: 'C1' }],
    [{ kind: 'notAllowed', reason: 'guest', questionId, text }],
    [{ kind: 'notAllowed', reason: 'guestsInChannel', questionId, text, withheld: 'answer' }],
    [{ kind: 'notAllowed', reason: 'guestsInChannel', questionId, text, withheld: 'share' }],
  ])('%o names its question by the beginning of the id', (notice) => {
    expect(shown(notice)).toContain(`Reference \`${QUESTION_ID.slice(0, 9)}\``);
  });

  it.each<[Notice]>([
    [{ kind: 'notTaken', text, reference }],
    [{ kind: 'actionNotTaken', reference }],
    [{ kind: 'inDoubt', questionId, triggerId: '1.2.3', text, reference }],
    [{ kind: 'actionInDoubt', reference }],
    [{ kind: 'actionNotAllowed', reason: 'guest', reference }],
    [{ kind: 'actionNotChecked', reference }],
    [{ kind: 'queueFull', limit: 1, reference }],
    [{ kind: 'expiredButton', reference }],
    [{ kind: 'formNotOpened', reference }],
    [{ kind: 'notYours', reference }],
  ])('%o shows the reference of its log line', (notice) => {
    expect(shown(notice)).toContain('Reference `e01234567`');
  });

  it.each<[Notice]>([
    [{ kind: 'emptyQuestion' }],
    [{ kind: 'alreadyAskedByYou' }],
    [{ kind: 'edited', questionId, text }],
    [
      {
        kind: 'away',
        questionId,
        message: { channelId: 'C1', ts: '1700000000.000100', threadTs: '1700000000.000001' },
        text,
      },
    ],
  ])('%o, which is none, has no reference', (notice) => {
    expect(shown(notice)).not.toContain('Reference');
  });
});

describe('help', () => {
  it('names the command and the app', () => {
    const message = renderHelp({ commandName: '/deepsearch', ...options });
    expect(slackProblems('chat.postEphemeral', { ...message })).toEqual([]);
    expect(JSON.stringify(message)).toContain('<@U0BOT>');
    expect(JSON.stringify(message)).toContain('/deepsearch help');
  });
});

it('a notice for a mention without text gives the question back in the language of the reader', () => {
  const notice: Notice = { kind: 'notTaken', text: threadQuestion, reference };
  expect(JSON.stringify(renderNotice(notice, { ...options, locale: 'de-DE' }))).toContain('Beantworte, was oben');
  expect(shown(notice)).toContain(threadQuestion);
});

describe('a refusal', () => {
  it.each([
    ['guest', 'Guests', false],
    ['outsider', 'Only members', false],
    ['unknownPerson', 'who you are', false],
    ['unknownChannel', 'who can read this channel', true],
    ['channelTooLarge', 'can name the channel in `OPEN_CHANNELS`', true],
    ['sharedChannel', 'other organizations', true],
    ['guestsInChannel', 'Guests in this channel', true],
    ['channelRefused', 'not turned on', true],
  ] as const)(
    'for the reason %s says why, gives the question back, and offers direct messages only where that helps',
    (reason, why, canAskInDm) => {
      const text = shown({ kind: 'notAllowed', reason, questionId: QUESTION_ID, text: 'Where <is> it?' });
      expect(text).toContain(why);
      expect(text).toContain('the question was not asked');
      expect(text).toContain('Where &lt;is&gt; it?');
      expect(text.includes(ACTIONS.askInDm)).toBe(canAskInDm);
    },
  );

  it.each([
    ['sharedChannel', true],
    ['guestsInChannel', true],
    ['guest', false],
  ] as const)('as %s of an answer offers to show it in the direct messages: %s', (reason, isOffered) => {
    for (const text of ['Where?', threadQuestion]) {
      const said = shown({ kind: 'notAllowed', reason, questionId: QUESTION_ID, text, withheld: 'answer' });
      expect(said).toContain('so the answer is not shown there');
      expect(said.includes(ACTIONS.showInDm)).toBe(isOffered);
      expect(said.includes('I can show it to you')).toBe(isOffered);
      expect(said).not.toContain(ACTIONS.askInDm);
    }
  });
});
