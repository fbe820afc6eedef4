import type { IndexedFile } from '../../index/file-index.ts';
import { enclosing } from '../../index/symbols.ts';
import { byUsefulness } from '../investigation.ts';
import { type Draft, type Findings, fileSource } from './draft.ts';
import { bullets, code, count, fence, fileLink, joinWords } from './markdown.ts';
import { shorten } from './surroundings.ts';
import { questionTitle } from './titles.ts';

const CASE =
  /^\s*(?:(?:test|it|describe)(?:\.\w+)*\s*\(\s*(["'`])((?:\\.|(?!\1)[^\\])+)\1|def\s+(test_\w+)|func\s+((?:Test|Benchmark|Example)\w*)|(?:fn|void|fun)\s+`?((?:test|should)[\w ]*)|(?:context|specify)\s+(["'])(.+?)\6)/;

interface TestCase {
  line: number;
  title: string;
}

/** Answers "how is X tested", "which tests cover X"; undefined when no test matches. */
export async function listTests({
  targets,
  passages,
  question,
  words,
  investigation,
}: Findings): Promise<Draft | undefined> {
  const target = targets.names[0];
  const wanted = new Map<IndexedFile, Set<number>>();
  const note = (file: IndexedFile, line: number): void => {
    wanted.set(file, (wanted.get(file) ?? new Set()).add(line));
  };
  await investigation.step(target === undefined ? 'Looking for tests' : `Looking for tests that name ${target.name}`);
  if (target !== undefined) {
    for (const { file, line } of await investigation.usages(target.name, target.definitions))
      if (file.role === 'test') note(file, line);
  }
  const named = wanted.size > 0;
  if (!named) {
    for (const passage of passages) {
      if (passage.file.role !== 'test' || passage.covered < 0.4) continue;
      for (const line of passage.keyLines) note(passage.file, line);
    }
    const own = targets.files[0];
    const base = own?.path.split('/').at(-1)?.split('.')[0];
    if (base !== undefined) {
      for (const file of investigation.corpus.index.all()) {
        if (file.role === 'test' && file.path.split('/').at(-1)?.includes(base)) note(file, 1);
      }
    }
  }
  const files = [...wanted.keys()].sort(
    // Passages are in the order of their score.
    (a, b) => (named ? (wanted.get(b)?.size ?? 0) - (wanted.get(a)?.size ?? 0) || byUsefulness(a, b) : 0),
  );
  const [leading] = files;
  if (leading === undefined) return undefined;
  const items: string[] = [];
  const sources = [];
  let example: string | undefined;
  for (const file of files.slice(0, 8)) {
    const lines = await investigation.lines(file);
    const cases = casesAt(file, lines, wanted.get(file) ?? new Set());
    const first = cases[0];
    const shown = cases.slice(0, 4).map(({ title }) => code(shorten(title, 80)));
    items.push(
      `${fileLink(file, first?.line)}${shown.length === 0 ? '' : `: ${joinWords(shown)}${cases.length > 4 ? ` and ${cases.length - 4} more` : ''}`}`,
    );
    sources.push(fileSource(file, first?.line));
    if (example === undefined && first !== undefined) {
      const own = lines.slice(first.line - 1, first.line + 15);
      const close = own.findIndex((line) => /^\s{0,4}\}?\)?;?\s*$/.test(line) && line.trim() !== '');
      const shownLines = close < 0 ? own : own.slice(0, close + 1);
      example = `From ${fileLink(file, first.line, first.line + shownLines.length - 1)}:\n\n${fence(shownLines, file.path)}`;
    }
  }
  // Not the word "tests".
  const subjects = new Set(question.subjects.filter(({ weight }) => weight >= 0.3).map(({ word }) => word));
  const asked = words.filter(({ word, terms }) => terms.size > 0 && subjects.has(word)).map(({ word }) => code(word));
  const what = target !== undefined && named ? code(target.name) : joinWords(asked.slice(0, 4)) || 'this';
  const sections = [
    `${count(files.length, 'test file', 'test files')} ${files.length === 1 ? 'has' : 'have'} to do with ${what}; the first is ${fileLink(leading)}.`,
    bullets(items),
    ...(example === undefined ? [] : [example]),
  ];
  return {
    title: questionTitle(question, target?.name),
    sections,
    sources,
    followUps: [
      ...(target === undefined ? [] : [`How does \`${target.name}\` work?`, `Where is \`${target.name}\` used?`]),
      ...files.slice(0, 1).map((file) => `When was \`${file.path}\` last changed?`),
    ],
    symbols: target === undefined ? [] : [target.name],
    files: [...targets.files, ...files],
  };
}

/** The test cases that contain these lines, or else the functions around them, without duplicates. */
function casesAt(
  { symbols }: Pick<IndexedFile, 'symbols'>,
  lines: readonly string[],
  wanted: ReadonlySet<number>,
): TestCase[] {
  const cases = lines.flatMap((text, index): TestCase[] => {
    const match = CASE.exec(text);
    const title = match?.[2] ?? match?.[3] ?? match?.[4] ?? match?.[5] ?? match?.[7];
    return title === undefined ? [] : [{ line: index + 1, title }];
  });
  const functions = symbols.filter(({ kind }) => kind === 'function' || kind === 'method');
  const found = new Map<number, TestCase>();
  for (const line of [...wanted].sort((a, b) => a - b)) {
    const around = cases.length > 0 ? undefined : enclosing(functions, line);
    const own =
      around === undefined
        ? cases.findLast((candidate) => candidate.line <= line)
        : { line: around.line, title: around.name };
    if (own !== undefined) found.set(own.line, own);
  }
  return [...found.values()];
}
