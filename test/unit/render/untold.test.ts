import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CardView, UpstreamQuestion } from '../../../src/core/ports.ts';
import { threadQuestion } from '../../../src/core/question/prompt.ts';
import type { Answer, Failure, Question } from '../../../src/core/question/question.ts';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { renderAnswerFile } from '../../../src/render/answer-file.ts';
import { FORMAT_LADDER } from '../../../src/render/blocks.ts';
import { renderCard } from '../../../src/render/card.ts';
import { ACTIONS } from '../../../src/render/ids.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { renderPreview } from '../../../src/render/preview.ts';
import { renderSourcesModal } from '../../../src/render/sources.ts';
import { runs } from '../../support/runs.ts';
import { answered, exampleAnswer, exampleQuestion } from './example.ts';

const markdown = { format: 'markdown' } as const;

/** An answer of a service that tells neither steps nor credits, and only the sources that the answer links to. */
const { steps: _steps, credits: _credits, ...told } = exampleAnswer({ citedOnly: true, followUps: [] });
const untold = (change: Partial<Answer> = {}, question: Partial<Question> = {}): Question =>
  exampleQuestion({ phase: 'delivering', outcome: { kind: 'answered', answer: { ...told, ...change } }, ...question });

function written(question: Question): string {
  return JSON.stringify(renderOutcome(question, markdown));
}

describe('an answer of a service that tells less', () => {
  it.each([
    [undefined, '*Cited* · <https://x.example.com/a.ts|a.ts>', '41 s · *<'],
    ['de-DE', '*Zitiert* · <https://x.example.com/a.ts|a.ts>', '41 s · *<'],
  ])('calls its sources cited, and has neither steps nor credits nor follow-ups: %s', (locale, line, footer) => {
    const message = written(untold({}, locale === undefined ? {} : { locale }));
    expect(message).toContain(line);
    expect(message).toContain(footer);
    expect(message).not.toMatch(/step|Schritt|credit|deepsearch:follow_up/i);
  });

  it('says that it cites nothing, in the message, the modal and the file', () => {
    const none = untold({ sources: [] });
    expect(written(none)).toContain('This answer cites no sources.');
    const modal = JSON.stringify(renderSourcesModal(none, { sources: [], citedOnly: true }, 'de-DE'));
    expect(modal).toContain('Diese Antwort zitiert keine Quellen.');
    expect(renderAnswerFile(none, { ...told, sources: [] })).toContain('This answer cites no sources.');
  });

  it('calls them cited where all are listed', () => {
    const sources = [1, 2, 3, 4].map((at) => ({ url: `https://x.example.com/${at}.ts`, label: `${at}.ts` }));
    expect(written(untold({ sources }))).toContain('All cited (4)');
    expect(renderSourcesModal(untold(), { sources, citedOnly: true }, undefined).title.text).toBe('Cited sources');
    const file = renderAnswerFile(untold(), { ...told, sources });
    expect(file).toContain('## Cited sources (4)');
    expect(file).not.toMatch(/step|credit/);
    const observed: UpstreamQuestion = {
      text: 'q?',
      state: 'completed',
      answer: 'a',
      sources,
      citedOnly: true,
      followUps: [],
    };
    const preview = renderPreview({ questions: [observed] }, 'https://x.example.com/deepsearch/1', undefined);
    expect(JSON.stringify(preview)).toContain('4 cited sources');
  });

  it.each<[CardView, string]>([
    [{ kind: 'answered', durationMs: 41_000, steps: 12 }, '✅ Answered in 41 s · 12 steps'],
    [{ kind: 'answered', durationMs: 41_000 }, '✅ Answered in 41 s'],
    [{ kind: 'answered', durationMs: 41_000, isIncomplete: true }, '⚠️ Answered in part, in 41 s'],
    [{ kind: 'running', elapsedMs: 41_000, steps: 0 }, '⏳ Searching · 41 s'],
  ])('has a card that says only what is known: %j', (view, line) => {
    expect(renderCard(exampleQuestion(), view, { format: 'plain' }).text).toBe(line);
  });
});

