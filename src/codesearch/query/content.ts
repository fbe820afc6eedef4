import { languageOfFile } from '../git/languages.ts';
import { type Place, pathGroups, selectFiles } from './files.ts';
import { type FoundLine, grepFiles, grepLines } from './grep.ts';
import type { Pattern } from './pattern.ts';
import type { PlannedBranch } from './plan.ts';
import type { FileMatch, LineMatch, MatchRange } from './results.ts';
import { createPause, evaluate, type Run, shownPatterns } from './run.ts';

/** Finds files by content and path: first which files satisfy the expression, then the matches in those, group by group. */
export async function searchContent(place: Place, branch: PlannedBranch, run: Run): Promise<void> {
  const { patterns, expression, types } = branch;
  const files = await selectFiles(place, branch, run);
  const paths = files.map(({ path }) => path);
  if (paths.length === 0) return;
  if (expression === undefined) {
    for (const path of paths) await run.add(fileMatch(place, path));
    return;
  }
  const searchesContent = types.size === 0 || types.has('file');
  const pause = createPause(run);
  const inContent: Set<string>[] = [];
  const inPath: Set<string>[] = [];
  for (const pattern of patterns) {
    inContent.push(searchesContent ? await grepFiles(place, pattern, paths) : new Set());
    const named = new Set<string>();
    for (const path of paths) {
      await pause();
      if (pattern.test(path, run.budget)) named.add(path);
    }
    inPath.push(named);
  }
  const found = paths.filter((path) =>
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
