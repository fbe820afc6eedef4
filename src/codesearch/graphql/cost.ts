import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { LIMITS } from '../limits.ts';
import type { RateLimits } from './site-configuration.ts';

/** A limit that a query exceeds, in the words that clients receive. */
export interface Excess {
  type:
    | 'query depth'
    | 'field count'
    | 'alias count'
    | 'duplicate field count'
    | 'unique field count'
    | 'token count'
    | 'nesting';
  limit: number;
  actual: number;
}

type Fragments = ReadonlyMap<string, SelectionSetNode>;

/** What a selection contains, with its fragments written out. */
interface Cost {
  depth: number;
  /** Fields as written, those of an introspection as often as their lists are about long. */
  fields: number;
  aliases: number;
  /** Selections within each other, of fields, inline fragments and fragments: how deep the engine's functions call themselves. */
  nesting: number;
}

/** Thrown to end a walk. */
class Stop extends Error {
  readonly result: Excess[] | 'cyclic';
  constructor(result: Excess[] | 'cyclic') {
    super();
    this.result = result;
  }
}

/**
 * Finds the limits that an operation of the document exceeds; `cyclic` when a fragment contains itself. One walk measures each
 * fragment once, so that the work grows with the length of the document, however fragments are nested.
 */
export function findExcesses(document: DocumentNode, limits: RateLimits): Excess[] | 'cyclic' {
  const fragments = new Map<string, SelectionSetNode>();
  const operations: SelectionSetNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition.selectionSet);
  }
  try {
    // Fragments that no operation uses are compared by the engine too.
    createWalk(fragments)([...fragments.values()]);
    for (const operation of operations) {
      const { cost, names } = createWalk(fragments)([operation]);
      const excesses = excessesOf(cost, names, limits);
      if (excesses.length > 0) return excesses;
      const most = mostDuplicates([operation], fragments);
      const limit = limits.GraphqlMaxDuplicateFieldCount;
      if (most > limit) return [{ type: 'duplicate field count', limit, actual: most }];
    }
    return [];
  } catch (error) {
    if (error instanceof Stop) return error.result;
    throw error;
  }
}

function excessesOf({ depth, fields, aliases }: Cost, names: ReadonlySet<string>, limits: RateLimits): Excess[] {
  const all: Excess[] = [
    { type: 'query depth', limit: limits.graphQLMaxDepth, actual: depth },
    { type: 'field count', limit: LIMITS.graphqlPlaces, actual: fields },
    { type: 'alias count', limit: limits.graphQLMaxAliases, actual: aliases },
    { type: 'unique field count', limit: limits.GraphqlMaxUniqueFieldCount, actual: names.size },
  ];
  return all.filter(({ limit, actual }) => actual > limit);
}

/** A walk that remembers what each fragment costs, and the names of all fields that it met. */
function createWalk(fragments: Fragments) {
  const known = new Map<string, Cost | 'open'>();
  const names = new Set<string>();

  function ofFragment(name: string, level: number): Cost {
    const before = known.get(name);
    if (before === 'open') throw new Stop('cyclic');
    if (before !== undefined) return before;
    known.set(name, 'open');
    const selections = fragments.get(name);
    const cost = selections === undefined ? { ...NOTHING } : measure(selections, level);
    known.set(name, cost);
    return cost;
  }

  function measure(set: SelectionSetNode, level: number): Cost {
    if (level > LIMITS.graphqlNesting) {
      throw new Stop([{ type: 'nesting', limit: LIMITS.graphqlNesting, actual: level }]);
    }
    const sum: Cost = { ...NOTHING, nesting: 1 };
    const add = ({ depth, fields, aliases, nesting }: Cost, factor = 1, deeper = 0, below = 0): void => {
      sum.depth = Math.max(sum.depth, depth + deeper);
      sum.fields = Math.min(sum.fields + factor * fields, Number.MAX_SAFE_INTEGER);
      sum.aliases = Math.min(sum.aliases + aliases, Number.MAX_SAFE_INTEGER);
      sum.nesting = Math.max(sum.nesting, nesting + below);
    };
    for (const selection of set.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) add(ofFragment(selection.name.value, level + 1), 1, 0, 1);
      else if (selection.kind === Kind.INLINE_FRAGMENT) add(measure(selection.selectionSet, level + 1), 1, 0, 1);
      else {
        const name = selection.name.value;
        names.add(name);
        add({ depth: 1, fields: 1, aliases: selection.alias === undefined ? 0 : 1, nesting: 1 });
        if (selection.selectionSet === undefined) continue;
        add(measure(selection.selectionSet, level + 1), INTROSPECTION_LISTS.get(name) ?? 1, 1, 1);
      }
    }
    if (sum.nesting > LIMITS.graphqlNesting) {
      throw new Stop([{ type: 'nesting', limit: LIMITS.graphqlNesting, actual: sum.nesting }]);
    }
    return sum;
  }

  return (sets: readonly SelectionSetNode[]): { cost: Cost; names: ReadonlySet<string> } => {
    let cost: Cost = NOTHING;
    for (const set of sets) cost = measure(set, 1);
    return { cost, names };
  };
}

const NOTHING: Cost = { depth: 0, fields: 0, aliases: 0, nesting: 0 };

/** About how many entries the lists of an introspection have; no other field of the schema has these names. */
const INTROSPECTION_LISTS = new Map([
  ['types', 100],
  ['fields', 8],
  ['args', 3],
  ['inputFields', 3],
  ['enumValues', 5],
  ['possibleTypes', 3],
  ['interfaces', 2],
]);

/**
 * The largest number of fields that select one place of the response and are merged there. Fields with different aliases
 * select different places, so that aliases have only their own limit.
 */
function mostDuplicates(selections: readonly SelectionSetNode[], fragments: Fragments): number {
  const places = new Map<string, FieldNode[]>();
  const spread = new Set<string>();
  const collect = (set: SelectionSetNode): void => {
    for (const selection of set.selections) {
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const fields = places.get(key);
        if (fields === undefined) places.set(key, [selection]);
        else fields.push(selection);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (!spread.has(selection.name.value)) {
        spread.add(selection.name.value);
        const fragment = fragments.get(selection.name.value);
        if (fragment !== undefined) collect(fragment);
      }
    }
  };
  for (const set of selections) collect(set);
  let most = 0;
  for (const fields of places.values()) {
    const inner = fields.flatMap(({ selectionSet }) => selectionSet ?? []);
    most = Math.max(most, fields.length, inner.length === 0 ? 0 : mostDuplicates(inner, fragments));
  }
  return most;
}
