import type { IndexedFile } from './file-index.ts';
import { lineSet } from './line-set.ts';
import { ROLES } from './roles.ts';
import { type CodeSymbol, SYMBOL_KINDS } from './symbols.ts';

/** What the index knows of files beside their terms, one value after the other: arrays are written and read at once. */
export interface FileColumns {
  numbers: Uint32Array;
  strings: readonly string[];
  bytes: Uint8Array;
}

/** Puts files into columns. Those that `isComplete` is false for have no id of a content there, so that they count as changed. */
export function toColumns(files: readonly IndexedFile[], isComplete: (file: IndexedFile) => boolean): FileColumns {
  const numbers: number[] = [files.length];
  const strings: string[] = [];
  const bytes: Uint8Array[] = [];
  for (const file of files) {
    const { symbols, units, importLines, commentLines, trigrams } = file;
    const places = new Map<CodeSymbol | undefined, number>(symbols.map((symbol, place) => [symbol, place + 1]));
    strings.push(file.repository, file.path, isComplete(file) ? file.blob : '');
    numbers.push(ROLES.indexOf(file.role), file.lineCount, file.textLength);
    numbers.push(symbols.length, units.length, importLines.size, commentLines.bits.length, trigrams?.length ?? 0);
    for (const { name, kind, line, end, exported, indent, owner = '' } of symbols) {
      strings.push(name, owner);
      numbers.push(SYMBOL_KINDS.indexOf(kind), line, end, Number(exported), indent);
    }
    for (const { start, end, symbol } of units) numbers.push(start, end, places.get(symbol) ?? 0);
    for (const line of importLines) numbers.push(line);
    bytes.push(commentLines.bits);
    if (trigrams !== undefined) bytes.push(trigrams);
  }
  return { numbers: Uint32Array.from(numbers), strings, bytes: Buffer.concat(bytes) };
}

/** The files of columns, with their units in the same order. They share a copy of the bytes: these are a part of what was read from the disk. */
export function fromColumns(columns: FileColumns): IndexedFile[] {
  const { number, string, bytes } = createReader({ ...columns, bytes: Uint8Array.from(columns.bytes) });
  const readSymbol = (): CodeSymbol => {
    const [name, owner] = [string(), string()];
    const kind = SYMBOL_KINDS[number()] ?? 'constant';
    const symbol = { name, kind, line: number(), end: number(), exported: number() === 1, indent: number() };
    return owner === '' ? symbol : { ...symbol, owner };
  };
  // One string for all files of a repository.
  const repositories = new Map<string, string>();
  const readFile = (): IndexedFile => {
    const [named, path, blob] = [string(), string(), string()];
    const repository = repositories.get(named) ?? named;
    repositories.set(named, repository);
    const [role, lineCount, textLength] = [ROLES[number()] ?? 'source', number(), number()];
    const [symbolCount, unitCount, importCount, commentBytes, trigramBytes] = [
      number(),
      number(),
      number(),
      number(),
      number(),
    ];
    const symbols = many(symbolCount, readSymbol);
    const places = many(unitCount, () => ({ start: number(), end: number(), symbol: symbols[number() - 1] }));
    const importLines = new Set(many(importCount, number));
    const commentLines = lineSet(bytes(commentBytes));
    const trigrams = trigramBytes === 0 ? undefined : bytes(trigramBytes);
    const known = { repository, path, blob, commit: undefined, role, lineCount, textLength, symbols, isRead: true };
    const file: IndexedFile = { ...known, commentLines, importLines, trigrams, units: [] };
    file.units = places.map(({ start, end, symbol }) => ({ id: 0, file, start, end, symbol }));
    return file;
  };
  return many(number(), readFile);
}

function createReader({ numbers, strings, bytes }: FileColumns) {
  let [nextNumber, nextString, nextByte] = [0, 0, 0];
  return {
    number(): number {
      nextNumber += 1;
      return numbers[nextNumber - 1] ?? 0;
    },
    string(): string {
      nextString += 1;
      return strings[nextString - 1] ?? '';
    },
    bytes(length: number): Uint8Array {
      nextByte += length;
      return bytes.subarray(nextByte - length, nextByte);
    },
  };
}

function many<Item>(length: number, read: () => Item): Item[] {
  const items: Item[] = [];
  for (let at = 0; at < length; at += 1) items.push(read());
  return items;
}
