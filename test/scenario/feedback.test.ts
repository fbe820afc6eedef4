import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Vote } from '../../src/core/history/votes.ts';
import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { people, team } from '../../src/local-slack/people.ts';
import type { SlackView } from '../../src/local-slack/views.ts';
import { FORMS } from '../../src/render/ids.ts';
import { readAllVotes } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import { feedbackOf, viewSubmissionOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld, endWorld } = worldOfEachTest();
let data: Awaited<ReturnType<typeof createTempDir>>;

async function begin(settings: Record<string, string> = {}): Promise<void> {
  data = await createTempDir();
  await beginWorld({ settings: { DATA_DIR: data.path, ...settings } });
  service.answerEverything();
}

afterEach(async () => {
  await endWorld();
  await data.remove();
});

/** The stored votes. Stops the app first. */
async function votes(): Promise<Vote[]> {
  await world.stopApp();
  const { log } = createRecordingLog();
  return (await readAllVotes({ dataDir: data.path }, { clock: Date.now, log })).votes;
}

async function answered(question: string): Promise<{ ts: string; last: SlackMessage }> {
  const ts = await world.mention(question);
  return { ts, last: one(await world.answered(ts)) };
}

/** Waits for the form. Until it is ready, the modal may say that it takes a moment. */
function form(): Promise<SlackView> {
  return eventually(async () => {
    const open = await world.modal();
    expect(open.callback_id).toBe(FORMS.feedback);
    return open;
  });
}

describe('a native feedback button', () => {
  beforeEach(() => begin());

  test('stores a positive vote privately and changes nothing that others see', async () => {
    const { last } = await answered('how?');
    const before = JSON.stringify(last);
    await world.feedback('positive', { user: people.bob });
    await eventually(() => expect(world.toldTo(people.bob)).toContain('Your vote is saved.'));
    expect(JSON.stringify(last)).toBe(before);
    expect(await votes()).toEqual([
      expect.objectContaining({ userId: people.bob, verdict: 'up', reasons: [], teamId: team.id }),
    ]);
  });

  test('stores a negative vote at once, opens a form, and adds its reasons when the form is sent', async () => {
    await answered('how?');
    await world.feedback('negative');
    const open = await form();
    await world.submit(open, {
      reasons: ['wrong', 'It is missing a source'],
      comment: '  It is in retry.ts, not here.  ',
    });
    expect(world.slack.openViews).toEqual([]);
    await eventually(() => expect(world.toldTo(people.ada)).toContain('Your vote is saved.'));
    const { id, questions } = one(service.conversations);
    expect(await votes()).toEqual([
      expect.objectContaining({
        verdict: 'down',
        reasons: ['wrong', 'missedSource'],
        comment: 'It is in retry.ts, not here.',
        conversationId: id,
        upstreamQuestionId: one(questions).id,
      }),
    ]);
  });

  test('stores a negative vote without reasons when the form is closed, or cannot be opened any more', async () => {
    await answered('how?');
    await world.feedback('negative');
    await world.closeModal(await form());
    world.slack.expireTriggers();
    await world.feedback('negative', { user: people.bob });
    await eventually(() => expect(world.toldTo(people.bob)).toContain('did not open the form in time'));
    expect((await votes()).map(({ userId, verdict }) => [userId, verdict]).toSorted()).toEqual([
      [people.ada, 'down'],
      [people.bob, 'down'],
    ]);
  });

  test('keeps the reasons when it is pressed again, and replaces the vote when the other one is pressed', async () => {
    await answered('how?');
    await world.feedback('negative');
    await world.submit(await form(), { comment: 'Too short' });
    await world.feedback('negative');
    await world.closeModal(await form());
    await world.feedback('positive', { user: people.bob });
    await world.feedback('negative', { user: people.bob });
    await world.closeModal(await form());
    await world.feedback('positive', { user: people.bob });
    const kept = await votes();
    expect(kept.find(({ userId }) => userId === people.ada)).toMatchObject({ verdict: 'down', comment: 'Too short' });
    expect(kept.filter(({ userId }) => userId === people.bob)).toEqual([expect.objectContaining({ verdict: 'up' })]);
  });

  test('shows German to a German reader', async () => {
    await answered('how?');
    await world.learnLanguage(people.gerd);
    await world.feedback('negative', { user: people.gerd });
    expect(visibleText(await form())).toContain('Was hat nicht gestimmt?');
  });

  test('refuses a guest for both votes, and opens no form', async () => {
    await answered('how?');
    await world.feedback('negative', { user: people.mia });
    await eventually(async () => expect(visibleText(await world.modal())).toContain('nothing was done'));
    expect((await world.modal()).blocks.map(({ type }) => type)).toEqual(['section', 'context']);
    await world.feedback('positive', { user: people.mia });
    await eventually(() => expect(world.toldTo(people.mia)).toContain('nothing was done'));
    expect(await votes()).toEqual([]);
  });

  test('stores no vote from a form that names another question, has too much text, or comes from another person', async () => {
    const { last } = await answered('how?');
    const questionId = /q[0-9a-f]{24}/.exec(JSON.stringify(last.metadata))?.[0] ?? '';
    await world.feedback('negative');
    const open = await form();
    const claims = ['', 'x', 'null', '{}', `${questionId}x`, `q${'0'.repeat(24)}`];
    const send = (user: string, claim: string, reasons = ['wrong'], comment = 'x') => {
      const selected = reasons.map((value) => ({ text: { type: 'plain_text', text: value }, value }));
      const view = world.slack.viewState.payloadOf(open, {
        reasons: { reasons: { type: 'checkboxes', selected_options: selected } },
        comment: { comment: { type: 'plain_text_input', value: comment } },
      });
      return world.deliver(viewSubmissionOf({ user, view: { ...view, private_metadata: claim } }));
    };
    for (const claim of claims) expect((await send(people.bob, claim)).acknowledged).toBe(true);
    const tooLong = await send(people.bob, questionId, [], 'x'.repeat(1_001));
    expect(tooLong.response).toMatchObject({ response_action: 'errors' });
    for (const user of [people.mia, people.olga]) {
      expect((await send(user, questionId)).response).toMatchObject({ response_action: expect.any(String) });
    }
    expect((await send(people.gerd, questionId, ['made up', 'wrong'])).acknowledged).toBe(true);
    for (const value of [`${questionId}:sideways`, questionId, '', 'q:up']) {
      const place = { message: last, responseUrl: world.slack.responseUrl('odd') };
      await world.deliver(feedbackOf({ actionId: 'deepsearch:feedback', user: people.bob, place, value }));
    }
    expect((await votes()).map(({ userId, reasons }) => [userId, reasons]).toSorted()).toEqual([
      [people.ada, []],
      [people.gerd, ['wrong']],
    ]);
  });

  test('appears on the last message only, and in a simpler form where Slack refuses the native one', async () => {
    world.slack.refuseBlocks('context_actions');
    const { last } = await answered('how?');
    expect((last.blocks ?? []).map(({ type }) => type)).not.toContain('context_actions');
    await world.press('Helpful', { user: people.bob });
    await eventually(() => expect(world.toldTo(people.bob)).toContain('Your vote is saved.'));
    expect(await votes()).toHaveLength(1);
  });
});

