import { spawnSync } from 'node:child_process';

const STOP_WORDS = new Set(
  `a about all an and any are as at be been before between but by can come comes do does done else ever for from get gets go goes
  had has have how i if in into is it its itself just like made make makes many me much must my no not of off on one only or other our
  out over people since so some someone something still such than that the their them then there these they this those through to too
  under until up us use used uses using was we were what when where whether which while who whom whose why will with without would you
  your`.split(/\s+/),
);

/** The words of a question that a person would search for, in lower case; parts of a name such as `a.b_c` stay together. */
export function searchWords(question: string): string[] {
  const words = question.toLowerCase().match(/[\p{L}\p{N}_]+(?:[.-][\p{L}\p{N}_]+)*/gu) ?? [];
  return [...new Set(words.filter((word) => word.length > 1 && !STOP_WORDS.has(word)))];
}

/** Files by how many of the words they hold, then by how many lines hold one, then by path. */
export function rankByWordCounts(counts: readonly ReadonlyMap<string, number>[]): string[] {
  const files = new Map<string, { words: number; lines: number }>();
  for (const lineCounts of counts) {
    for (const [path, lines] of lineCounts) {
      const known = files.get(path) ?? { words: 0, lines: 0 };
      files.set(path, { words: known.words + 1, lines: known.lines + lines });
    }
  }
  return [...files]
    .sort(([a, one], [b, other]) => other.words - one.words || other.lines - one.lines || (a < b ? -1 : 1))
    .map(([path]) => path);
}

/** The baseline of the benchmark: files ranked by one `git grep --count` per word of the question. */
export function rankByGitGrep(repository: string, question: string): string[] {
  return rankByWordCounts(searchWords(question).map((word) => countLines(repository, word)));
}

function countLines(repository: string, word: string): Map<string, number> {
  const parameters = ['grep', '--count', '-z', '-I', '-i', '-F', '-e', word];
  const { status, stdout } = spawnSync('git', ['-C', repository, ...parameters], { encoding: 'utf8' });
  if (status === null || status > 1) throw new Error(`git grep failed for ${word}`);
  const rows = stdout.split('\n').filter((row) => row !== '');
  return new Map(
    rows.map((row) => {
      const [path = '', lines = '0'] = row.split('\0');
      return [path, Number(lines)] as const;
    }),
  );
}
