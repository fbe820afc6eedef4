import { languageOfFile } from '../git/languages.ts';
import { LIMITS } from '../limits.ts';
import type { FileIndex } from '../search/file-index.ts';
import { mayHave } from '../search/trigrams.ts';
import { type Place, type PlaceFile, pathGroups, selectFiles } from './files.ts';
import { type FoundLine, grepFiles, grepLines, type WholePlace } from './grep.ts';
import type { Pattern } from './pattern.ts';
import type { PlannedBranch } from './plan.ts';
import type { FileMatch, LineMatch, MatchRange } from './results.ts';
import { createPause, evaluate, type Run, shownPatterns } from './run.ts';

type FindFile = Pick<FileIndex, 'get'>;

/**
 * Finds files by content and path: first which files satisfy the expression, then the matches in those, group by group. What the
 * index knows to lack a pattern is not read.
 */
export async function searchContent(place: Place, branch: PlannedBranch, index: FindFile, run: Run): Promise<void> {
  const { patterns, expression } = branch;
  const files = await selectFiles(place, branch, run);
  if (files.length === 0) return;
  if (expression === undefined) {
    for (const { path } of files) await run.add(fileMatch(place, path));
    return;
  }
  const mayMatch = ({ path, blob }: PlaceFile, { trigrams }: Pattern): boolean => {
    const known = index.get(place.repository.name, path);
    return known?.blob !== blob || known.trigrams === undefined || mayHave(known.trigrams, trigrams);
  };
  const whole: WholePlace = new Map();
  for (const part of partsOf(files, (file) => patterns.some((each) => mayMatch(file, each)))) {
    await searchFiles(place, branch, part, mayMatch, whole, run);
  }
}

/** Cuts a list into parts with more and more candidates: where many files match, the first ones are often enough. */
function* partsOf<Item>(items: readonly Item[], isCandidate: (item: Item) => boolean): Generator<Item[]> {
  let most: number = LIMITS.searchFirstPaths;
  let found = 0;
  let start = 0;
  for (const [at, item] of items.entries()) {
    if (!isCandidate(item)) continue;
    found += 1;
    if (found < most) continue;
    yield items.slice(start, at + 1);
    start = at + 1;
    found = 0;
    most *= LIMITS.searchPathsGrowth;
  }
  if (start < items.length) yield items.slice(start);
}

async function searchFiles(
  place: Place,
  { patterns, expression, types }: PlannedBranch,
  files: readonly PlaceFile[],
  mayMatch: (file: PlaceFile, pattern: Pattern) => boolean,
  whole: WholePlace,
  run: Run,
): Promise<void> {
  if (expression === undefined) return;
  const searchesContent = types.size === 0 || types.has('file');
  const pause = createPause(run);
  const inContent: Set<string>[] = [];
  const inPath: Set<string>[] = [];
  for (const pattern of patterns) {
    const candidates = searchesContent ? files.filter((file) => mayMatch(file, pattern)) : [];
    inContent.push(
      await grepFiles(
        place,
        pattern,
        candidates.map(({ path }) => path),
        whole,
      ),
    );
    const named = new Set<string>();
    for (const { path } of files) {
      await pause();
      if (pattern.test(path, run.budget)) named.add(path);
    }
    inPath.push(named);
  }
  const found = files
    .map(({ path }) => path)
    .filter((path) =>
      evaluate(expression, (index) => inContent[index]?.has(path) === true || inPath[index]?.has(path) === true),
    );
  const shown = shownPatterns(expression, patterns);
  const shownIndexes = shown.map((pattern) => patterns.indexOf(pattern));
  const hasContent = (path: string): boolean => shownIndexes.some((index) => inContent[index]?.has(path) === true);
  const isNegative = shown.length === 0;
  for (const group of pathGroups(found)) {
    const withContent = group.filter(hasContent);
    const lines = withContent.length === 0 ? [] : await grepLines(place, shown, withContent, run);
    const byPath = groupByPath(lines);
    for (const path of group) {
      const lineMatches: LineMatch[] = [];
      for (const line of byPath.get(path) ?? []) {
        await pause();
        const ranges = rangesOf(shown, line.text, run);
        if (ranges.length > 0) lineMatches.push({ line: line.text, lineNumber: line.number - 1, ranges });
      }
      const pathMatches = rangesOf(shown, path, run);
      if (lineMatches.length > 0 || pathMatches.length > 0 || isNegative) {
        await run.add({ ...fileMatch(place, path), lineMatches, pathMatches });
      }
    }
  }
}

function groupByPath(lines: readonly FoundLine[]): Map<string, FoundLine[]> {
  const groups = new Map<string, FoundLine[]>();
  for (const line of lines) {
    const group = groups.get(line.path);
    if (group === undefined) groups.set(line.path, [line]);
    else group.push(line);
  }
  return groups;
}

export function fileMatch({ repository, revision, commit }: Place, path: string): FileMatch {
  return {
    kind: 'file',
    repository: repository.name,
    path,
    commit,
    revision,
    size: undefined,
    language: languageOfFile(path)?.name ?? '',
    lineMatches: [],
    symbols: [],
    pathMatches: [],
    limitHit: false,
  };
}

/** Matches of all patterns from left to right; those that overlap become one. */
export function rangesOf(patterns: readonly Pattern[], text: string, run: Run): MatchRange[] {
  const all = patterns.flatMap((pattern) => pattern.findAll(text, run.budget)).sort((a, b) => a.start - b.start);
  const ranges: MatchRange[] = [];
  for (const range of all) {
    const last = ranges.at(-1);
    const end = last === undefined ? 0 : last.start + last.length;
    if (last === undefined || range.start >= end) ranges.push(range);
    else
      ranges[ranges.length - 1] = { start: last.start, length: Math.max(end, range.start + range.length) - last.start };
  }
  return ranges;
}
