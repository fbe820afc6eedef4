import {
  type DocumentNode,
  type FieldNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
} from 'graphql';
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

/** The name of an operation among the fragments; no fragment has an empty name. */
const ROOT = '';

type Fragments = ReadonlyMap<string, SelectionSetNode>;

/** What an operation or a fragment contains, without the fragments it spreads. */
interface Outline {
  depth: number;
  /** Fields of the response, with the factors of the lists around them. */
  fields: number;
  /** Fields as written. */
  places: number;
  aliases: number;
  names: Set<string>;
  /** Selections within each other, of fields and of inline fragments. */
  nesting: number;
  spreads: { name: string; factor: number; depth: number; nesting: number }[];
}

/** How often a fragment is used, all spreads of all its users included. */
interface Use {
  times: number;
  factor: number;
  depth: number;
}

interface Cost {
  depth: number;
  fields: number;
  places: number;
  aliases: number;
  names: Set<string>;
}

/**
 * Finds the limits that an operation of the document exceeds; `cyclic` when a fragment contains itself. The work grows with
 * the length of the document and, for duplicates, with at most `LIMITS.graphqlPlaces` fields, however fragments are nested.
 */
export function findExcesses(
  document: DocumentNode,
  variables: Readonly<Record<string, unknown>>,
  limits: RateLimits,
): Excess[] | 'cyclic' {
  const fragments = new Map<string, SelectionSetNode>();
  const operations: OperationDefinitionNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet);
    if (definition.kind === Kind.OPERATION_DEFINITION) operations.push(definition);
  }
  const nesting = deepestNesting([
    ...fragments,
    ...operations.map(({ selectionSet }) => [ROOT, selectionSet] as const),
  ]);
  if (nesting === undefined) return 'cyclic';
  if (nesting > LIMITS.graphqlNesting) return [{ type: 'nesting', limit: LIMITS.graphqlNesting, actual: nesting }];
  for (const operation of operations) {
    const excesses = excessesOf(operation, fragments, valuesOf(operation, variables), limits);
    if (excesses.length > 0) return excesses;
  }
  return [];
}

function excessesOf(
  operation: OperationDefinitionNode,
  fragments: Fragments,
  values: ReadonlyMap<string, unknown>,
  limits: RateLimits,
): Excess[] {
  const cost = measure(operation.selectionSet, fragments, values);
  const excesses: Excess[] = [];
  const check = (type: Excess['type'], limit: number, actual: number): void => {
    if (actual > limit) excesses.push({ type, limit, actual });
  };
  check('query depth', limits.graphQLMaxDepth, cost.depth);
  check('field count', limits.graphQLMaxFieldCount, cost.fields);
  check('alias count', limits.graphQLMaxAliases, cost.aliases);
  check('unique field count', limits.GraphqlMaxUniqueFieldCount, cost.names.size);
  if (excesses.length === 0) check('field count', LIMITS.graphqlPlaces, cost.places);
  if (cost.depth <= limits.graphQLMaxDepth && cost.places <= LIMITS.graphqlPlaces) {
    check(
      'duplicate field count',
      limits.GraphqlMaxDuplicateFieldCount,
      mostDuplicates([operation.selectionSet], fragments),
    );
  }
  return excesses;
}

/** Adds up the operation and its fragments: users come before what they use, so that each fragment is read once. */
function measure(root: SelectionSetNode, fragments: Fragments, values: ReadonlyMap<string, unknown>): Cost {
  const outlines = new Map<string, Outline>();
  const outlineOf = (name: string, selections: SelectionSetNode): Outline => {
    const known = outlines.get(name);
    if (known !== undefined) return known;
    const outline = outlineSelections(selections, values);
    outlines.set(name, outline);
    return outline;
  };
  const all = new Map([...fragments, [ROOT, root]]);
  const cost: Cost = { depth: 0, fields: 0, places: 0, aliases: 0, names: new Set() };
  const uses = new Map<string, Use>([[ROOT, { times: 1, factor: 1, depth: 0 }]]);
  for (const name of usersFirst(ROOT, all, outlineOf)) {
    const selections = all.get(name);
    const use = uses.get(name);
    if (selections === undefined || use === undefined) continue;
    const outline = outlineOf(name, selections);
    cost.depth = Math.max(cost.depth, use.depth + outline.depth);
    cost.fields = bounded(cost.fields + use.factor * outline.fields);
    cost.places = bounded(cost.places + use.times * outline.places);
    cost.aliases = bounded(cost.aliases + use.times * outline.aliases);
    for (const own of outline.names) cost.names.add(own);
    for (const spread of outline.spreads) {
      const before = uses.get(spread.name) ?? { times: 0, factor: 0, depth: 0 };
      uses.set(spread.name, {
        times: bounded(before.times + use.times),
        factor: bounded(before.factor + use.factor * spread.factor),
        depth: Math.max(before.depth, use.depth + spread.depth),
      });
    }
  }
  return cost;
}

