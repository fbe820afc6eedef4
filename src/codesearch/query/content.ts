import { languageOfFile } from '../git/languages.ts';
import { groupBy } from '../group-by.ts';
import type { FileIndex } from '../index/file-index.ts';
import { mayHave, type TrigramFilter } from '../index/trigrams.ts';
import { LIMITS } from '../limits.ts';
import { type Place, type PlaceFile, pathGroups, selectFiles } from './files.ts';
import { type FoundLine, grepFiles, grepLines, type WholePlace } from './grep.ts';
import type { Pattern } from './pattern.ts';
import type { Expression, PlannedBranch } from './plan.ts';
import { type WorkBudget, WorkBudgetError } from './regexp/matcher.ts';
import { isPlain } from './regexp/needle.ts';
import type { FileMatch, LineMatch, MatchRange } from './results.ts';
import { createPause, evaluate, type Run, shownPatterns } from './run.ts';
import { hasLine, linesWithAny, type TextLine } from './text-lines.ts';

/** Waiting takes longer than a file. */
const FILES_PER_PAUSE = 100;

type FindFile = Pick<FileIndex, 'get'>;

/** A file of a part of the search. */
interface Candidate extends PlaceFile {
  /** By pattern, whether the content can match as far as the index knows. */
  mayMatch: readonly boolean[];
  /** By pattern, whether it is in the path. */
  isNamed: readonly boolean[];
  /** Whether the service can search its text like git does. */
  isReadable: boolean;
  /** Characters of the text; 0 where the index does not know. */
  textLength: number;
}

/** One search of content in one place. */
interface ContentSearch {
  place: Place;
  branch: PlannedBranch & { expression: Expression };
  run: Run;
  /** For matching in texts that the service reads. */
  texts: WorkBudget;
  whole: WholePlace;
}

/**
 * Finds files by content and path, in the order of the paths: first which files satisfy the expression, then the matches in those.
 * What the index knows to lack a pattern is not read. Texts that the index knows are searched here, the others by git.
 */
export async function searchContent(place: Place, branch: PlannedBranch, index: FindFile, run: Run): Promise<void> {
  const { patterns, expression, types } = branch;
  const files = await selectFiles(place, branch, run);
  if (files.length === 0) return;
  if (expression === undefined) {
    for (const { path } of files) await run.add(fileMatch(place, path));
    return;
  }
  const searchesContent = types.size === 0 || types.has('file');
  const canSearchTexts = searchesContent && patterns.every(({ needle }) => needle !== undefined);
  const forGit = canSearchTexts ? await place.repository.pathsWithAttribute() : new Set<string>();
  const search: ContentSearch = {
    place,
    branch: { ...branch, expression },
    run,
    texts: { steps: LIMITS.regexpStepsInTexts },
    whole: new Map(),
  };
  const mayMatch = (filter: TrigramFilter | undefined, { trigrams }: Pattern): boolean =>
    searchesContent && (filter === undefined || mayHave(filter, trigrams));
  const canHoldWithout = evaluate(expression, () => false);
  /** Undefined for a file that neither its content nor its path can make a result. */
  const candidateOf = ({ path, blob }: PlaceFile): Candidate | undefined => {
    const indexed = index.get(place.repository.name, path);
    const filter = indexed?.blob === blob ? indexed.trigrams : undefined;
    let canHold = canHoldWithout;
    for (const pattern of patterns) canHold ||= mayMatch(filter, pattern) || pattern.test(path, run.budget);
    if (!canHold) return undefined;
    const isReadable = canSearchTexts && filter !== undefined && !forGit.has(path);
    const textLength = isReadable ? (indexed?.textLength ?? 0) : 0;
    return {
      ...{ path, blob, isReadable, textLength },
      mayMatch: patterns.map((pattern) => mayMatch(filter, pattern)),
      isNamed: patterns.map((pattern) => pattern.test(path, run.budget)),
    };
  };
  for await (const part of partsOf(files, candidateOf, createPause(run))) await searchPart(search, part);
}

/** Cuts a list into parts with more and more files that may match: where many files match, the first ones are often enough. */
async function* partsOf(
  files: readonly PlaceFile[],
  candidateOf: (file: PlaceFile) => Candidate | undefined,
  pause: () => Promise<void>,
): AsyncGenerator<Candidate[]> {
  let most: number = LIMITS.searchFirstPaths;
  let found = 0;
  let part: Candidate[] = [];
  for (const [at, file] of files.entries()) {
    if (at % FILES_PER_PAUSE === 0) await pause();
    const candidate = candidateOf(file);
    if (candidate === undefined) continue;
    part.push(candidate);
    if (!candidate.mayMatch.includes(true)) continue;
    found += 1;
    if (found < most) continue;
    yield part;
    part = [];
    found = 0;
    most *= LIMITS.searchPathsGrowth;
  }
  if (part.length > 0) yield part;
}