describe('an incomplete answer', () => {
  const service: Failure = { cause: 'service', title: 'Internal error', message: 'The search\nstopped.' };

  it.each<[string | undefined, Failure, string, string]>([
    [undefined, service, 'because Deep Search reported: Internal error: The search stopped.', ACTIONS.tryAgain],
    [undefined, { cause: 'service', title: '', message: '' }, 'because Deep Search stopped early.', ACTIONS.tryAgain],
    [undefined, { cause: 'tooLong' }, 'because the conversation has grown too long for Deep Search.', ACTIONS.askNew],
    [undefined, { cause: 'limited' }, 'because Deep Search is limiting requests right now.', ACTIONS.tryAgain],
    [
      'de-DE',
      service,
      'weil Deep Search Folgendes gemeldet hat: Internal error: The search stopped.',
      ACTIONS.tryAgain,
    ],
    ['de-DE', { cause: 'tooLong' }, 'weil die Unterhaltung für Deep Search zu lang geworden ist.', ACTIONS.askNew],
    ['de-DE', { cause: 'limited' }, 'weil Deep Search gerade die Anfragen begrenzt.', ACTIONS.tryAgain],
  ])('says above its text in one line why, and offers what helps: %s %j', (locale, stopped, reason, action) => {
    const question = answered({ stopped }, locale === undefined ? {} : { locale });
    const [message] = renderOutcome(question, markdown);
    const blocks = message?.blocks ?? [];
    const at = blocks.findIndex((block) => block.type === 'section' && block.text?.text.endsWith(reason));
    expect(at).toBe(1);
    expect(blocks[2]?.type).toBe('markdown');
    const rows = blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
    const ids = rows.flatMap((each) => ('action_id' in each ? [each.action_id] : []));
    expect(ids).toEqual(['deepsearch:follow_up:0', 'deepsearch:follow_up:1', action, ACTIONS.followUpMenu]);
    expect(renderOutcome(question, { format: 'plain' })[0]?.text).toContain(reason);
    expect(renderAnswerFile(question, exampleAnswer({ stopped }))).toContain(reason);
  });

  it('has no button where it is shown again, but still says that it is incomplete', () => {
    const shares = { questionId: 'q1', withLink: false, confirmed: [] };
    const message = written(answered({ stopped: service, followUps: [] }, { origin: 'shared', shares }));
    expect(message).toContain('Internal error: The search stopped.');
    expect(message).not.toContain(ACTIONS.tryAgain);
  });

  it('has its button where it is shown to its asker only, unless the question is only about a thread', () => {
    const shares: Question['shares'] = { questionId: 'q1', withLink: true, confirmed: [], withheld: true };
    const direct = { origin: 'shared' as const, shares, place: { teamId: 'T1', channelId: 'D1', threadTs: '1.1' } };
    expect(written(answered({ stopped: service }, direct))).toContain(ACTIONS.tryAgain);
    expect(written(answered({ stopped: service }, { ...direct, text: threadQuestion }))).not.toContain(
      ACTIONS.tryAgain,
    );
  });

  it('keeps Slack’s limits and notifies no one, whatever the service says and however long the answer is', () => {
    const words = fc.oneof(fc.string(), fc.constantFrom('<!channel> *x*', '@here '.repeat(500), '<&>'.repeat(900)));
    const failure = fc.record({
      cause: fc.constantFrom('service', 'tooLong', 'limited'),
      title: words,
      message: words,
    });
    fc.assert(
      fc.property(failure, fc.integer({ min: 1, max: 13_000 }), fc.boolean(), (stopped, length, isDirect) => {
        const place = { teamId: 'T1', channelId: isDirect ? 'D1' : 'C1', threadTs: '1700000000.000100' };
        const question = answered({ stopped, markdown: 'x '.repeat(length / 2) }, { place });
        const counts = FORMAT_LADDER.map((format) => {
          const messages = renderOutcome(question, { format });
          for (const message of messages) {
            expect(slackProblems('chat.postMessage', { ...message })).toEqual([]);
            expect(JSON.stringify(message)).not.toMatch(/<!channel|(?<![\p{L}\p{N}_.+-])@here\b/u);
          }
          return messages.length;
        });
        expect(new Set(counts).size).toBe(1);
      }),
      runs(20),
    );
  });
});
