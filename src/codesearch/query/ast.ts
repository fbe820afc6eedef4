/** How bare words of a query are read; `standard` is `literal` with `/regexp/` and "quoted" parts. */
export const PATTERN_TYPES = ['standard', 'literal', 'keyword', 'regexp'] as const;
export type PatternType = (typeof PATTERN_TYPES)[number];

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

/** Why a query is not run; the user gets it as an alert. */
export class QueryProblem extends Error {
  readonly kind:
    | 'empty-query'
    | 'invalid-syntax'
    | 'invalid-pattern'
    | 'invalid-filter'
    | 'unsupported-filter'
    | 'unsupported-pattern'
    | 'query-too-large';
  readonly description: string;

  constructor(kind: QueryProblem['kind'], title: string, description: string) {
    super(title);
    this.kind = kind;
    this.description = description;
  }
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
