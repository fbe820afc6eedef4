/** Counts of records by kind: the word after `ds:` in their keys. */
export type RecordCounts = Record<string, number>;

export function countKind(counts: RecordCounts, key: string): void {
  const [, kind = key] = key.split(':');
  counts[kind] = (counts[kind] ?? 0) + 1;
}
