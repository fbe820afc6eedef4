/** How bare words of a query are read; `standard` is `literal` with `/regexp/` and "quoted" parts. */
export type PatternType = 'standard' | 'literal' | 'keyword' | 'regexp';

/** A piece of text to find; a regular expression is in RE2 syntax. */
export interface PatternNode {
  kind: 'pattern';
  syntax: 'literal' | 'regexp';
  text: string;
}

/** A filter by its full lower-case name, for example `repo`; aliases are resolved. */
export interface FilterNode {
  kind: 'filter';
  field: FilterField;
  value: string;
  negated: boolean;
}

export type QueryNode =
  | PatternNode
  | FilterNode
  | { kind: 'and' | 'or'; operands: readonly QueryNode[] }
  | { kind: 'not'; operand: QueryNode };

/** A query as it was understood; `root` is undefined for a query that only has global settings. */
export interface Query {
  patternType: PatternType;
  root: QueryNode | undefined;
}

/** A reason why a query is not run; it is shown to the user as an alert. */
export interface QueryProblem {
  kind:
    | 'empty-query'
    | 'invalid-syntax'
    | 'invalid-pattern'
    | 'invalid-filter'
    | 'unsupported-filter'
    | 'unsupported-pattern'
    | 'query-too-large';
  title: string;
  description: string;
}

export const FILTER_FIELDS = [
  'repo',
  'rev',
  'file',
  'lang',
  'type',
  'case',
  'count',
  'timeout',
  'select',
  'author',
  'committer',
  'before',
  'after',
  'message',
  'fork',
  'archived',
  'visibility',
  'index',
  'context',
] as const;

export type FilterField = (typeof FILTER_FIELDS)[number];
