import type { Commit } from '../git/commits.ts';
import { languageOfFile } from '../git/languages.ts';
import { LIMITS } from '../limits.ts';
import { rangesOf } from './content.ts';
import type { Place } from './files.ts';
import type { PlannedBranch } from './plan.ts';
import type { CommitMatch, HighlightedText, MatchRange } from './results.ts';
import { evaluate, passes, type Run, shownPatterns } from './run.ts';

/** A part of a diff: consecutive lines of one file, each with its sign. */
interface Hunk {
  oldPath: string;
  newPath: string;
  header: string;
  lines: string[];
}

/** Searches the changed lines of commits; merges have no changes of their own. */
export async function searchDiffs(
  place: Place,
  commits: readonly Commit[],
  branch: PlannedBranch,
  side: 'added' | 'removed' | undefined,
  run: Run,
): Promise<void> {
  if (commits.length === 0) return;
  const mostBytes = commits.length > 1 ? LIMITS.searchFileCharacters : LIMITS.commitDiffBytes;
  const output = await readDiffs(place, commits, mostBytes);
  if (output.length >= mostBytes && commits.length > 1) {
    const middle = Math.ceil(commits.length / 2);
    await searchDiffs(place, commits.slice(0, middle), branch, side, run);
    await searchDiffs(place, commits.slice(middle), branch, side, run);
    return;
  }
  if (output.length >= mostBytes) run.limitHit = true;
  const diffs = parseDiffs(output.toString('utf8'));
  for (const commit of commits) await addDiff(place, commit, diffs.get(commit.oid) ?? [], branch, side, run);
}

async function readDiffs({ repository }: Place, commits: readonly Commit[], firstBytes: number): Promise<Buffer> {
  return repository.git(
    [
      'diff-tree',
      '--stdin',
      '--root',
      '-r',
      '-p',
      '--no-color',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
      '--src-prefix=a/',
      '--dst-prefix=b/',
    ],
    { input: commits.map(({ oid }) => `${oid}\n`).join(''), firstBytes },
  );
}

async function addDiff(
  place: Place,
  commit: Commit,
  hunks: readonly Hunk[],
  branch: PlannedBranch,
  side: 'added' | 'removed' | undefined,
  run: Run,
): Promise<void> {
  const { expression, patterns } = branch;
  const own: Hunk[] = [];
  for (const hunk of hunks) {
    await run.pause();
    if (hasPath(hunk, branch)) own.push(hunk);
  }
  if (own.length === 0) return;
  const isSearched = (line: string): boolean =>
    (line.startsWith('+') && side !== 'removed') || (line.startsWith('-') && side !== 'added');
  if (side !== undefined && !own.some(({ lines }) => lines.some(isSearched))) return;
  const holding = new Set<number>();
  for (const { lines } of own) {
    for (const line of lines.filter(isSearched)) {
      await run.pause();
      for (const [index, pattern] of patterns.entries()) {
        if (!holding.has(index) && pattern.test(line.slice(1))) holding.add(index);
      }
    }
  }
  if (expression !== undefined && !evaluate(expression, (index) => holding.has(index))) return;
  const shown = shownPatterns(expression, patterns);
  const content: string[] = [];
  const highlights: { line: number; character: number; length: number }[] = [];
  for (const { oldPath, newPath, header, lines } of own) {
    if (content.length >= LIMITS.diffPreviewLines) break;
    const found: MatchRange[][] = [];
    for (const line of lines) found.push(isSearched(line) ? await rangesOf(shown, line.slice(1), run) : []);
    if (shown.length > 0 && found.every((ranges) => ranges.length === 0)) continue;
    content.push(`${oldPath} ${newPath}`, header);
    for (const [index, line] of lines.slice(0, LIMITS.diffPreviewLines).entries()) {
      for (const { start, length } of found[index] ?? []) {
        highlights.push({ line: content.length, character: start + 1, length });
      }
      content.push(line.slice(0, LIMITS.searchLineCharacters));
    }
  }
  await run.add(commitMatch(place, commit, { diffPreview: { content: content.join('\n'), highlights } }));
}

function hasPath({ oldPath, newPath }: Hunk, branch: PlannedBranch): boolean {
  const path = newPath === '/dev/null' ? oldPath : newPath;
  const { include, exclude } = branch.languages;
  const language = languageOfFile(path)?.id ?? '';
  if ((include.length > 0 && !include.includes(language)) || exclude.includes(language)) return false;
  return passes(branch.paths, path);
}

/** Reads `diff-tree --stdin -p`: each commit begins with its id on a line; all lines of a hunk begin with a sign. */
function parseDiffs(output: string): Map<string, Hunk[]> {
  const diffs = new Map<string, Hunk[]>();
  let hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let [oldPath, newPath] = ['', ''];
  let [oldLines, newLines] = [0, 0];
  for (const line of output.split('\n')) {
    if (hunk !== undefined && (oldLines > 0 || newLines > 0 || line.startsWith('\\'))) {
      hunk.lines.push(line);
      if (!line.startsWith('+') && !line.startsWith('\\')) oldLines -= 1;
      if (!line.startsWith('-') && !line.startsWith('\\')) newLines -= 1;
      continue;
    }
    const [header, before, after] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@.*$/.exec(line) ?? [];
    if (header !== undefined) {
      hunk = { oldPath, newPath, header, lines: [] };
      hunks.push(hunk);
      [oldLines, newLines] = [Number(before ?? 1), Number(after ?? 1)];
    } else if (/^[0-9a-f]{40,64}$/.test(line)) {
      hunks = [];
      diffs.set(line, hunks);
      hunk = undefined;
    } else if (line.startsWith('--- ')) oldPath = pathOf(line.slice(4), 'a/');
    else if (line.startsWith('+++ ')) newPath = pathOf(line.slice(4), 'b/');
    else if (line.startsWith('diff --git ')) hunk = undefined;
  }
  return diffs;
}

const QUOTED: Record<string, string> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', a: '\x07' };

/** A path of a diff header: git puts one with special characters in quotes, and a tab behind one with spaces. */
function pathOf(text: string, prefix: string): string {
  const quoted = /^"(.*)"$/.exec(text)?.[1];
  const path =
    quoted === undefined
      ? text.replace(/\t$/, '')
      : quoted.replace(/\\([0-7]{3}|.)/g, (_, sign: string) =>
          sign.length === 3 ? String.fromCharCode(Number.parseInt(sign, 8)) : (QUOTED[sign] ?? sign),
        );
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

export function commitMatch(
  { repository }: Place,
  { oid, message, author, committer }: Commit,
  { messagePreview, diffPreview }: { messagePreview?: HighlightedText; diffPreview?: HighlightedText },
): CommitMatch {
  return {
    kind: 'commit',
    repository: repository.name,
    commit: oid,
    message,
    author,
    committer,
    messagePreview,
    diffPreview,
  };
}
