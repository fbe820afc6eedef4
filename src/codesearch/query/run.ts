import { setImmediate as breathe } from 'node:timers/promises';
import { LIMITS } from '../limits.ts';
import type { TextFilter } from './branch.ts';
import type { Pattern } from './pattern.ts';
import type { Expression } from './plan.ts';
import type { SearchAlert, SearchResult } from './results.ts';

/** The search ends early, with what was found so far: enough matches, or no time left. */
export class SearchStop extends Error {
  override readonly name = 'SearchStop';
  readonly kind: 'limit' | 'timeout';

  constructor(kind: SearchStop['kind']) {
    super(kind);
    this.kind = kind;
  }
}

/** What one search has used and found; shared by all of its parts. */
export interface Run {
  /** Ends with the request or at the deadline. */
  signal: AbortSignal;
  limitHit: boolean;
  missing: Set<string>;
  timedout: Set<string>;
  /** The first problem is shown; later ones rarely add anything. */
  alert: SearchAlert | undefined;
  /** Lets other requests proceed when some time has passed since the last pause; throws when the search ended meanwhile. */
  pause(): Promise<void> | undefined;
  /** Adds a result; throws {@link SearchStop} when the search has enough. */
  add(result: SearchResult): Promise<void>;
}

export function createAlert(kind: string, title: string, description: string): SearchAlert {
  return { kind, title, description, proposedQueries: [] };
}

/** See {@link Run.pause}. Most calls wait for nothing, so they make no promise. */
export function createPause(signal: AbortSignal): Run['pause'] {
  let lastMs = performance.now();
  return () => {
    if (performance.now() - lastMs < LIMITS.searchPauseMs) return undefined;
    return breathe().then(() => {
      if (signal.aborted) throw new SearchStop('timeout');
      lastMs = performance.now();
    });
  };
}

/** Whether a text passes a filter. */
export function passes({ include, exclude }: TextFilter, text: string): boolean {
  return include.every((one) => one.test(text)) && !exclude.some((one) => one.test(text));
}

/** Whether an expression holds, given which of its patterns hold. */
export function evaluate(expression: Expression, holds: (index: number) => boolean): boolean {
  switch (expression.kind) {
    case 'leaf':
      return holds(expression.index);
    case 'and':
      return expression.operands.every((operand) => evaluate(operand, holds));
    case 'or':
      return expression.operands.some((operand) => evaluate(operand, holds));
    case 'not':
      return !evaluate(expression.operand, holds);
  }
}

/** The patterns that an expression asks for; those it excludes are never shown. */
export function shownPatterns(expression: Expression | undefined, patterns: readonly Pattern[]): Pattern[] {
  const visit = (node: Expression, isShown: boolean): number[] => {
    if (node.kind === 'leaf') return isShown ? [node.index] : [];
    if (node.kind === 'not') return visit(node.operand, !isShown);
    return node.operands.flatMap((operand) => visit(operand, isShown));
  };
  return expression === undefined ? [] : visit(expression, true).flatMap((index) => patterns[index] ?? []);
}
