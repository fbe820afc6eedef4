import { type Score, type Summary, summarize } from './scoring.ts';

const HEAD = [
  ...['questions', 'right file first', 'right file among five', 'right lines linked', 'right commit'],
  ...['honest refusals', 'wrong refusals', 'p50', 'p95'],
];

/** A Markdown table of the measures, with one row per group; `git grep` in parentheses. */
export function measuresTable(groupName: string, groups: ReadonlyMap<string, readonly Score[]>): string {
  const rows = [...groups].map(([name, scores]) => [name, ...cellsOf(summarize(scores))]);
  return markdownTable([groupName, ...HEAD], rows);
}

/** A Markdown table of the questions without the right file first, or with a wrong refusal or a made-up answer. */
export function missesTable(scores: readonly Score[]): string {
  const missed = scores.filter(({ kind, fileRank, refused }) => (kind === 'none' ? !refused : fileRank !== 1));
  const rows = missed.map(({ id, kind, question, refused, fileRank, grepRank, linesLinked }) => [
    ...[id, kind, question.replaceAll('|', '\\|'), refused ? 'refused' : kind === 'none' ? 'made up' : rank(fileRank)],
    ...[kind === 'none' ? '–' : rank(grepRank), kind === 'none' ? '–' : linesLinked ? 'yes' : 'no'],
  ]);
  return markdownTable(['id', 'kind', 'question', 'right file at', '`git grep`', 'right lines'], rows);
}

/** Groups in the order of their first member. */
export function groupBy(scores: readonly Score[], key: (score: Score) => string): Map<string, Score[]> {
  const groups = new Map<string, Score[]>();
  for (const score of scores) groups.set(key(score), [...(groups.get(key(score)) ?? []), score]);
  return groups;
}

/** `count` of the items, spread evenly over all of them. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  return items.filter(
    (_, index) => Math.floor((index * count) / items.length) !== Math.floor(((index - 1) * count) / items.length),
  );
}

function cellsOf(summary: Summary): string[] {
  return [
    String(summary.questions),
    `${percent(summary.fileFirst)} (${percent(summary.grepFirst)})`,
    `${percent(summary.fileInFive)} (${percent(summary.grepInFive)})`,
    percent(summary.lines),
    summary.commits,
    summary.honestRefusals,
    String(summary.wrongRefusals),
    `${summary.p50Ms} ms (${summary.grepP50Ms} ms)`,
    `${summary.p95Ms} ms`,
  ];
}

function percent(value: number): string {
  return Number.isNaN(value) ? '–' : `${value} %`;
}

function rank(position: number | undefined): string {
  return position === undefined ? '–' : String(position);
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
