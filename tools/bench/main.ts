import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { StorageLocation } from '../../src/storage/open-storage.ts';
import { buildPrograms } from '../../test/support/processes/built-programs.ts';
import { hasRedisServer, startRedisServer } from '../../test/support/processes/redis-server.ts';
import { createTempDir } from '../../test/support/processes/temp-dir.ts';
import { type AcknowledgementRow, measureAcknowledgement, type Traffic } from './acknowledgement.ts';
import { appSettings, kill, type Store, startApp, startBareBolt, startFakeServers } from './children.ts';
import { type CrowdRow, measureCrowd } from './crowds.ts';
import { measureDemoStart } from './demo-start.ts';
import { measureFrozenRedis } from './frozen-redis.ts';
import { measureHostileInputs } from './hostile-inputs.ts';
import { measureLargeRepository } from './large-repository.ts';
import { measureOpenQuestions, type OpenQuestionsRow } from './open-questions.ts';
import { measureSoak, type SoakRow } from './soak.ts';
import { measureStoredSize, type StoredSizeRow } from './stored-size.ts';
import { measureWatching, type WatchingRow } from './watching.ts';

// `npm run bench [-- --out <file>] [--questions <n>] [--only <part>]`: runs the measurements, prints tables and writes the
// results as JSON. Takes about 15 minutes; use an idle machine. Parts: acknowledgements, watching, openQuestions, crowds,
// storedSize, hostileInputs, largeRepository, frozenRedis, demoStart. Only with `--only soak [--minutes <n>]`: the soak,
// which takes as long as it is told (60 minutes), and up to 22 minutes more.

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(tmpdir(), 'deepsearch-bench.json') },
    questions: { type: 'string', default: '2000' },
    only: { type: 'string' },
    minutes: { type: 'string', default: '60' },
  },
});
const questions = Number(values.questions);
const isWanted = (part: string): boolean => values.only === undefined || values.only === part;
const traffics: Traffic[] = ['one question in ten', 'questions only'];

interface OpenedStore {
  store: Store;
  location: StorageLocation;
  close(): Promise<void>;
}

const loadBefore = loadavg();
const programs = await buildPrograms();
const mainFile = join(programs.dist, 'main.js');
try {
  const acknowledgements = isWanted('acknowledgements') ? await measureAcknowledgements() : [];
  const openQuestions: OpenQuestionsRow[] = [];
  if (isWanted('openQuestions')) {
    for (const open of stores()) {
      const row = await withStore(open, measureStoreOpenQuestions);
      openQuestions.push(row);
      // A run with many questions takes long: a later failure must not lose this row.
      process.stderr.write(`${JSON.stringify(row)}\n`);
    }
  }
  const watching: WatchingRow[] = [];
  if (isWanted('watching')) {
    for (const open of stores()) {
      for (const processes of open === openRedis ? [1, 2] : [1]) {
        watching.push(await withStore(open, (opened) => measureStoreWatching(opened, processes)));
      }
    }
  }
  const crowds: CrowdRow[] = [];
  if (isWanted('crowds')) {
    for (const open of stores()) {
      for (const [mentions, channels, answeredAfterMs] of [
        [50, 1, 20_000],
        [200, 10, 60_000],
      ] as const) {
        const size = { mentions, channels, answeredAfterMs };
        crowds.push(await withStore(open, ({ store }) => measureStoreCrowd(store, size)));
      }
    }
  }
  const storedSize: StoredSizeRow[] = [];
  if (isWanted('storedSize')) {
    for (const open of stores()) {
      storedSize.push(...(await withStore(open, ({ store, location }) => measureStoredSize(store.name, location))));
    }
  }

  const hostileInputs = isWanted('hostileInputs') ? measureHostileInputs() : [];
  const largeRepository = isWanted('largeRepository') ? await measureLargeRepository(5_000) : [];
  const frozenRedis = isWanted('frozenRedis') && hasRedisServer() ? await measureFrozenRedis() : [];
  const isSoak = values.only === 'soak' && hasRedisServer();
  const soak = isSoak
    ? [await withStore(openRedis, ({ store }) => measureStoreSoak(store, Number(values.minutes)))]
    : [];
  const demoStart = isWanted('demoStart') ? await measureDemoStart() : [];

  const machine = {
    node: process.version,
    processors: cpus().length,
    model: cpus()[0]?.model ?? '',
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    loadBefore,
    loadAfter: loadavg(),
  };
  const report = {
    ...{ machine, acknowledgements, watching, openQuestions, crowds, storedSize },
    ...{ hostileInputs, largeRepository, frozenRedis, demoStart, soak },
  };
  await writeFile(values.out, `${JSON.stringify(report, undefined, 2)}\n`);
  print('Machine', [machine]);
  print('Time from delivery to acknowledgement (signed HTTP, real sockets)', acknowledgements);
  print(`Delay until the app stores an answer, of ${questions} questions that end one after the other`, watching);
  print(`${questions} open questions in one process`, openQuestions);
  print('Mentions at once, whose answers come at once', crowds);
  print('Size per 1,000 questions', storedSize);
  print('Texts made to take long', hostileInputs);
  print('The embedded code search service on a large repository', largeRepository);
  print('Calls while Redis is frozen', frozenRedis);
  print('Start of the demo', demoStart);
  print('One question each second on Redis with two copies', soak);
  process.stdout.write(`\nWritten to ${values.out}\n`);
} finally {
  await programs.remove();
}

