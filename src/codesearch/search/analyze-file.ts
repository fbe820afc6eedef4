import { type Chunk, cutChunks } from './chunks.ts';
import { looksGenerated, type Role, roleOf } from './roles.ts';
import { type CodeSymbol, findSymbols } from './symbols.ts';
import { indexText } from './words.ts';

/** What the index keeps of a file; plain data, so that a worker thread can send it. */
export interface AnalyzedFile {
  role: Role;
  lineCount: number;
  symbols: CodeSymbol[];
  /** Index terms of the path. */
  pathText: string;
  /** Chunks with the index terms of their definitions and their text. */
  chunks: { chunk: Chunk; symbols: string; body: string }[];
}

/** Finds the role, definitions, chunks and index terms of a file; without text (binary, too large) only those of its path. */
export function analyzeFile(path: string, text: string | undefined): AnalyzedFile {
  const named = roleOf(path);
  const role = text !== undefined && named === 'source' && looksGenerated(text) ? 'generated' : named;
  const lines = text === undefined || role === 'generated' ? [] : text.split('\n');
  const symbols = findSymbols(path, lines);
  const cut = lines.length === 0 ? [{ start: 1, end: 1 }] : cutChunks(lines.length, symbols);
  return {
    role,
    lineCount: lines.length,
    symbols,
    pathText: indexText(path, 1),
    chunks: cut.map((chunk) => {
      const names = symbols.filter(({ line }) => line >= chunk.start && line <= chunk.end).map(({ name }) => name);
      return {
        chunk,
        symbols: indexText(names.join(' '), 2),
        body: indexText(lines.slice(chunk.start - 1, chunk.end).join('\n')),
      };
    }),
  };
}
