import { writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Asked, measureAnswers } from './measure.ts';
import { type BenchQuestion, type BenchSource, readQuestions } from './questions.ts';
import { findWrongGold, prepareRepository } from './repository.ts';
import { groupBy, measuresTable, missesTable, spread } from './tables.ts';

// `npm run bench:answers`: asks the embedded code search service the questions in `questions` and measures its answers; see README.md.

const { values } = parseArgs({
  options: {
    part: { type: 'string' },
    repository: { type: 'string' },
    kind: { type: 'string' },
    repositories: { type: 'string' },
    cache: { type: 'string', default: join(tmpdir(), 'deepsearch-bench-answers') },
    misses: { type: 'boolean', default: false },
    print: { type: 'string', default: '0' },
    out: { type: 'string' },
  },
});

const isWanted = ({ part, kind }: BenchQuestion): boolean =>
  (values.part === undefined || part === values.part) && (values.kind === undefined || kind === values.kind);
const sources = readQuestions().filter(
  ({ repository, questions }) =>
    (values.repository === undefined || repository.endsWith(values.repository)) && questions.some(isWanted),
);
if (sources.length === 0) throw new Error('no question has this --part (tune or report), --kind and --repository');
const asked: Asked[] = [];
for (const source of sources) await measureSource(source);

for (const { id, question, title, answer, sources: links } of spread(asked, Number(values.print))) {
  write(`\n---\n\n# ${id}: ${question}\n\n**${title}**\n\n${answer}\n\nSources: ${links.join(', ')}`);
}
const byPart = groupBy(asked, ({ part }) => part);
write(`\nIn parentheses: \`git grep\`.\n\n${measuresTable('part', new Map([...byPart, ['both', asked]]))}`);
for (const [part, scores] of byPart) {
  write(`\n## Kinds of questions, part ${part}\n`);
  write(
    measuresTable(
      'kind',
      groupBy(scores, ({ kind }) => kind),
    ),
  );
}
// The part `report` is only reported: its misses are not shown one by one, so that no one tunes the search to them.
if (values.misses) write(`\n## Misses of the part tune\n\n${missesTable(byPart.get('tune') ?? [])}`);
if (values.out !== undefined) {
  const machine = { node: process.version, processors: cpus().length, load: loadavg() };
  await writeFile(values.out, `${JSON.stringify({ machine, asked }, undefined, 2)}\n`);
  write(`\nWritten to ${values.out}`);
}

async function measureSource(source: BenchSource): Promise<void> {
  const path = prepareRepository(source, values.cache, values.repositories);
  const wrong = findWrongGold(path, source.questions);
  if (wrong.length > 0) throw new Error(`wrong gold places:\n${wrong.join('\n')}`);
  const measured = await measureAnswers({ name: source.repository, path }, source.questions.filter(isWanted));
  asked.push(...measured.asked);
  write(`${source.repository}: ${measured.files} files`);
}

function write(text: string): void {
  process.stdout.write(`${text}\n`);
}
