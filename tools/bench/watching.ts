import { z } from 'zod';
import type { StorageLocation } from '../../src/storage/open-storage.ts';
import { appSettings, type FakeServers, firstJson, kill, runBench, type Store } from './children.ts';
import { forgetWatched, seed, watched } from './open-questions.ts';
import { mean, percentile, round } from './statistics.ts';

/** Until every question was seen once. */
const settleMs = 20_000;
const measuredMs = 40_000;

export interface WatchingRow {
  store: string;
  processes: number;
  /** Questions at the beginning. They end one after the other. */
  questions: number;
  /** Those that ended in the measured time. */
  ended: number;
  /** From the end at the service until the app stored it, before anything is posted in Slack. */
  delayMeanMs: number;
  delayP95Ms: number;
  delayMaxMs: number;
  readsPerSecond: number;
  listsPerSecond: number;
}

const pairs = z.array(z.tuple([z.number(), z.number()]));

/** Measures how late the app sees the ends of many questions at the same time, and what the service is asked for that. */
export async function measureWatching(setup: {
  fakeServers: FakeServers;
  store: Store;
  location: StorageLocation;
  questions: number;
  processes: number;
}): Promise<WatchingRow> {
  const { fakeServers, store, location, questions, processes } = setup;
  const { deskUrl } = fakeServers;
  await (await fetch(`${deskUrl}/answers`, { method: 'POST' })).text();
  await seed(location, fakeServers, questions, 0);
  const settings = { SETTLE_MS: String(settleMs), MEASURED_MS: String(measuredMs), ENDS: 'yes' };
  const runs = Array.from({ length: processes }, () =>
    runBench('watching-process.ts', [JSON.stringify(location)], { ...appSettings(fakeServers, store), ...settings }),
  );
  await Promise.all(runs.map((run) => firstJson(run, 'measuring')));
  await forgetWatched(fakeServers);
  const fromMs = Date.now();
  const seen = await Promise.all(
    runs.map(async (run) => z.object({ ended: pairs }).parse(await firstJson(run, 'ends')).ended),
  );
  const { reads, lists } = await watched(fakeServers);
  const seconds = (Date.now() - fromMs) / 1_000;
  await Promise.all(runs.map(kill));
  const answeredMs = new Map(pairs.parse(await (await fetch(`${deskUrl}/answers`)).json()));
  const delays = seen
    .flat()
    .filter(([id, endedMs]) => endedMs >= fromMs && (answeredMs.get(id) ?? 0) >= fromMs - 1_000)
    .map(([id, endedMs]) => endedMs - (answeredMs.get(id) ?? endedMs));
  return {
    store: store.name,
    processes,
    questions,
    ended: delays.length,
    delayMeanMs: round(mean(delays), 0),
    delayP95Ms: round(percentile(delays, 0.95), 0),
    delayMaxMs: Math.max(...delays),
    readsPerSecond: round(reads / seconds),
    listsPerSecond: round(lists / seconds),
  };
}