/** Names of everything the root uses, each after all its users; without recursion, because chains can be long. */
function usersFirst(
  root: string,
  all: ReadonlyMap<string, SelectionSetNode>,
  outlineOf: (name: string, selections: SelectionSetNode) => Outline,
): string[] {
  const usersLeft = new Map<string, number>([[root, 0]]);
  const found = [root];
  for (const name of found) {
    const selections = all.get(name);
    if (selections === undefined) continue;
    for (const spread of outlineOf(name, selections).spreads) {
      if (!usersLeft.has(spread.name)) found.push(spread.name);
      usersLeft.set(spread.name, (usersLeft.get(spread.name) ?? 0) + 1);
    }
  }
  const order = [root];
  for (const name of order) {
    const selections = all.get(name);
    if (selections === undefined) continue;
    for (const spread of outlineOf(name, selections).spreads) {
      const left = (usersLeft.get(spread.name) ?? 0) - 1;
      usersLeft.set(spread.name, left);
      if (left === 0) order.push(spread.name);
    }
  }
  return order;
}

/**
 * Selections within each other with the fragments written out, which is how deep the engine's functions call themselves;
 * undefined when a fragment contains itself.
 */
function deepestNesting(definitions: readonly (readonly [name: string, selections: SelectionSetNode])[]) {
  const outlines = definitions.map(([name, selections]) => ({ name, ...outlineSelections(selections, new Map()) }));
  const usersLeft = new Map<string, number>();
  for (const { name } of outlines.flatMap(({ spreads }) => spreads))
    usersLeft.set(name, (usersLeft.get(name) ?? 0) + 1);
  const byName = new Map(outlines.map((outline) => [outline.name, outline]));
  const above = new Map<string, number>();
  const free = outlines.filter(({ name }) => !usersLeft.has(name));
  let deepest = 0;
  for (const outline of free) {
    const start = above.get(outline.name) ?? 0;
    deepest = Math.max(deepest, start + outline.nesting);
    for (const spread of outline.spreads) {
      above.set(spread.name, Math.max(above.get(spread.name) ?? 0, start + spread.nesting));
      const left = (usersLeft.get(spread.name) ?? 0) - 1;
      usersLeft.set(spread.name, left);
      const used = byName.get(spread.name);
      if (left === 0 && used !== undefined) free.push(used);
    }
  }
  return free.length < outlines.length ? undefined : deepest;
}

function outlineSelections(root: SelectionSetNode, values: ReadonlyMap<string, unknown>): Outline {
  const outline: Outline = { depth: 0, fields: 0, places: 0, aliases: 0, names: new Set(), nesting: 0, spreads: [] };
  const waiting = [{ selections: root, factor: 1, depth: 0, nesting: 1 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { selections, factor, depth, nesting } = next;
    outline.nesting = Math.max(outline.nesting, nesting);
    for (const selection of selections.selections) {
      if (selection.kind === Kind.FRAGMENT_SPREAD) {
        outline.spreads.push({ name: selection.name.value, factor, depth, nesting });
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        waiting.push({ selections: selection.selectionSet, factor, depth, nesting: nesting + 1 });
      } else {
        const name = selection.name.value;
        outline.depth = Math.max(outline.depth, depth + 1);
        outline.places += 1;
        // The list and its name in the response are one field, as the public service counts.
        if (name !== 'nodes' && name !== '__typename') outline.fields = bounded(outline.fields + factor);
        if (selection.alias !== undefined) outline.aliases += 1;
        outline.names.add(name);
        if (selection.selectionSet !== undefined) {
          const inner = bounded(factor * listFactor(selection, values));
          waiting.push({
            selections: selection.selectionSet,
            factor: inner,
            depth: depth + 1,
            nesting: nesting + 1,
          });
        }
      }
    }
  }
  return outline;
}

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

/** How many entries a field asks for; 1 when it does not say. */
function listFactor(field: FieldNode, values: ReadonlyMap<string, unknown>): number {
  const sizes = (field.arguments ?? [])
    .filter(({ name }) => name.value === 'first' || name.value === 'last')
    .map(({ value }) => numberOf(value, values));
  return Math.max(INTROSPECTION_LISTS.get(field.name.value) ?? 1, ...sizes);
}

function numberOf(value: ValueNode, values: ReadonlyMap<string, unknown>): number {
  const given = value.kind === Kind.VARIABLE ? values.get(value.name.value) : Kind.INT === value.kind ? value.value : 1;
  const size = typeof given === 'number' ? given : typeof given === 'string' ? Number(given) : 1;
  return Number.isFinite(size) ? bounded(size) : 1;
}

function valuesOf(operation: OperationDefinitionNode, variables: Readonly<Record<string, unknown>>) {
  const values = new Map<string, unknown>();
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    if (defaultValue?.kind === Kind.INT) values.set(variable.name.value, defaultValue.value);
  }
  for (const [name, value] of Object.entries(variables)) values.set(name, value);
  return values;
}

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

/** Keeps a number that fragments multiply within what JSON can carry. */
function bounded(count: number): number {
  return Math.min(count, Number.MAX_SAFE_INTEGER);
}
