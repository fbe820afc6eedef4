import { isMinified, saysGenerated } from '../../src/codesearch/index/roles.ts';
import type { Outline } from '../../src/codesearch/index/symbols.ts';
import { outlineOf } from '../../src/codesearch/index/syntax/outline.ts';
import { cutUnits, type Unit } from '../../src/codesearch/index/units.ts';
import type { Snapshot } from './git-directory.ts';
import { cutPair, isSource, type Pair, trainingTerms } from './pairs.ts';

const FILES_MAX = 5_000;
const FILE_BYTES_MAX = 300_000;
/** An inner comment is paired with this many lines after its first. */
const LINES_AFTER = 25;

/** Tags of documentation comments; what follows describes parameters rather than the definition. */
const TAGS = /@(param|returns?|type|throws|example)|:?(param|Args|Parameters|Returns|rtype)[: ]/;
/** Comments that say nothing about the code. */
const LEGAL_OR_TOOLS = /copyright|license|eslint|noqa/i;

interface Comment {
  /** The first line. */
  line: number;
  lines: string[];
}

/** Pairs of comments and the code that they describe, in a sample of the files. */
export async function* readCommentPairs(snapshot: Snapshot): AsyncGenerator<Pair> {
  const files = snapshot.files().filter(isSource);
  const every = Math.ceil(files.length / FILES_MAX);
  const chosen = files.filter((_, i) => i % every === 0);
  for await (const { path, text } of snapshot.texts(chosen, FILE_BYTES_MAX)) {
    if (!isMinified(text) && !saysGenerated(text)) yield* await pairsOfFile(path, text);
  }
}

async function pairsOfFile(path: string, text: string): Promise<Pair[]> {
  const lines = text.split('\n');
  // A grammar fails on few files, and one file less changes nothing.
  const outline = await outlineOf(path, text).catch((error: unknown) => {
    process.stderr.write(`${path} is left out: ${error instanceof Error ? error.message : String(error)}\n`);
  });
  if (outline === undefined) return [];
  return cutUnits(lines, outline).flatMap((unit) => pairsOfUnit(path, lines, outline, unit));
}

function pairsOfUnit(path: string, lines: readonly string[], outline: Outline, { start, end, symbol }: Unit): Pair[] {
  if (symbol === undefined) return [];
  const codeTerms = (from: number, to: number): string[] => trainingTerms(codeOf(lines, outline, from, to));
  const body = codeTerms(start, end);
  const comments = commentsOf(lines, outline, start, end);
  return comments.flatMap((comment, i) => {
    const text = comment.lines.join('\n');
    const description = text.slice(0, TAGS.exec(text)?.index);
    if (LEGAL_OR_TOOLS.test(description)) return [];
    const isAbove = comment.line <= symbol.line + 1;
    const others = comments.filter((_, j) => j !== i).flatMap((other) => other.lines);
    return cutPair({
      kind: i === 0 && isAbove ? 'comment' : 'innerComment',
      question: trainingTerms(description),
      path: trainingTerms(path),
      symbol: trainingTerms(`${symbol.name} ${symbol.owner ?? ''}`),
      comments: trainingTerms(others.join('\n')),
      body: isAbove ? body : codeTerms(comment.line, Math.min(end, comment.line + LINES_AFTER)),
    });
  });
}

/** The lines that are not only comment. */
function codeOf(lines: readonly string[], { commentLines }: Outline, start: number, end: number): string {
  return lines
    .slice(start - 1, end)
    .filter((_, i) => !commentLines.has(start + i))
    .join('\n');
}

/** Runs of lines that are only comment. */
function commentsOf(lines: readonly string[], { commentLines }: Outline, start: number, end: number): Comment[] {
  const comments: Comment[] = [];
  for (let line = start; line <= end; line += 1) {
    if (!commentLines.has(line)) continue;
    const before = comments.at(-1);
    const text = lines[line - 1] ?? '';
    if (before !== undefined && before.line + before.lines.length === line) before.lines.push(text);
    else comments.push({ line, lines: [text] });
  }
  return comments;
}
