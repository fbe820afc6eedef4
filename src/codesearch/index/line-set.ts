/** Line numbers of a file. */
export interface LineSet {
  has(line: number): boolean;
  /** One bit for each line: large files have thousands of lines of comments. */
  readonly bits: Uint8Array;
}

export function lineSet(bits: Uint8Array): LineSet {
  return { bits, has: (line) => ((bits[line >> 3] ?? 0) & (1 << (line & 7))) !== 0 };
}

export function lineSetOf(lines: readonly number[]): LineSet {
  const bits = new Uint8Array((lines.reduce((last, line) => Math.max(last, line), 0) >> 3) + 1);
  for (const line of lines) bits[line >> 3] = (bits[line >> 3] ?? 0) | (1 << (line & 7));
  return lineSet(bits);
}
