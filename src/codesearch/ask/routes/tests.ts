import type { IndexedFile } from '../../index/file-index.ts';
import { enclosing } from '../../index/symbols.ts';
import { type Asked, type Draft, pointTo } from '../draft.ts';
import { byUsefulness } from '../investigation.ts';
import { code, count, fileLink, joinWords, shorten } from '../markdown.ts';

/** A case with a title: `test('moors a boat', …`. Others are functions. */
const CASE = /^\s*(?:test|it|describe|context|specify)(?:\.\w+)*\s*\(?\s*(["'`])((?:\\.|(?!\1)[^\\])+)\1/;
/** Of the question's weight, for a passage of a test. */
const LEAST = 0.4;
const MOST_FILES = 3;

/** "Which tests cover X": the files of tests that name it, or that match best, with their cases. Undefined where none does. */
export async function tests({ targets, passages, investigation }: Asked): Promise<Draft | undefined> {
  const [target] = targets.names;
  await investigation.step(target === undefined ? 'Looking for tests' : `Looking for tests that name ${target.name}`);
  const wanted = new Map<IndexedFile, Set<number>>();
  const note = (file: IndexedFile, line: number): void =>
    void wanted.set(file, (wanted.get(file) ?? new Set()).add(line));
  if (target !== undefined) {
    for (const { file, line } of await investigation.usages(target.name, target.definitions))
      if (file.role === 'test') note(file, line);
  }
  const isNamed = wanted.size > 0;
  const base = baseOf(targets.files[0] ?? target?.definitions[0]?.file);
  if (base !== undefined) {
    for (const file of investigation.corpus.index.all()) {
      if (
        file.role === 'test' &&
        baseOf(file)?.replace(/(?:[_.-]?(?:test|spec)s?$)|^(?:test|spec)s?[_.-]?/i, '') === base
      )
        note(file, 1);
    }
  }
  if (wanted.size === 0) {
    for (const { file, signs, keyLines } of passages)
      if (file.role === 'test' && signs.words >= LEAST) for (const line of keyLines) note(file, line);
  }
  const sameName = (file: IndexedFile): number =>
    Number(base !== undefined && baseOf(file)?.toLowerCase().includes(base.toLowerCase()));
  const files = [...wanted.keys()].sort(
    (a, b) =>
      sameName(b) - sameName(a) ||
      (isNamed ? (wanted.get(b)?.size ?? 0) - (wanted.get(a)?.size ?? 0) || byUsefulness(a, b) : 0),
  );
  const [first] = files;
  if (first === undefined) return undefined;
  const pointers = [];
  for (const file of files.slice(0, MOST_FILES)) {
    const cases = casesAt(file, await investigation.lines(file), wanted.get(file) ?? new Set());
    const shown = cases.slice(0, 3).map(({ title }) => code(shorten(title, 60)));
    pointers.push(
      pointTo(file, `${joinWords(shown)}${cases.length > 3 ? ` and ${cases.length - 3} more` : ''}`, cases[0]?.line),
    );
  }
  const isKnown = isNamed || base !== undefined;
  const verb = (many: string, one: string): string => (files.length === 1 ? one : many);
  const what =
    target !== undefined && isNamed
      ? `${verb('name', 'names')} ${code(target.name)}`
      : base === undefined
        ? verb('match', 'matches')
        : `${verb('are', 'is')} about ${code(base)}`;
  return {
    title: target?.name === undefined && base === undefined ? 'Closest tests' : `Tests of ${target?.name ?? base}`,
    sentence: `${isKnown ? '' : `I'm not sure. `}${count(files.length, 'test file')} ${what}, first of all ${fileLink(first)}.`,
    pointers,
    followUps: ['How do I run the tests?', ...(target === undefined ? [] : [`How does \`${target.name}\` work?`])],
    symbols: target === undefined ? [] : [target.name],
    files: [...targets.files, ...files],
  };
}

function baseOf(file: IndexedFile | undefined): string | undefined {
  return file?.path.split('/').at(-1)?.split('.')[0];
}

/** The test cases that contain these lines, without duplicates. */
function casesAt(
  { symbols }: IndexedFile,
  lines: readonly string[],
  wanted: ReadonlySet<number>,
): { line: number; title: string }[] {
  const titled = lines.flatMap((text, at) => {
    const title = CASE.exec(text.slice(0, 300))?.[2];
    return title === undefined ? [] : [{ line: at + 1, title }];
  });
  const functions = symbols.filter(({ kind }) => kind === 'function' || kind === 'method');
  const found = [...wanted]
    .sort((a, b) => a - b)
    .flatMap((line) => {
      if (titled.length > 0) return titled.findLast((each) => each.line <= line) ?? titled.slice(0, 1);
      const around = enclosing(functions, line);
      return around === undefined ? [] : [{ line: around.line, title: around.name }];
    });
  return [...new Map(found.map((each) => [each.line, each])).values()];
}
