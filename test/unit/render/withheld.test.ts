import { describe, expect, it, test } from 'vitest';
import { threadQuestion } from '../../../src/core/question/prompt.ts';
import type { FailureCause, Question } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { renderCard } from '../../../src/render/card.ts';
import { renderHistory, renderHome } from '../../../src/render/home.ts';
import { ACTIONS } from '../../../src/render/ids.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { one } from '../../support/one.ts';
import { answered, ended, exampleQuestion, QUESTION_ID } from './example.ts';

const question = ended({ kind: 'notAllowed', reason: 'guestsInChannel' });
const overview = { open: [], ended: [{ question, view: { kind: 'notAllowed' as const } }] };

test.each([
  ['en-US', 'not shown there; I told you why', 'could not be posted'],
  ['de-DE', 'dort nicht gezeigt; ich habe dir gesagt, warum', 'nicht gepostet werden'],
])('the Home tab and the history in %s say that an answer was withheld, not that it failed', (locale, said, other) => {
  const options = { locale, workspaceUrl: 'https://acme.slack.com/', botUserId: 'U0BOT' };
  const home = JSON.stringify(renderHome({ kind: 'shown', overview, service: 'fine' }, options));
  const history = JSON.stringify(renderHistory({ overview }, options));
  for (const shown of [home, history]) {
    expect(shown).toContain(said);
    expect(shown).not.toContain(other);
  }
});

describe('a withheld answer in the direct messages of its asker', () => {
  const shares = {
    questionId: QUESTION_ID,
    withLink: true,
    confirmed: [],
    withheld: true as const,
  };
  const showing = { shares, origin: 'shared' as const };
  const options = { format: 'mrkdwn' } as const;

  function failed(cause: FailureCause, changes: Partial<Question> = {}): string {
    const message = one(
      renderOutcome(ended({ kind: 'failed', failure: { cause } }, { ...showing, ...changes }), options),
    );
    expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
    return JSON.stringify(message);
  }

  it('mentions them, and its card says that they asked', () => {
    const card = JSON.stringify(renderCard(exampleQuestion(showing), { kind: 'shared' }, options));
    expect(card).toContain('<@U0ASKER> asked:');
    expect(card).not.toContain('shared an answer');
    expect(JSON.stringify(renderOutcome(answered({}, showing), options))).toContain('<@U0ASKER>');
  });

  it.each<[FailureCause, string]>([
    ['unauthorized', ACTIONS.showInDm],
    ['unreachable', ACTIONS.showInDm],
    ['limited', ACTIONS.showInDm],
    ['internal', ACTIONS.showInDm],
    ['service', ACTIONS.tryAgain],
    ['gone', ACTIONS.askNew],
  ])('that could not be read (%s) offers %s', (cause, action) => {
    const shown = failed(cause);
    expect(shown.match(/deepsearch:[a-z_]+"/g)).toContain(`${action}"`);
    expect(shown).not.toContain(`${ACTIONS.share}"`);
  });

  it('that is gone says so, and offers to ask again unless its thread was the question', () => {
    expect(failed('gone')).toContain('This answer is no longer in Deep Search.');
    expect(failed('gone', { locale: 'de-DE' })).toContain('gibt es in Deep Search nicht mehr');
    expect(failed('gone', { text: threadQuestion })).not.toContain('"button"');
  });
});
