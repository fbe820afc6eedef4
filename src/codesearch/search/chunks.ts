import type { CodeSymbol } from './symbols.ts';

/** Consecutive lines that are indexed together; lines count from 1, and both ends are included. */
export interface Chunk {
  start: number;
  end: number;
}

const SHORTEST = 16;
const LONGEST = 70;

/** Splits a file into chunks that start at definitions, unless a chunk would be too short. */
export function cutChunks(lineCount: number, symbols: readonly CodeSymbol[]): Chunk[] {
  const seams = new Set(symbols.filter((symbol) => symbol.indent <= 4).map((symbol) => symbol.line));
  const chunks: Chunk[] = [];
  let start = 1;
  for (let line = 2; line <= lineCount; line += 1) {
    const length = line - start;
    if (length >= LONGEST || (length >= SHORTEST && seams.has(line))) {
      chunks.push({ start, end: line - 1 });
      start = line;
    }
  }
  if (lineCount >= start) chunks.push({ start, end: lineCount });
  return chunks;
}
