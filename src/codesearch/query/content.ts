import { languageOfFile } from '../git/languages.ts';
import type { TrackedFile } from '../git/repository.ts';
import type { IndexView } from '../index/file-index.ts';
import type { TrigramFilter } from '../index/trigrams.ts';
import { LIMITS } from '../limits.ts';
import { type Place, readTexts, selectFiles } from './files.ts';
import type { Pattern } from './pattern.ts';
import type { PlannedBranch } from './plan.ts';
import type { FileMatch, LineMatch, MatchRange } from './results.ts';
import { evaluate, type Run, shownPatterns } from './run.ts';

/** A file that the search reads or that its path makes a result. */
interface Candidate {
  path: string;
  /** Undefined where the text can't match. */
  blob: string | undefined;
  /** By pattern, whether it can be in the text as far as the index knows. */
  mayMatch: readonly boolean[];
  /** By pattern, whether it is in the path. */
  isNamed: readonly boolean[];
  /** Undefined where the index does not know the text. */
  textLength: number | undefined;
}

/** A line where a pattern matches. */
interface TextLine {
  /** From 0. */
  number: number;
  text: string;
}

/** Finds files by content and path, in the order of the paths. What the index knows to lack a pattern is not read. */
export async function searchContent(
  place: Place,
  branch: PlannedBranch,
  index: Pick<IndexView, 'get'>,
  run: Run,
): Promise<void> {
  const { patterns, expression, types } = branch;
  const files = await selectFiles(place, branch, run);
  if (expression === undefined) {
    for (const { path } of files) await run.add(fileMatch(place, path));
    return;
  }
  const searchesContent = types.size === 0 || types.has('file');
  const canHoldWithout = evaluate(expression, () => false);
  const mayBeIn = (filter: TrigramFilter | undefined, pattern: Pattern): boolean =>
    searchesContent && (filter === undefined || pattern.mayBeIn(filter));
  /** Undefined for a file that neither its content nor its path can make a result. */
  const candidateOf = ({ path, blob }: TrackedFile): Candidate | undefined => {
    const indexed = index.get(place.repository.name, path);
    const known = indexed?.blob === blob && indexed.trigrams !== undefined ? indexed : undefined;
    const mayMatch = patterns.map((pattern) => mayBeIn(known?.trigrams, pattern));
    const isNamed = patterns.map((pattern) => pattern.test(path));
    const isRead = mayMatch.includes(true);
    if (!canHoldWithout && !isRead && !isNamed.includes(true)) return undefined;
    return { path, blob: isRead ? blob : undefined, mayMatch, isNamed, textLength: isRead ? known?.textLength : 0 };
  };
  for await (const part of partsOf(files, candidateOf, run)) {
    for await (const { group, texts } of readTexts(place, part)) {
      for (const file of group) await searchFile(place, { ...branch, expression }, file, texts.get(file.blob), run);
    }
  }
}

/** Cuts a list into parts with more and more files that may match: where many files match, the first ones are often enough. */
async function* partsOf(
  files: readonly TrackedFile[],
  candidateOf: (file: TrackedFile) => Candidate | undefined,
  run: Run,
): AsyncGenerator<Candidate[]> {
  let most: number = LIMITS.searchFirstPaths;
  let found = 0;
  let part: Candidate[] = [];
  for (const file of files) {
    const due = run.pause();
    if (due !== undefined) await due;
    const candidate = candidateOf(file);
    if (candidate === undefined) continue;
    part.push(candidate);
    if (candidate.blob !== undefined) found += 1;
    if (found < most) continue;
    yield part;
    part = [];
    found = 0;
    most *= LIMITS.searchPathsGrowth;
  }
  if (part.length > 0) yield part;
}

