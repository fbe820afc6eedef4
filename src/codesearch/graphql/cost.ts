import { type DocumentNode, Kind, Lexer, type SelectionSetNode, Source, TokenKind } from 'graphql';
import { LIMITS } from '../limits.ts';
import type { CostLimits } from './site-configuration.ts';

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

const OPENING = new Set<string>([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L]);
const CLOSING = new Set<string>([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R]);

/**
 * Whether a text is too long or too nested for the parser, which calls itself for each bracket. Throws a `GraphQLError` for text
 * that is not made of GraphQL tokens.
 */
export function findExcessOfText(text: string): Excess | undefined {
  const lexer = new Lexer(new Source(text));
  let tokens = 0;
  let nesting = 0;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1;
    if (OPENING.has(token.kind)) nesting += 1;
    if (CLOSING.has(token.kind)) nesting -= 1;
    if (tokens > LIMITS.graphqlTokens) return { type: 'token count', limit: LIMITS.graphqlTokens, actual: tokens };
    if (nesting > LIMITS.graphqlNesting) return tooNested(nesting);
  }
  return undefined;
}

function tooNested(actual: number): Excess {
  return { type: 'nesting', limit: LIMITS.graphqlNesting, actual };
}

/** A place of the response, which several fields and fragments may select. */
interface Place {
  /** Fields that select it. */
  fields: number;
  below: Map<string, Place>;
  /** Fragments that were written out here; further ones of the same name add nothing. */
  fragments: Set<string>;
}

/** These fields show the schema. The engine makes about this many fields for each selection below them. */
const INTROSPECTIONS = new Set(['__schema', '__type']);
const FIELDS_OF_INTROSPECTION = 100;

/**
 * Finds the limits that an operation or fragment of the document exceeds, by walking the places of the response as the engine
 * does. The walk ends after a fixed number of steps, however fragments are nested. Fragments in a circle are left to validation.
 */
export function findExcesses(document: DocumentNode, limits: CostLimits): Excess[] {
  const fragments = new Map<string, SelectionSetNode>();
  const roots: SelectionSetNode[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet);
    // Validation compares also fragments that no operation uses.
    if ('selectionSet' in definition) roots.push(definition.selectionSet);
  }
  let steps = 0;
  /** What ended the walk. */
  let end: Excess | undefined;

  function measure(root: SelectionSetNode): Excess[] {
    const names = new Set<string>();
    const open = new Set<string>();
    let [deepest, aliases, duplicates] = [0, 0, 0];

    function walk(set: SelectionSetNode, place: Place, nesting: number, depth: number, weight: number): void {
      if (nesting > LIMITS.graphqlNesting) end ??= tooNested(nesting);
      deepest = Math.max(deepest, depth);
      for (const selection of set.selections) {
        steps += weight;
        if (steps > LIMITS.graphqlPlaces) end ??= { type: 'field count', limit: LIMITS.graphqlPlaces, actual: steps };
        if (end !== undefined) return;
        if (selection.kind === Kind.INLINE_FRAGMENT) {
          walk(selection.selectionSet, place, nesting + 1, depth, weight);
        } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
          const name = selection.name.value;
          const fragment = fragments.get(name);
          if (fragment === undefined || open.has(name) || place.fragments.has(name)) continue;
          place.fragments.add(name);
          open.add(name);
          walk(fragment, place, nesting + 1, depth, weight);
          open.delete(name);
        } else {
          const name = selection.name.value;
          names.add(name);
          if (selection.alias !== undefined) aliases += 1;
          const key = selection.alias?.value ?? name;
          const below = place.below.get(key) ?? createPlace();
          place.below.set(key, below);
          below.fields += 1;
          duplicates = Math.max(duplicates, below.fields);
          if (selection.selectionSet === undefined) continue;
          const own = INTROSPECTIONS.has(name) ? FIELDS_OF_INTROSPECTION : weight;
          walk(selection.selectionSet, below, nesting + 1, depth + 1, own);
        }
      }
    }

    walk(root, createPlace(), 1, 1, 1);
    if (end !== undefined) return [end];
    const all: Excess[] = [
      { type: 'query depth', limit: limits.graphQLMaxDepth, actual: deepest },
      { type: 'alias count', limit: limits.graphQLMaxAliases, actual: aliases },
      { type: 'duplicate field count', limit: limits.GraphqlMaxDuplicateFieldCount, actual: duplicates },
      { type: 'unique field count', limit: limits.GraphqlMaxUniqueFieldCount, actual: names.size },
    ];
    return all.filter(({ limit, actual }) => actual > limit);
  }

  for (const root of roots) {
    const excesses = measure(root);
    if (excesses.length > 0) return excesses;
  }
  return [];
}

function createPlace(): Place {
  return { fields: 0, below: new Map(), fragments: new Set() };
}
