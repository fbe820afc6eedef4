import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDurations } from '../../src/core/history/lists.ts';
import { otherTeamId, people, team } from '../../src/local-slack/people.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceQuestion } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld, endWorld } = worldOfEachTest();
let data: Awaited<ReturnType<typeof createTempDir>>;

const patient = { timeoutMs: 45_000 };

beforeEach(async () => {
  data = await createTempDir();
  await beginWorld({ settings: { DATA_DIR: data.path } });
  await world.stopApp();
});

afterEach(async () => {
  await endWorld();
  await data.remove();
});

/** Stores a history of durations directly, because Slack's limits would make ten real answers slow. */
async function begin(tookMs: number[], teamId = team.id): Promise<void> {
  const { log } = createRecordingLog();
  const storage = await openStorage({ dataDir: data.path }, { clock: Date.now, log });
  const durations = createDurations(storage.durations);
  for (const [index, durationMs] of tookMs.entries()) await durations.note(teamId, `past${index}`, durationMs);
  await storage.close();
  await world.startApp();
}

function took(durationMs: number): Record<string, number> {
  return { time_millis: durationMs, tool_calls: 1, credits: 1 };
}

async function closed(ts: string): Promise<void> {
  await eventually(() => expect(card(ts)).toMatch(/Answered in|Beantwortet in/), patient);
}

function asked(text: string): Promise<ServiceQuestion> {
  return eventually(() => one(service.find(text)), patient);
}

function card(ts: string): string {
  return visibleText(world.card(ts) ?? { text: '' });
}

async function running(question: string, user = people.ada): Promise<{ ts: string; asked: ServiceQuestion }> {
  const ts = await world.mention(question, { user });
  const found = await asked(question);
  service.step(found, 'Reading');
  await eventually(() => expect(card(ts)).toContain('Reading'), patient);
  return { ts, asked: found };
}

test('a card shows the usual time from the tenth answer on, also after a restart', async () => {
  await begin([20_000, 25_000, 30_000, 35_000, 40_000, 45_000, 50_000, 55_000, 60_000]);
  const early = await running('with nine?');
  expect(card(early.ts)).not.toContain('usually');
  service.answer(early.asked, { stats: took(90_000) });
  await closed(early.ts);

  const tenth = await running('with ten?');
  expect(card(tenth.ts)).toContain('usually 30 to 55 s');
  await world.learnLanguage(people.gerd);
  const german = await running('mit zehn?', people.gerd);
  expect(card(german.ts)).toContain('meist 30 bis 55 s');
  await world.restart();
  service.step(tenth.asked, 'Reading on');
  await eventually(() => expect(card(tenth.ts)).toContain('Reading on'), patient);
  expect(card(tenth.ts)).toContain('usually 30 to 55 s');
  expect(card(tenth.ts)).not.toContain('longer than usual');
  service.answer(tenth.asked);
  service.answer(german.asked);
  for (const { ts } of [tenth, german]) {
    await closed(ts);
    expect(card(ts)).not.toMatch(/usually|meist/);
  }
});

test('a card says when a question takes longer than nine in ten others', async () => {
  await begin(Array.from({ length: 10 }, () => 400));
  const slow = await running('slow?');
  await eventually(() => expect(card(slow.ts)).toContain('taking longer than usual'), patient);
  expect(card(slow.ts)).not.toContain('usually');
  service.answer(slow.asked);
  await closed(slow.ts);
  expect(card(slow.ts)).not.toContain('usual');
});

test('a card shows no usual time of another workspace', async () => {
  await begin(
    Array.from({ length: 50 }, () => 400),
    otherTeamId,
  );
  const first = await running('first?');
  expect(card(first.ts)).not.toContain('usual');
});
