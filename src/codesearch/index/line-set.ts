/** Line numbers of a file. One bit for each line: large files have thousands of lines of comments. */
export interface LineSet {
  has(line: number): boolean;
}

export function lineSetOf(lines: readonly number[]): LineSet {
  const bits = new Uint8Array((lines.reduce((last, line) => Math.max(last, line), 0) >> 3) + 1);
  for (const line of lines) bits[line >> 3] = (bits[line >> 3] ?? 0) | (1 << (line & 7));
  return { has: (line) => ((bits[line >> 3] ?? 0) & (1 << (line & 7))) !== 0 };
}
