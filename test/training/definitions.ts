import type { Pair } from './pairs.ts';

/** The code side of a pair. */
export type PairCode = Omit<Pair, 'kind' | 'question'>;

/** Definitions of a repository by name, to find the code that a text names. */
export class Definitions {
  /** Nothing for a name with several definitions. */
  private readonly byName = new Map<string, PairCode | undefined>();

  add(name: string, code: PairCode): void {
    this.byName.set(name, this.byName.has(name) ? undefined : code);
  }

  /** The code of a name that is defined once. */
  codeOf(name: string): PairCode | undefined {
    return this.byName.get(name);
  }
}
