import { readFile, writeFile } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { eventually } from '../../test/support/eventually.ts';
import { serviceToken, startFakeService } from '../../test/support/fake-service/fake-service.ts';
import { startWorld } from '../../test/support/world/world.ts';

// `npm run way`: asks one question by a mention in a running app and notes by V8's coverage in which files a function runs:
// until the mention is acknowledged, and from then until the answer is posted. Writes both lists into docs/design.md. What runs
// by itself every few seconds is in the lists too when it falls into that time. Types and constants run nothing.

const root = new URL('../../', import.meta.url);
const design = new URL('docs/design.md', root);
const isOurs = /^src\/(?!codesearch\/|local-slack\/|demo\/)/;
const begin = '<!-- way -->\n';
const end = '<!-- end of way -->\n';

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

// The first run of a question begins while its event is still handled. It waits here for the acknowledgement.
const realTimeout = globalThis.setTimeout;
let held: (() => void)[] | undefined;
globalThis.setTimeout = Object.assign(
  <T extends unknown[]>(run: (...given: T) => void, delayMs = 0, ...given: T) => {
    if (held === undefined || delayMs > 1) return realTimeout(run, delayMs, ...given);
    const timer = realTimeout(() => {}, delayMs);
    held.push(() => run(...given));
    return timer;
  },
  { __promisify__: realTimeout.__promisify__ },
);

const service = await startFakeService();
let toAcknowledgement: string[] = [];
const world = await startWorld({
  service: { url: service.url, token: serviceToken },
  onAcknowledged: () => {
    toAcknowledgement = filesRun();
    for (const run of held ?? []) realTimeout(run, 0);
    held = undefined;
  },
});
try {
  // A first question warms the app up, so that what runs once only is not counted. That ends some seconds after its answer.
  await ask('where is the first?');
  await eventually(async () => {
    filesRun();
    await new Promise((resolve) => realTimeout(resolve, 1_000));
    if (filesRun().some((file) => file.startsWith('src/core/lifecycle/'))) throw new Error('the first question runs');
  });
  held = [];
  await ask('where is main?');
  const toAnswer = filesRun().filter((file) => !toAcknowledgement.includes(file));
  await write([
    `Until the acknowledgement, ${toAcknowledgement.length} files:\n`,
    ...list(toAcknowledgement),
    `\nUntil the answer, ${toAnswer.length} more:\n`,
    ...list(toAnswer),
  ]);
  process.stdout.write(`${toAcknowledgement.length} files until the acknowledgement, ${toAnswer.length} more\n`);
} finally {
  await world.stop();
  await service.stop();
}
process.exit();

async function ask(text: string): Promise<void> {
  const threadTs = await world.mention(text);
  const asked = await eventually(() => {
    const [question] = service.find(text);
    if (question === undefined) throw new Error('the question does not arrive');
    return question;
  });
  service.answer(asked);
  await eventually(() => {
    if (world.answersIn(threadTs).length === 0) throw new Error('no answer is posted');
  });
}

/** The files of the app in which a function ran since the last call. */
function filesRun(): string[] {
  let result: Profiler.ScriptCoverage[] = [];
  session.post('Profiler.takePreciseCoverage', (_, taken) => {
    result = taken.result;
  });
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .filter(({ url }) => url.startsWith(root.href))
    .map(({ url }) => fileURLToPath(url).slice(fileURLToPath(root).length))
    .filter((file) => isOurs.test(file))
    .toSorted();
}

/** One line for each folder. */
function list(files: string[]): string[] {
  const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'));
  return [...new Set(files.map(folderOf))].map((folder) => {
    const within = files.filter((file) => folderOf(file) === folder);
    return `- \`${folder}\`: ${within.map((file) => file.slice(folder.length + 1, -'.ts'.length)).join(', ')}`;
  });
}

async function write(lines: string[]): Promise<void> {
  const text = await readFile(design, 'utf8');
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error('docs/design.md has no place for the lists');
  await writeFile(design, `${before}${begin}${lines.join('\n')}\n${end}${after}`);
}
