import { isMinified, roleOf, saysGenerated } from '../../src/codesearch/index/roles.ts';
import type { Outline } from '../../src/codesearch/index/symbols.ts';
import { outlineOf } from '../../src/codesearch/index/syntax/outline.ts';
import { cutUnits, type Unit } from '../../src/codesearch/index/units.ts';
import type { Definitions, PairCode } from './definitions.ts';
import type { Snapshot } from './git-directory.ts';
import { cutPair, isSource, type Pair, sampled, trainingTerms } from './pairs.ts';

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

/** Pairs of comments and the code that they describe, in a sample of the files. Adds the definitions of source files. */
export async function* readCommentPairs(snapshot: Snapshot, definitions: Definitions): AsyncGenerator<Pair> {
  const chosen = sampled(snapshot.files().filter(isSource), FILES_MAX);
  for await (const { path, text } of snapshot.texts(chosen, FILE_BYTES_MAX)) {
    if (!isMinified(text) && !saysGenerated(text)) yield* await pairsOfFile(path, text, definitions);
  }
}

async function pairsOfFile(path: string, text: string, definitions: Definitions): Promise<Pair[]> {
  const lines = text.split('\n');
  // A grammar fails on few files, and one file less changes nothing.
  const outline = await outlineOf(path, text).catch((error: unknown) => {
    process.stderr.write(`${path} is left out: ${error instanceof Error ? error.message : String(error)}\n`);
  });
  if (outline === undefined) return [];
  return cutUnits(lines, outline).flatMap((unit) => pairsOfUnit(path, lines, outline, unit, definitions));
}

function pairsOfUnit(
  path: string,
  lines: readonly string[],
  outline: Outline,
  { start, end, symbol }: Unit,
  definitions: Definitions,
): Pair[] {
  if (symbol === undefined) return [];
  const codeTerms = (from: number, to: number): string[] => trainingTerms(codeOf(lines, outline, from, to));
  const comments = commentsOf(lines, outline, start, end);
  const codeWith = (described: readonly Comment[], body: string[]): PairCode => ({
    path: trainingTerms(path),
    symbol: trainingTerms(`${symbol.name} ${symbol.owner ?? ''}`),
    comments: trainingTerms(described.flatMap((comment) => comment.lines).join('\n')),
    body,
  });
  const body = codeTerms(start, end);
  // The first part of a long definition stands for it.
  if (start <= symbol.line && roleOf(path) === 'source') definitions.add(symbol.name, codeWith(comments, body));
  return comments.flatMap((comment, i) => {
    const text = comment.lines.join('\n');
    const description = text.slice(0, TAGS.exec(text)?.index);
    if (LEGAL_OR_TOOLS.test(description)) return [];
    const isAbove = comment.line <= symbol.line + 1;
    const others = comments.filter((_, j) => j !== i);
    return cutPair({
      kind: i === 0 && isAbove ? 'comment' : 'innerComment',
      question: trainingTerms(description),
      ...codeWith(others, isAbove ? body : codeTerms(comment.line, Math.min(end, comment.line + LINES_AFTER))),
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
