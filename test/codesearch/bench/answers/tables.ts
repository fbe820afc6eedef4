import { type Score, type Summary, summarize } from './scoring.ts';

const HEAD =
  `questions, right file first, in the first three, fact said, confidently wrong, unproven, honest refusals, wrong refusals,
  right commit, characters, p90, p50, p95`.split(/,\s+/);

/** A Markdown table of the measures, with one row per group; `git grep` in parentheses. */
export function measuresTable(groupName: string, groups: ReadonlyMap<string, readonly Score[]>): string {
  const rows = [...groups].map(([name, scores]) => [name, ...cellsOf(summarize(scores))]);
  return markdownTable([groupName, ...HEAD], rows);
}

/** A Markdown table of the questions that are answered wrongly in some way, and how. */
export function missesTable(scores: readonly Score[]): string {
  const rows = scores.flatMap((one) => {
    const faults = faultsOf(one).join(', ');
    const question = one.question.replaceAll('|', '\\|').replace(/\s+/g, ' ');
    return faults === '' ? [] : [[one.id, one.kind, question, faults, position(one.rank), position(one.grepRank)]];
  });
  return markdownTable(['id', 'kind', 'question', 'what is wrong', 'right file at', '`git grep`'], rows);
}

function faultsOf({ kind, rank, refused, factSaid, commitLinked, confidentlyWrong, unproven }: Score): string[] {
  const isAnswerable = kind !== 'none' && kind !== 'smalltalk';
  if (refused) return isAnswerable ? ['refused'] : [];
  return [
    ...(kind === 'none' ? ['made up'] : []),
    ...(isAnswerable && rank > 1 ? [rank > 3 ? 'not in the first three' : 'not first'] : []),
    ...(factSaid === false ? ['fact not said'] : []),
    ...(commitLinked === false ? ['commit not linked'] : []),
    ...(confidentlyWrong ? ['confidently wrong'] : []),
    ...(unproven.length > 0 ? [`unproven: ${unproven.join(', ')}`] : []),
  ];
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
    `${percent(summary.first)} (${percent(summary.grepFirst)})`,
    `${percent(summary.inThree)} (${percent(summary.grepInThree)})`,
    ...[summary.facts, summary.confidentlyWrong].map(percent),
    ...[String(summary.unproven), summary.honest, percent(summary.wrongRefusals), summary.commits],
    ...[String(summary.medianCharacters), String(summary.p90Characters)],
    ...[`${summary.p50Ms} ms (${summary.grepP50Ms} ms)`, `${summary.p95Ms} ms`],
  ];
}

function percent(value: number): string {
  return Number.isNaN(value) ? '–' : `${value} %`;
}

function position(rank: number): string {
  return Number.isFinite(rank) ? String(rank) : '–';
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
