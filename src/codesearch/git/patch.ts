import type { Changes } from './compare.ts';

/** Changed lines of a file, with some lines around them. Lines count from 1; a side without lines begins at 0. */
export interface Hunk {
  before: { start: number; lines: number };
  after: { start: number; lines: number };
  /** A line above the hunk, for example the start of a function; empty when git names none. */
  section: string;
  /** They begin with `-`, `+` or a space. */
  lines: string[];
  /** Whether the file before ends in this hunk without a line end. */
  endsWithoutLineEnd: boolean;
}

/** The unified patch of each changed file, in the order of `files`; empty where the patch was cut. */
export function patchesOf({ files, patch }: Changes): string[] {
  const patches = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith('diff --git '));
  let next = 0;
  return files.map(({ change }) => {
    // A file that becomes a link has two patches: its deletion and its creation.
    const count = change === 'typeChanged' ? 2 : 1;
    next += count;
    return patches.slice(next - count, next).join('');
  });
}

/** The hunks of the patch of one file. */
export function hunksOf(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  for (const line of patch.split('\n')) {
    const start = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/.exec(line);
    if (start !== null) {
      hunk = {
        before: { start: Number(start[1]), lines: Number(start[2] ?? 1) },
        after: { start: Number(start[3]), lines: Number(start[4] ?? 1) },
        section: start[5] ?? '',
        lines: [],
        endsWithoutLineEnd: false,
      };
      hunks.push(hunk);
    } else if (line.startsWith('diff --git ')) hunk = undefined;
    else if (/^[-+ ]/.test(line)) hunk?.lines.push(line);
    // "\ No newline at end of file" belongs to the line before it.
    else if (line.startsWith('\\') && /^[- ]/.test(hunk?.lines.at(-1) ?? '') && hunk !== undefined) {
      hunk.endsWithoutLineEnd = true;
    }
  }
  return hunks;
}
