import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Failure } from '../../../src/core/question/question.ts';
import { team } from '../../../src/local-slack/people.ts';
import { renderOutcome } from '../../../src/render/outcome.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { WorkspaceContext } from '../../../src/slack/context.ts';
import { createAnswerUpdates } from '../../../src/slack/messages/answer-updates.ts';
import { eventually } from '../../support/eventually.ts';
import { type FakeSlack, startFakeSlack } from '../../support/fake-slack/fake-slack.ts';
import { createUnlimitedSlackApi } from '../../support/fake-slack/unlimited-slack-api.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { answered, exampleAnswer } from '../render/example.ts';

let slack: FakeSlack;

beforeEach(async () => {
  slack = await startFakeSlack();
});
afterEach(async () => {
  expect(slack.violations).toEqual([]);
  await slack.stop();
});

/** A posted answer, and the code that updates it. */
async function standing(options: { recalls?: (() => void)[]; markdown?: string; stopped?: Failure } = {}) {
  const priorities: string[] = [];
  const { log } = createRecordingLog();
  const tasks = createBackgroundTasks({ log });
  const client = createWebClient(team.botToken, webClientOptions(slack.url, createLibraryLogger(log)));
  const root = slack.say('C0GENERAL', 'U0ADA', 'root');
  const stopped = options.stopped === undefined ? {} : { stopped: options.stopped };
  let question = answered(stopped, { place: { teamId: team.id, channelId: 'C0GENERAL', threadTs: root } });
  const [message] = renderOutcome(question, { format: 'markdown' });
  const posted = await client.chat.postMessage({
    channel: 'C0GENERAL',
    thread_ts: root,
    unfurl_links: false,
    unfurl_media: false,
    text: message?.text ?? '',
    blocks: message?.blocks ?? [],
  });
  const { markdown, ...answer } = exampleAnswer(stopped);
  question = {
    ...question,
    phase: 'closed',
    delivery: { round: 0, posted: [posted.ts ?? ''] },
    upstream: { ...question.upstream, conversationId: 7, questionId: 1 },
    outcome: { kind: 'answered', answer: { ...answer, markdown: '' } },
  };
  const { text } = question;
  const recalls = options.recalls ?? [];
  const answerUpdates = createAnswerUpdates(
    only<WorkspaceContext>({
      slack: createUnlimitedSlackApi(client, undefined, (_method, { priority }) => void priorities.push(priority)),
      format: 'markdown',
      questions: only({
        get: async () => question,
        update: async (_id, change) => {
          question = change(question) ?? question;
          return question;
        },
      }),
      deepSearch: () =>
        only({
          read: async () => {
            recalls.shift()?.();
            const read = { text, answer: options.markdown ?? markdown, sources: [], followUps: [] };
            return { id: 7, questions: [{ ...read, id: 1, state: 'completed' }] };
          },
        }),
      access: only({
        admit: async () => ({ may: true }),
      }),
      tasks,
      now: Date.now,
    }),
  );
  const shown = (): string => JSON.stringify(slack.messages.at(-1)?.blocks);
  return {
    answerUpdates,
    tasks,
    shown,
    priorities,
    question,
    id: question.id,
    edits: () => slack.messages.at(-1)?.edits,
  };
}

describe('an update of an answer', () => {
  it('shows all follow-ups that were asked, however close together', async () => {
    const { answerUpdates, tasks, shown, id } = await standing();
    answerUpdates.followUpUsed(id, 0, 'U0ADA');
    answerUpdates.followUpUsed(id, 1, 'U0BOB');
    await tasks.drain(5_000);
    expect(shown()).toContain('<@U0ADA> asked:');
    expect(shown()).toContain('<@U0BOB> asked:');
    expect(shown()).not.toContain('overflow');
  });

  it('replaces the button of an incomplete answer by the person who used it, once, and keeps it away', async () => {
    const { answerUpdates, tasks, shown, question, id, edits } = await standing({ stopped: { cause: 'tooLong' } });
    expect(shown()).toContain('deepsearch:ask_new');
    answerUpdates.endUsed(question, 'any', 'U0BOB');
    answerUpdates.endUsed(question, 'any', 'U0ADA');
    await tasks.drain(5_000);
    expect(shown()).not.toContain('deepsearch:ask_new');
    expect(shown()).toContain('<@U0BOB> asked again.');
    expect(edits()).toBe(1);
    const later = await standing({ stopped: { cause: 'tooLong' } });
    later.answerUpdates.endUsed(later.question, 'any', 'U0BOB');
    later.answerUpdates.followUpUsed(id, 0, 'U0ADA');
    await later.tasks.drain(5_000);
    expect(later.shown()).not.toContain('deepsearch:ask_new');
    expect(later.shown()).toContain('<@U0ADA> asked:');
  });

  it('adds "Only when mentioned" to the menu of the newest answer, once', async () => {
    const { answerUpdates, tasks, shown, id, edits } = await standing();
    answerUpdates.muteOffered([]);
    answerUpdates.muteOffered(['qearlier', id]);
    answerUpdates.muteOffered([id]);
    await tasks.drain(5_000);
    expect(shown()).toContain('Only when mentioned');
    expect(edits()).toBe(1);
  });

  it('is retried when Slack or the service is not reachable for a moment', async () => {
    const away = (): never => {
      throw new AppError('unavailable', 'away', { retryAfterMs: 10 });
    };
    const { answerUpdates, shown, id } = await standing({ recalls: [away, away] });
    answerUpdates.followUpUsed(id, 0, 'U0ADA');
    await eventually(() => expect(shown()).toContain('<@U0ADA> asked:'));
  });

  it('is made once, however often a follow-up is pressed, and lets urgent calls pass', async () => {
    const recalled: string[] = [];
    const { answerUpdates, tasks, priorities, id, edits } = await standing({
      recalls: Array.from({ length: 6 }, () => () => void recalled.push('once more')),
    });
    for (let times = 0; times < 6; times += 1) answerUpdates.followUpUsed(id, 0, 'U0ADA');
    await tasks.drain(5_000);
    expect(edits()).toBe(1);
    expect(recalled).toHaveLength(1);
    expect(priorities).toEqual(['edit']);
  });

  it('uses a simpler format where Slack refuses the first', async () => {
    const { answerUpdates, tasks, shown, id } = await standing();
    slack.refuseBlocks('markdown');
    answerUpdates.followUpUsed(id, 0, 'U0ADA');
    await tasks.drain(5_000);
    expect(shown()).toContain('<@U0ADA> asked:');
  });

  it('does not touch an answer whose text is different now', async () => {
    const { answerUpdates, tasks, edits, id } = await standing({ markdown: 'longer '.repeat(4_000) });
    answerUpdates.followUpUsed(id, 0, 'U0ADA');
    await tasks.drain(5_000);
    expect(edits()).toBe(0);
  });

  it('is dropped where Slack will never accept it, and the next one follows', async () => {
    const { answerUpdates, tasks, shown, id } = await standing();
    slack.fault('chat.update', { error: 'edit_window_closed' });
    answerUpdates.followUpUsed(id, 0, 'U0ADA');
    answerUpdates.followUpUsed(id, 1, 'U0BOB');
    await tasks.drain(5_000);
    expect(shown()).toContain('<@U0BOB> asked:');
  });
});
