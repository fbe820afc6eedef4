import { LIMITS } from '../limits.ts';
import type { FilterNode } from './ast.ts';
import { invalidFilter, unsupportedFilter } from './branch.ts';

/** What results are turned into. */
export type Selection =
  | { kind: 'repo' | 'file' | 'directory' | 'content' | 'commit' | 'added' | 'removed' }
  | { kind: 'symbol'; symbolKind: string | undefined };

/** Filters that hold for a whole query, also when they stand in one of its alternatives. */
export interface GlobalSettings {
  /** Matches at most; undefined without `count:`. */
  count: number | undefined;
  /** Undefined without `timeout:`. */
  timeoutMs: number | undefined;
  select: Selection | undefined;
}

const SELECTIONS: Record<string, Selection> = {
  repo: { kind: 'repo' },
  file: { kind: 'file' },
  'file.path': { kind: 'file' },
  'file.directory': { kind: 'directory' },
  content: { kind: 'content' },
  commit: { kind: 'commit' },
  'commit.diff.added': { kind: 'added' },
  'commit.diff.removed': { kind: 'removed' },
};

/** Reads `count:`, `timeout:` and `select:`; throws {@link QueryProblem}. */
export function readGlobalSettings(filters: readonly FilterNode[]): GlobalSettings {
  const value = (field: string): string | undefined => {
    const values = new Set(filters.filter((filter) => filter.field === field).map((filter) => filter.value));
    if (values.size > 1) throw invalidFilter(field, `Give ${field}: once.`);
    if (filters.some((filter) => filter.field === field && filter.negated)) {
      throw invalidFilter(field, `${field}: can't be excluded.`);
    }
    return [...values][0];
  };
  return {
    count: readCount(value('count')),
    timeoutMs: readTimeout(value('timeout')),
    select: readSelect(value('select')),
  };
}

function readCount(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (value.toLowerCase() === 'all') return LIMITS.searchCountMax;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw invalidFilter('count', 'count: is a number from 1, or all.');
  return Math.min(Number(value), LIMITS.searchCountMax);
}

const UNITS: Record<string, number> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1, us: 0.001, µs: 0.001, ns: 0.000_001 };

/** A duration such as `1m30s` or `500ms`; longer ones than the service allows are shortened, as the public service does. */
function readTimeout(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^(?:\d{1,9}(?:\.\d{1,9})?(?:h|ms|m|s|us|µs|ns)){1,7}$/.test(value)) {
    throw invalidFilter('timeout', 'timeout: is a duration such as 10s, 1m or 500ms.');
  }
  let sum = 0;
  for (const [, amount, unit = ''] of value.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)) {
    sum += Number(amount) * (UNITS[unit] ?? 0);
  }
  return Math.min(Math.max(1, Math.round(sum)), LIMITS.searchTimeoutMaxMs);
}

function readSelect(value: string | undefined): Selection | undefined {
  if (value === undefined) return undefined;
  const name = value.toLowerCase();
  const known = Object.hasOwn(SELECTIONS, name) ? SELECTIONS[name] : undefined;
  if (known !== undefined) return known;
  const [, symbolKind] = /^symbol(?:\.([a-z-]+))?$/.exec(name) ?? [];
  if (name === 'symbol' || symbolKind !== undefined) return { kind: 'symbol', symbolKind };
  if (name === 'file.owners') throw unsupportedFilter('select', 'This service knows no owners of files.');
  throw invalidFilter(
    'select',
    'select: is repo, file, file.path, file.directory, content, symbol, symbol.<kind>, commit, commit.diff.added or commit.diff.removed.',
  );
}