/** Groups of files whose texts fit into memory together. */
function* chunksOf(files: readonly Candidate[]): Generator<Candidate[]> {
  let chunk: Candidate[] = [];
  let characters = 0;
  for (const file of files) {
    const isFull = chunk.length >= LIMITS.searchTextsAtOnce || characters + file.textLength > LIMITS.blobBatchBytes;
    if (isFull && chunk.length > 0) {
      yield chunk;
      chunk = [];
      characters = 0;
    }
    chunk.push(file);
    characters += file.textLength;
  }
  if (chunk.length > 0) yield chunk;
}

async function searchPart(search: ContentSearch, part: readonly Candidate[]): Promise<void> {
  const { patterns, expression } = search.branch;
  const canRead = ({ isReadable, mayMatch }: Candidate): boolean =>
    isReadable && search.texts.steps > 0 && mayMatch.includes(true);
  const inContent = patterns.map(() => new Set<string>());
  await findByGit(
    search,
    part.filter((file) => !canRead(file)),
    inContent,
  );
  const isFound = ({ path, isNamed }: Candidate): boolean =>
    evaluate(expression, (index) => inContent[index]?.has(path) === true || isNamed[index] === true);
  const left = part.filter((file) => canRead(file) || isFound(file));
  for (const chunk of chunksOf(left)) {
    const texts = await findInTexts(search, chunk.filter(canRead), inContent);
    await addFound(search, chunk.filter(isFound), texts, inContent);
  }
}

/** Notes by pattern in which of these files git finds it. */
async function findByGit(
  { place, branch, whole }: ContentSearch,
  files: readonly Candidate[],
  inContent: readonly Set<string>[],
): Promise<void> {
  for (const [index, pattern] of branch.patterns.entries()) {
    const paths = files.filter(({ mayMatch }) => mayMatch[index]).map(({ path }) => path);
    const found = paths.length === 0 ? new Set() : await grepFiles(place, pattern, paths, whole);
    for (const path of paths) if (found.has(path)) inContent[index]?.add(path);
  }
}

/** Notes by pattern in which of these files it is. Returns their texts, without those that only git could search. */
async function findInTexts(
  search: ContentSearch,
  files: readonly Candidate[],
  inContent: readonly Set<string>[],
): Promise<Map<string, string>> {
  const known = await search.place.repository.blobs.texts(files.map(({ blob }) => blob));
  const texts = new Map<string, string>();
  const forGit: Candidate[] = [];
  const pause = createPause(search.run);
  for (const file of files) {
    await pause();
    const text = known.get(file.blob);
    if (text === undefined || !isPlain(text) || search.texts.steps <= 0) {
      forGit.push(file);
      continue;
    }
    try {
      for (const [index, pattern] of search.branch.patterns.entries()) {
        if (file.mayMatch[index] && hasLine(pattern, text, search.texts)) inContent[index]?.add(file.path);
      }
      texts.set(file.path, text);
    } catch (error) {
      if (!(error instanceof WorkBudgetError)) throw error;
      search.texts.steps = 0;
      forGit.push(file);
    }
  }
  await findByGit(search, forGit, inContent);
  return texts;
}

/** Adds files to the results, with their matches. */
async function addFound(
  search: ContentSearch,
  files: readonly Candidate[],
  texts: Map<string, string>,
  inContent: readonly Set<string>[],
): Promise<void> {
  const { place, branch, run } = search;
  const shown = shownPatterns(branch.expression, branch.patterns);
  const shownIndexes = shown.map((pattern) => branch.patterns.indexOf(pattern));
  const hasContent = (path: string): boolean => shownIndexes.some((index) => inContent[index]?.has(path) === true);
  const isNegative = shown.length === 0;
  const pause = createPause(run);
  const grep = async (paths: readonly string[]): Promise<Map<string, FoundLine[]>> => {
    const own = paths.filter((path) => !texts.has(path) && hasContent(path));
    return groupBy(own.length === 0 ? [] : await grepLines(place, shown, own, run), ({ path }) => path);
  };
  for (const group of pathGroups(files.map(({ path }) => path))) {
    let byGit = await grep(group);
    for (const path of group) {
      const lineMatches: LineMatch[] = [];
      const text = hasContent(path) ? texts.get(path) : undefined;
      const own = text === undefined ? undefined : linesIn(search, shown, path, text);
      if (text !== undefined && own === undefined) {
        texts.clear();
        byGit = await grep(group);
      }
      for (const line of own ?? byGit.get(path) ?? []) {
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

/** The lines of a text where one of the patterns can match; undefined when that takes too much work here. Sets `limitHit` where there are too many. */
function linesIn(
  { run, texts }: ContentSearch,
  patterns: readonly Pattern[],
  path: string,
  text: string,
): TextLine[] | undefined {
  try {
    const { lines, isCut } = linesWithAny(patterns, text, LIMITS.searchOutputBytes, path.length, texts);
    if (isCut) run.limitHit = true;
    return lines;
  } catch (error) {
    if (!(error instanceof WorkBudgetError)) throw error;
    texts.steps = 0;
    return undefined;
  }
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