function stores(): (() => Promise<OpenedStore>)[] {
  return hasRedisServer() ? [openEmbedded, openRedis] : [openEmbedded];
}

async function openEmbedded(): Promise<OpenedStore> {
  const folder = await createTempDir();
  return {
    store: { name: 'embedded', settings: { DATA_DIR: folder.path } },
    location: { dataDir: folder.path },
    close: folder.remove,
  };
}

async function openRedis(): Promise<OpenedStore> {
  const folder = await createTempDir();
  const redis = await startRedisServer(['--appendonly', 'yes', '--dir', folder.path]);
  return {
    store: { name: 'Redis', settings: { REDIS_URL: redis.url } },
    location: { redisUrl: redis.url },
    close: async () => {
      await redis.stop();
      await folder.remove();
    },
  };
}

async function withStore<Result>(
  open: () => Promise<OpenedStore>,
  measure: (opened: OpenedStore) => Promise<Result>,
): Promise<Result> {
  const opened = await open();
  try {
    return await measure(opened);
  } finally {
    await opened.close();
  }
}

async function measureAcknowledgements(): Promise<AcknowledgementRow[]> {
  const rows: AcknowledgementRow[] = [];
  for (const traffic of traffics) {
    rows.push(await measureBareAcknowledgement(traffic));
    for (const open of stores()) {
      rows.push(await withStore(open, (opened) => measureStoreAcknowledgement(opened, traffic)));
    }
  }
  return rows;
}

async function measureBareAcknowledgement(traffic: Traffic): Promise<AcknowledgementRow> {
  const fakeServers = await startFakeServers();
  const bare = await startBareBolt();
  try {
    return await measureAcknowledgement({ target: 'bare Bolt', url: bare.url, fakeServers }, traffic);
  } finally {
    await kill(bare.run);
    await fakeServers.stop();
  }
}

async function measureStoreAcknowledgement({ store }: OpenedStore, traffic: Traffic): Promise<AcknowledgementRow> {
  const fakeServers = await startFakeServers();
  const app = await startApp(mainFile, appSettings(fakeServers, store));
  try {
    return await measureAcknowledgement({ target: `the app, ${store.name}`, url: app.url, fakeServers }, traffic);
  } finally {
    await kill(app.run);
    await fakeServers.stop();
  }
}

async function measureStoreOpenQuestions({ store, location }: OpenedStore): Promise<OpenQuestionsRow> {
  const fakeServers = await startFakeServers();
  try {
    return await measureOpenQuestions({ mainFile, fakeServers, store, location, questions });
  } finally {
    await fakeServers.stop();
  }
}

async function measureStoreWatching({ store, location }: OpenedStore, processes: number): Promise<WatchingRow> {
  const fakeServers = await startFakeServers();
  try {
    return await measureWatching({ fakeServers, store, location, questions, processes });
  } finally {
    await fakeServers.stop();
  }
}

async function measureStoreCrowd(
  store: Store,
  size: { mentions: number; channels: number; answeredAfterMs: number },
): Promise<CrowdRow> {
  const fakeServers = await startFakeServers();
  try {
    return await measureCrowd({ mainFile, fakeServers, store, ...size });
  } finally {
    await fakeServers.stop();
  }
}

async function measureStoreSoak(store: Store, minutes: number): Promise<SoakRow> {
  const fakeServers = await startFakeServers();
  try {
    return await measureSoak({ mainFile, fakeServers, store, minutes });
  } finally {
    await fakeServers.stop();
  }
}

/** Prints a table with one column per field. */
function print(title: string, rows: readonly object[]): void {
  if (rows.length === 0) return;
  const names = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) =>
    Object.values(row).map((value) =>
      Array.isArray(value) ? value.map((item: number) => item.toFixed(2)).join(' ') : String(value),
    ),
  );
  const widths = names.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  process.stdout.write(`\n${title}\n${[names, ...cells].map(line).join('\n')}\n`);
}
