import type { CodeSymbol } from './symbols.ts';

/** A run of lines searched as one; lines count from 1, both ends inside. */
export interface Chunk {
  start: number;
  end: number;
}

const SHORTEST = 16;
const LONGEST = 70;

/** Cuts a file into chunks that start at definitions where that leaves them long enough to mean something. */
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
