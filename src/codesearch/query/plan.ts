import { LIMITS } from '../limits.ts';
import { type FilterNode, type PatternNode, type Query, type QueryNode, QueryProblem } from './ast.ts';
import { type Branch, type GlobalSettings, readBranch, readGlobalSettings } from './branch.ts';
import { combine, negate, tooLarge } from './parse.ts';
import { compilePattern, type Pattern } from './pattern.ts';

/** Patterns combined; a file, path or message is tested as a whole. */
export type Expression =
  | { kind: 'leaf'; index: number }
  | { kind: 'and' | 'or'; operands: readonly Expression[] }
  | { kind: 'not'; operand: Expression };

/** One search of a query: filters, and what to find in what they select. */
export interface PlannedBranch extends Branch {
  patterns: readonly Pattern[];
  expression: Expression | undefined;
}

export interface Plan extends GlobalSettings {
  branches: readonly PlannedBranch[];
}

/** A branch before its filters are read. */
interface RawBranch {
  filters: readonly FilterNode[];
  pattern: QueryNode | undefined;
}

const GLOBAL = new Set(['count', 'timeout', 'select']);

/**
 * Checks filters and patterns and splits a query into searches, each with filters for all of its patterns: alternatives that have
 * filters become separate searches. Throws {@link QueryProblem}.
 */
export function planQuery({ root }: Query): Plan {
  const filters = filtersOf(root);
  const raw = root === undefined ? [] : branchesOf(root);
  // Alternatives have patterns in common.
  const compiled = new Map<string, Pattern>();
  const branches = raw.flatMap((branch) => planBranch(branch, compiled));
  if (branches.length === 0) {
    throw new QueryProblem(
      'empty-query',
      'The query is empty',
      'Write words to search for, or a filter such as repo:, file: or type:.',
    );
  }
  return { ...readGlobalSettings(filters.filter(({ field }) => GLOBAL.has(field))), branches };
}

function planBranch({ filters, pattern }: RawBranch, compiled: Map<string, Pattern>): PlannedBranch[] {
  const own = filters.filter(({ field }) => !GLOBAL.has(field));
  if (own.every(({ field }) => field === 'context' || field === 'case') && pattern === undefined) return [];
  const branch = readBranch(own);
  const patterns: Pattern[] = [];
  const add = (node: PatternNode): number => {
    if (patterns.length >= LIMITS.queryPatterns)
      throw tooLarge(`A query has at most ${LIMITS.queryPatterns} patterns.`);
    const key = `${branch.isCaseSensitive} ${node.syntax} ${node.text}`;
    const known = compiled.get(key) ?? compilePattern(node, branch.isCaseSensitive);
    compiled.set(key, known);
    return patterns.push(known) - 1;
  };
  return [{ ...branch, patterns, expression: pattern && expressionOf(pattern, add) }];
}

/** `add` numbers the patterns. */
function expressionOf(node: QueryNode, add: (node: PatternNode) => number): Expression {
  switch (node.kind) {
    case 'and':
    case 'or':
      return { kind: node.kind, operands: node.operands.map((operand) => expressionOf(operand, add)) };
    case 'not':
      return { kind: 'not', operand: expressionOf(node.operand, add) };
    default:
      return { kind: 'leaf', index: add(node as PatternNode) };
  }
}

function filtersOf(node: QueryNode | undefined): FilterNode[] {
  if (node === undefined || node.kind === 'pattern') return [];
  if (node.kind === 'filter') return [node];
  return node.kind === 'not' ? filtersOf(node.operand) : node.operands.flatMap(filtersOf);
}

/** The disjunctive form over filters; patterns without filters between them stay one expression. */
function branchesOf(node: QueryNode): RawBranch[] {
  if (filtersOf(node).length === 0) return [{ filters: [], pattern: node }];
  switch (node.kind) {
    case 'filter':
      return [{ filters: [node], pattern: undefined }];
    case 'or':
      return bounded(node.operands.flatMap(branchesOf));
    case 'and':
      return node.operands
        .map(branchesOf)
        .reduce((all, next) => bounded(all.flatMap((one) => next.map((other) => both(one, other)))));
    case 'not':
      return branchesOf(pushNegation(node.operand));
    default:
      return [{ filters: [], pattern: node }];
  }
}

function both(one: RawBranch, other: RawBranch): RawBranch {
  const patterns = [one.pattern, other.pattern].flatMap((node) => node ?? []);
  return { filters: [...one.filters, ...other.filters], pattern: combine('and', patterns) };
}

function pushNegation(node: QueryNode): QueryNode {
  if (node.kind === 'and' || node.kind === 'or') {
    return { kind: node.kind === 'and' ? 'or' : 'and', operands: node.operands.map((operand) => negate(operand)) };
  }
  return negate(node);
}

function bounded(branches: RawBranch[]): RawBranch[] {
  if (branches.length <= LIMITS.queryBranches) return branches;
  throw tooLarge(`The alternatives of a query make at most ${LIMITS.queryBranches} searches.`);
}
