import { GitError } from '../git/git.ts';
import { LIMITS } from '../limits.ts';
import { type Place, pathGroups } from './files.ts';
import type { Pattern } from './pattern.ts';
import { createAlert, type Run } from './run.ts';

/** A line that git found, which may still have no match: git accepts a little more than a pattern does. */
export interface FoundLine {
  path: string;
  /** From 1. */
  number: number;
  text: string;
}

/** git can't use a pattern; the alert says why. */
export class GrepRefused extends Error {
  readonly alert: ReturnType<typeof createAlert>;

  constructor(alert: ReturnType<typeof createAlert>) {
    super(alert.title);
    this.alert = alert;
  }
}

/** Files of the whole place where a pattern can match a line, by pattern: one search reads them once. */
export type WholePlace = Map<Pattern, Set<string>>;

/** Paths of the files where a pattern can match a line. With few `paths`, git reads only those; otherwise others may be among them. */
export async function grepFiles(
  place: Place,
  pattern: Pattern,
  paths: readonly string[],
  whole: WholePlace,
): Promise<Set<string>> {
  const known = whole.get(pattern);
  if (known !== undefined) return known;
  const found = new Set<string>();
  const isWhole = paths.length > LIMITS.searchGrepPaths;
  for (const group of isWhole ? [[]] : pathGroups(paths)) {
    const output = await grep(place, '--files-with-matches', [pattern], group);
    for (const entry of output.toString('utf8').split('\0')) {
      if (entry !== '') found.add(withoutTree(entry, place));
    }
  }
  if (isWhole) whole.set(pattern, found);
  return found;
}

/** Lines of these files where one of the patterns can match; of a file with too many, the first ones, which sets `limitHit`. */
export async function grepLines(
  place: Place,
  patterns: readonly Pattern[],
  paths: readonly string[],
  run: Run,
): Promise<FoundLine[]> {
  const output = await grep(place, '--line-number', patterns, paths);
  if (output.length < LIMITS.searchOutputBytes) return parseLines(output, place);
  if (paths.length === 1) {
    run.limitHit = true;
    // The last line may be cut.
    return parseLines(output, place).slice(0, -1);
  }
  const middle = Math.ceil(paths.length / 2);
  const first = await grepLines(place, patterns, paths.slice(0, middle), run);
  return [...first, ...(await grepLines(place, patterns, paths.slice(middle), run))];
}

async function grep(
  { repository, tree }: Place,
  output: '--files-with-matches' | '--line-number',
  patterns: readonly Pattern[],
  paths: readonly string[],
): Promise<Buffer> {
  const isFixed = patterns.every(({ fixed }) => fixed !== undefined);
  const texts = patterns.map(({ fixed, pcre }) => (isFixed ? (fixed ?? '') : pcre));
  // A cut list of files would lose results without a word; lines are read again in smaller parts.
  const listsFiles = output === '--files-with-matches';
  const parameters = [
    'grep',
    '-I',
    '-z',
    '--full-name',
    '--no-color',
    output,
    isFixed ? '-F' : '-P',
    ...texts.flatMap((text) => ['-e', text]),
    tree,
    '--',
    ...paths,
  ];
  try {
    return await repository.git(parameters, listsFiles ? {} : { firstBytes: LIMITS.searchOutputBytes });
  } catch (error) {
    if (!(error instanceof GitError) || error.kind !== 'failed') throw error;
    if (error.exitCode === 1) return Buffer.alloc(0);
    if (error.exitCode === 128 && !isFixed) throw await refusal(place(repository, tree), error);
    throw error;
  }
}

const place = (repository: Place['repository'], tree: string) => ({ repository, tree });

/** git fails in the same way without PCRE, for a pattern that takes too many steps, and for a damaged repository: a simple search shows which. */
async function refusal({ repository, tree }: Pick<Place, 'repository' | 'tree'>, error: GitError): Promise<Error> {
  const works = async (flag: '-F' | '-P'): Promise<boolean> => {
    try {
      await repository.git(['grep', '-q', flag, '-e', 'a', tree, '--', 'no/such/file']);
      return true;
    } catch (failure) {
      if (failure instanceof GitError && failure.exitCode === 1) return true;
      if (failure instanceof GitError && failure.exitCode === 128) return false;
      throw failure;
    }
  };
  // A damaged part of a tree may be where the simple search does not come.
  if (!/pcre|perl-compatible|memory/i.test(error.message) || !(await works('-F'))) return error;
  if (await works('-P')) {
    return new GrepRefused(
      createAlert(
        'pattern-too-costly',
        'A pattern takes too much work',
        'git gave up matching it. Make repetitions more specific, or write the words to search for.',
      ),
    );
  }
  return new GrepRefused(
    createAlert(
      'regexp-unavailable',
      'Regular expressions are not available',
      'The git program of this service has no PCRE support. Search for exact words with case:yes.',
    ),
  );
}

function withoutTree(name: string, { tree }: Place): string {
  return tree === '--cached' ? name : name.slice(tree.length + 1);
}

/** Reads "path NUL number NUL text"; older versions of git write `:` behind the number. */
function parseLines(output: Buffer, from: Place): FoundLine[] {
  const lines: FoundLine[] = [];
  for (let at = 0; at < output.length; ) {
    const pathEnd = output.indexOf(0, at);
    if (pathEnd < 0) break;
    let numberEnd = pathEnd + 1;
    while (numberEnd < output.length && isDigit(output[numberEnd])) numberEnd += 1;
    const lineEnd = output.indexOf(10, numberEnd);
    const end = lineEnd < 0 ? output.length : lineEnd;
    const text = output.toString('utf8', numberEnd + 1, Math.min(end, numberEnd + 1 + 4 * LIMITS.searchLineCharacters));
    lines.push({
      path: withoutTree(output.toString('utf8', at, pathEnd), from),
      number: Number(output.toString('latin1', pathEnd + 1, numberEnd)),
      text: text.slice(0, LIMITS.searchLineCharacters),
    });
    at = end + 1;
  }
  return lines;
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 48 && code <= 57;
}
