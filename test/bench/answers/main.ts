import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Asked, measureAnswers } from './measure.ts';
import { createPackageRepository, findWrongGold } from './package-repository.ts';
import { type BenchPackage, type BenchQuestion, readQuestions } from './questions.ts';
import { groupBy, measuresTable, missesTable, spread } from './tables.ts';

// `npm run bench:answers -- [--part tune|report] [--package <name>] [--print <n>] [--out <file>] [--cache <folder>]`: asks the
// embedded code search service the questions of the folder `questions` and measures its answers. README.md says how.

const { values } = parseArgs({
  options: {
    part: { type: 'string' },
    package: { type: 'string' },
    print: { type: 'string', default: '0' },
    out: { type: 'string' },
    cache: { type: 'string', default: join(tmpdir(), 'deepsearch-bench-answers') },
  },
});

const packages = readQuestions().filter((source) => values.package === undefined || source.package === values.package);
const isWanted = ({ part }: BenchQuestion): boolean => values.part === undefined || part === values.part;
if (!packages.some(({ questions }) => questions.some(isWanted))) {
  throw new Error('no question has this --part (tune or report) and --package');
}
const loadBefore = loadavg();
const asked: Asked[] = [];
const prepared: { package: string; version: string | undefined; files: number; readyMs: number }[] = [];
for (const source of packages) await measurePackage(source);

for (const one of spread(asked, Number(values.print))) {
  write(
    `\n---\n\n# ${one.id}: ${one.question}\n\n**${one.title}**\n\n${one.answer}\n\nSources: ${one.sources.join(', ')}`,
  );
}
write('\n## Packages\n');
for (const { package: name, version, files, readyMs } of prepared) {
  write(`- ${name} ${version}: ${files} files, ready after ${Math.round(readyMs)} ms`);
}
const byPart = groupBy(asked, ({ part }) => part);
write(`\nIn parentheses: \`git grep\`.\n\n${measuresTable('part', new Map([...byPart, ['both', asked]]))}`);
for (const [part, scores] of byPart) {
  const byPackage = groupBy(scores, (one) => one.package);
  write(`\n## Packages, part ${part}\n\n${measuresTable('package', byPackage)}`);
}
write(
  `\n## Kinds of questions\n\n${measuresTable(
    'kind',
    groupBy(asked, ({ kind }) => kind),
  )}`,
);
// The part `report` is only reported: its misses are not shown one by one, so that no one tunes the search to them.
const tune = byPart.get('tune');
if (tune !== undefined) write(`\n## Misses of the part tune\n\n${missesTable(tune)}`);
if (values.out !== undefined) {
  const machine = { node: process.version, processors: cpus().length, loadBefore, loadAfter: loadavg() };
  await writeFile(values.out, `${JSON.stringify({ machine, prepared, asked }, undefined, 2)}\n`);
  write(`\nWritten to ${values.out}`);
}

async function measurePackage(source: BenchPackage): Promise<void> {
  const { path, commits, remove } = createPackageRepository(source, values.cache);
  try {
    const wrong = findWrongGold(path, source.questions);
    if (wrong.length > 0) throw new Error(`wrong gold places:\n${wrong.join('\n')}`);
    const repository = { name: source.package, path, commits };
    const measured = await measureAnswers(repository, source.questions.filter(isWanted));
    const { files, readyMs } = measured;
    asked.push(...measured.asked);
    prepared.push({ package: source.package, version: source.history.at(-1)?.version, files, readyMs });
  } finally {
    remove();
  }
}

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}