describe('a plain feedback button', () => {
  beforeEach(() => begin({ MESSAGE_FORMAT: 'mrkdwn' }));

  test('stores the same votes', async () => {
    await answered('how?');
    await world.press('Not helpful');
    await world.submit(await form(), { reasons: ['other'] });
    await world.press('Helpful', { user: people.bob });
    expect((await votes()).map(({ userId, verdict, reasons }) => [userId, verdict, reasons]).toSorted()).toEqual([
      [people.ada, 'down', ['other']],
      [people.bob, 'up', []],
    ]);
  });
});

describe.skipIf(!hasRedisServer())('while nothing can be stored', () => {
  test('a button and a form say that they may not be stored, and the form can be sent again', async () => {
    const redis = await startRedisServer();
    try {
      await begin({ REDIS_URL: redis.url });
      await answered('how?');
      await world.feedback('negative');
      const open = await form();
      redis.pause();
      const refused = await world.submit(open, { comment: 'Too short' });
      expect(JSON.stringify(refused.response)).toContain("I can't tell whether that was taken");
      expect(world.slack.openViews).toHaveLength(1);
      await world.feedback('positive', { user: people.bob });
      await eventually(() => expect(world.toldTo(people.bob)).toMatch(/not taken|can't tell/i));
      redis.resume();
      await eventually(async () => expect((await world.readyz()).status).toBe(200));
      await world.submit(open, { comment: 'Too short' });
      await eventually(() => expect(world.toldTo(people.ada)).toContain('Your vote is saved.'));
      const { log } = createRecordingLog();
      const { votes: kept } = await readAllVotes({ redisUrl: redis.url }, { clock: Date.now, log });
      expect(kept).toContainEqual(expect.objectContaining({ userId: people.ada, comment: 'Too short' }));
    } finally {
      redis.resume();
      await world.stopApp();
      await redis.stop();
    }
  });
});

test('the form of a private answer stores no vote when another person sends it', async () => {
  await begin();
  const ts = await world.direct('how?');
  await world.answered(ts);
  await world.feedback('negative');
  const open = await form();
  await world.submit(open, { comment: 'not yours' }, { user: people.bob });
  expect(await votes()).toEqual([expect.objectContaining({ userId: people.ada, reasons: [] })]);
});