/** Adds a file to the results, with its matches, if it satisfies the expression. */
async function searchFile(
  place: Place,
  { patterns, expression }: PlannedBranch & { expression: NonNullable<PlannedBranch['expression']> },
  { path, mayMatch, isNamed }: Candidate,
  text: string | undefined,
  run: Run,
): Promise<void> {
  const inText = new Set<Pattern>();
  for (const [index, pattern] of patterns.entries()) {
    if (text === undefined || mayMatch[index] !== true) continue;
    for await (const _ of linesWith(pattern, text, run)) {
      inText.add(pattern);
      break;
    }
  }
  if (!evaluate(expression, (index) => isNamed[index] === true || inText.has(patterns[index] as Pattern))) return;
  const shown = shownPatterns(expression, patterns);
  const lines = new Map<number, string>();
  for (const pattern of shown) {
    if (text === undefined || !inText.has(pattern)) continue;
    let characters = 0;
    for await (const line of linesWith(pattern, text, run)) {
      characters += line.text.length + path.length;
      if (characters > LIMITS.searchFileCharacters) {
        run.limitHit = true;
        break;
      }
      lines.set(line.number, line.text);
    }
  }
  const lineMatches: LineMatch[] = [];
  for (const [lineNumber, line] of [...lines].sort(([one], [other]) => one - other)) {
    const ranges = await rangesOf(shown, line, run);
    if (ranges.length > 0) lineMatches.push({ line: copyOf(line), lineNumber, ranges });
  }
  const pathMatches = await rangesOf(shown, path, run);
  if (lineMatches.length > 0 || pathMatches.length > 0 || shown.length === 0) {
    await run.add({ ...fileMatch(place, path), lineMatches, pathMatches });
  }
}

/** The lines of a text where a pattern matches, in order. Sets `limitHit` where one is too long to be read whole. */
async function* linesWith(pattern: Pattern, text: string, run: Run): AsyncGenerator<TextLine> {
  const { needle } = pattern;
  const most = Math.min(LIMITS.searchLineCharacters, pattern.mostCharacters);
  let number = 0;
  let counted = 0;
  for (let at = 0; at < text.length; ) {
    const due = run.pause();
    if (due !== undefined) await due;
    if (needle !== undefined) needle.lastIndex = at;
    const found = needle === undefined ? at : (needle.exec(text)?.index ?? -1);
    if (found < 0) return;
    const start = needle === undefined ? at : text.lastIndexOf('\n', found) + 1;
    const lineEnd = text.indexOf('\n', found);
    const end = lineEnd < 0 ? text.length : lineEnd;
    at = end + 1;
    const line = text.slice(start, Math.min(end, start + most));
    if (!pattern.test(line)) {
      if (end - start > most) run.limitHit = true;
      continue;
    }
    for (let next = text.indexOf('\n', counted); next >= 0 && next < start; next = text.indexOf('\n', counted)) {
      number += 1;
      counted = next + 1;
    }
    yield { number, text: line };
  }
}

/** A part of a text keeps the whole text in memory; a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

export function fileMatch({ repository, revision, commit }: Place, path: string): FileMatch {
  return {
    kind: 'file',
    repository: repository.name,
    path,
    commit,
    revision,
    language: languageOfFile(path)?.name ?? '',
    lineMatches: [],
    symbols: [],
    pathMatches: [],
    limitHit: false,
  };
}

/** Matches of all patterns from left to right; those that overlap become one. */
export async function rangesOf(patterns: readonly Pattern[], text: string, run: Run): Promise<MatchRange[]> {
  const all: MatchRange[] = [];
  for (const pattern of patterns) {
    for (const range of pattern.matches(text)) {
      all.push(range);
      const due = run.pause();
      if (due !== undefined) await due;
    }
  }
  const ranges: MatchRange[] = [];
  for (const range of patterns.length < 2 ? all : all.sort((a, b) => a.start - b.start)) {
    const last = ranges.at(-1);
    const end = last === undefined ? 0 : last.start + last.length;
    if (last === undefined || range.start >= end) ranges.push(range);
    else
      ranges[ranges.length - 1] = { start: last.start, length: Math.max(end, range.start + range.length) - last.start };
  }
  return ranges;
}
