import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { type AnalyzedFile, analyzeFile } from '../../../src/codesearch/index/analyze-file.ts';
import { createFileAnalyzer } from '../../../src/codesearch/index/file-analyzer.ts';
import { createWorkerCalls, WorkerLimitError } from '../../../src/codesearch/index/worker-calls.ts';
import { runs } from '../../support/runs.ts';
import { createTestRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

/** Parts that a pattern with nested repetitions divides in many ways: each is repeated to fill a line. */
const PARTS = [
  ' ',
  '\t ',
  'a',
  'a ',
  'public ',
  'static a ',
  'a<',
  'a<>(:',
  '>():',
  'a::',
  'a.prototype.',
  'const a=(',
  '(a)=>',
  'a:a=',
  'template <a>class ',
  'extern "a" ',
  '#',
  ' #',
  'a(',
  '*/ ',
  '"a',
  '\\',
];
const STARTS = ['', ' public ', ' a', 'const a: ', ' a<', '# ', "it('", '/*', 'func (', 'type a'];
const ENDS = ['', ';', ';{', '={', '!', '*'];
const EXTENSIONS = [
  'ts',
  'py',
  'go',
  'rs',
  'rb',
  'c',
  'sh',
  'lua',
  'ex',
  'php',
  'sql',
  'proto',
  'tf',
  'md',
  'java',
  'mk',
];

/** Every part with every start, in `npm test` with a third of the ends each, in the storm with every end. */
function hostileLines(length: number): string[] {
  const step = runs(1).numRuns > 1 ? 1 : 3;
  return STARTS.flatMap((start, first) =>
    PARTS.flatMap((part, second) =>
      ENDS.filter((_, third) => (first + second + third) % step === 0).map(
        (end) => `${start}${part.repeat(Math.ceil((length - start.length - end.length) / part.length))}${end}`,
      ),
    ),
  );
}

test('files made to slow down a pattern are analyzed whole, in every language', async () => {
  // The time limit of the analyzer is the assertion: a pattern that needs the square of a line needs minutes for these.
  const text = hostileLines(390).join('\n');
  const files = EXTENSIONS.map((extension) => ({ path: `a.${extension}`, text }));
  const analyzer = createFileAnalyzer(Number.POSITIVE_INFINITY);
  try {
    let count = 0;
    for await (const [, { lineCount }] of analyzer.analyze(files)) {
      expect(lineCount).toBe(text.split('\n').length);
      count += 1;
    }
    expect(count).toBe(EXTENSIONS.length);
  } finally {
    await analyzer.close();
  }
});

test.each([
  ['java', 'one modifier and spaces', ` public ${' '.repeat(390)}`],
  ['java', 'many modifiers', ` ${'public '.repeat(56)}`],
  ['ts', 'brackets without an end', ` a<${'>(:'.repeat(130)};{`],
  ['ts', 'type parameters', ` a ${'<a>(a:'.repeat(60)};{`],
])('a %s file of a megabyte whose lines are %s is analyzed whole', async (extension, _, line) => {
  const text = `${line}\n`.repeat(Math.ceil(1_000_000 / line.length));
  const analyzer = createFileAnalyzer(Number.POSITIVE_INFINITY);
  try {
    for await (const [, { lineCount }] of analyzer.analyze([{ path: `a.${extension}`, text }])) {
      expect(lineCount).toBe(text.split('\n').length);
    }
  } finally {
    await analyzer.close();
  }
});

test('files that take too long together are analyzed one at a time, and only what takes too long alone is cut', async () => {
  const calls = {
    async call(files: { path: string; text: string }[]): Promise<AnalyzedFile[]> {
      if (files.some(({ path }) => path === 'slow.ts')) throw new WorkerLimitError('The work took too long.');
      return Promise.all(files.map(({ path, text }) => analyzeFile(path, text)));
    },
    close: async () => {},
  };
  const files = ['a.ts', 'slow.ts', 'b.ts'].map((path) => ({ path, text: 'export const one = 1;\n' }));
  const seen: unknown[] = [];
  for await (const [{ path }, { symbols }] of createFileAnalyzer(Number.POSITIVE_INFINITY, calls).analyze(files))
    seen.push([path, symbols.length]);
  expect(seen).toEqual([
    ['a.ts', 1],
    ['slow.ts', 0],
    ['b.ts', 1],
  ]);
});

test('a worker that exceeds its time is ended, and the next call has a new one', async () => {
  const worker = createWorkerCalls<{ path: string; text: string }[], AnalyzedFile[]>('file-worker', 1);
  const text = hostileLines(390).join('\n');
  await expect(worker.call([{ path: 'a.ts', text }])).rejects.toThrow(WorkerLimitError);
  await expect(worker.call([{ path: 'a.ts', text }])).rejects.toThrow(WorkerLimitError);
  await worker.close();
});

test('a README made to slow down Markdown holds up no other request, and is shown as text', async () => {
  const repository = createTestRepository({
    'README.md': '*a'.repeat(45_000),
    'docs/README.md': `# Boats\n\n${'Moor. '.repeat(1_000)}`,
  });
  repository.commit('Start');
  const service = await startTestService({ repos: [repository.path] });
  try {
    const page = fetch(`${service.url}/${basename(repository.path)}`);
    // The request before it must have reached the thread; a service that is held up answers after the page.
    const isFirst = await Promise.race([page.then(() => false), fetch(`${service.url}/healthz`).then(() => true)]);
    expect(isFirst).toBe(true);
    expect(await (await page).text()).toContain('<pre>*a*a');
    expect(await (await fetch(`${service.url}/${basename(repository.path)}/-/tree/docs`)).text()).toContain(
      '<h1>Boats</h1>',
    );
  } finally {
    await service.stop();
    repository.remove();
  }
});

test('a page shows the beginning of a long line, and nothing of a file of many megabytes', async () => {
  const repository = createTestRepository({ 'line.ts': 'a'.repeat(3_000_000), 'huge.ts': 'a'.repeat(11_000_000) });
  repository.commit('Start');
  const service = await startTestService({ repos: [repository.path] });
  try {
    const page = async (path: string) =>
      (await fetch(`${service.url}/${basename(repository.path)}/-/blob/${path}`)).text();
    const long = await page('line.ts');
    expect(long).toContain('the last one in part');
    expect(long.length).toBeLessThan(2_100_000);
    expect((await page('huge.ts')).length).toBeLessThan(10_000);
  } finally {
    await service.stop();
    repository.remove();
  }
});

test('a service answers questions and its health about a repository of hostile files', async () => {
  const long = hostileLines(390).join('\n');
  const wide = hostileLines(20_000)
    .filter((_, index) => index % 20 === 0)
    .join('\n');
  const repository = createTestRepository({
    'src/boat.ts': `${long}\n/** Moors a boat. */\nexport function moorBoat() {\n  return 1;\n}\n`,
    'test/boat.test.ts': `${long}\nit('${'\\'.repeat(300)}\ntest('moors', () => moorBoat());\n`,
    'src/wide.ts': `/**\n * Boats${' '.repeat(400_000)}x\n */\nexport class BoatOptions {\n${wide}\n}\n`,
    'README.md': `# Boats\n\n${'['.repeat(10_000)}${'*a '.repeat(20_000)}\n\nBoats moor here.\n`,
    'package.json': `{${'\n'.repeat(400_000)}"description": "Boats"}`,
    'src/readme.md': `${'# '.repeat(2_000)}\n${wide}`,
  });
  const service = await startTestService({ repos: [repository.path] });
  try {
    repository.write('src/later.ts', `${long}\nexport function castOff() {}\n`);
    repository.commit('Cast off');
    const answers = [
      'Where is moorBoat defined?',
      'How does castOff work?',
      'What is this repository about?',
      'Which tests cover moorBoat?',
      'What options are there for boats?',
      'Where is moorBoat used?',
      'Who wrote moorBoat?',
      'What is in src/wide.ts?',
      `difference between ${' '.repeat(3_000)}a and ${' '.repeat(3_000)}b`,
    ].map((question) => service.answer(question));
    for (let round = 0; round < 10; round += 1) expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    for (const { status } of await Promise.all(answers)) expect(status).toBe('completed');
    expect((await answers[0])?.answer).toContain('src/boat.ts');
  } finally {
    await service.stop();
    repository.remove();
  }
});
