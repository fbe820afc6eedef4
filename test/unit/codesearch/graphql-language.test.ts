import { buildSchema, introspectionFromSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { complete, fieldAt, findOperations, tokenize } from '../../../src/codesearch/pages/assets/graphql-language.js';
import { createSchema, INTROSPECTION } from '../../../src/codesearch/pages/assets/graphql-schema.js';

const built = buildSchema(`
  enum Order { NEWEST OLDEST }
  input Filter { name: String, order: Order }
  interface Node { id: ID! }
  type User implements Node { id: ID!, username: String!, stars(first: Int, order: Order, filter: Filter): [Repository!]! }
  type Repository implements Node { id: ID!, name: String! }
  type Query { user(name: String!): User, node(id: ID!): Node, users: [User!]! }
  type Mutation { star(id: ID!): User }
`);
// biome-ignore lint/suspicious/noExplicitAny: the introspection of graphql has other, equal types
const schema = createSchema(introspectionFromSchema(built) as any);

/** The labels offered at `|`. */
function labels(document: string): string[] {
  const cursor = document.indexOf('|');
  const text = document.replace('|', '');
  return complete(schema, text, cursor).completions.map(({ label }: { label: string }) => label);
}

describe('the completion of the API console', () => {
  it.each([
    ['|', ['fragment', 'mutation', 'query']],
    ['{ | }', ['node', 'user', 'users', '__typename']],
    ['{ us| }', ['user', 'users']],
    ['query Q { users { st| } }', ['stars']],
    ['mutation { | }', ['star', '__typename']],
    ['{ a: user(name: "x { y") { n: username | } }', ['id', 'stars', 'username', '__typename']],
    ['{ user(|) { id } }', ['name']],
    ['{ users { stars(first: 1, o|) { id } } }', ['order']],
    ['{ users { stars(order: |) { id } } }', ['NEWEST', 'OLDEST']],
    ['{ users { stars(filter: { |', ['name', 'order']],
    ['{ users { stars(filter: { order: N|', ['NEWEST']],
    ['query Q($n: String!) { user(name: $|', ['$n']],
    ['query Q($n: |', ['Boolean', 'Filter', 'ID', 'Int', 'Order', 'String']],
    ['{ node(id: 1) { ... on | } }', ['Node', 'Repository', 'User']],
    ['{ node(id: 1) { ... on User { user|', ['username']],
    ['fragment F on User { id } { users { ...| } }', ['F', 'on']],
    ['fragment F on |', ['Mutation', 'Node', 'Query', 'Repository', 'User']],
    ['fragment F on Repository { n| }', ['name']],
    ['fragment F on Repository { am| }', ['name', '__typename']],
    ['{ users @| { id } }', ['deprecated', 'include', 'oneOf', 'skip', 'specifiedBy']],
    ['{ users @include(|) { id } }', ['if']],
    ['{ users @include(if: |) { id } }', ['false', 'true']],
    ['{ users { id } us|', ['user', 'users']],
    ['{ user(name: "us|") }', []],
    ['# us|', []],
    ['{ nothing { | } }', []],
    ['} ) ] |', []],
  ])('in %j offers %j', (document, expected) => {
    expect(labels(document)).toEqual(expected);
  });

  it('never fails, wherever the cursor stands in an unfinished document', () => {
    const text = 'query A($x: [Int!] = [1]) @skip(if: true) { users { ...F stars(filter: {order: NEWEST}) { id } } } "';
    for (let end = 0; end <= text.length; end += 1) {
      for (const part of [text.slice(0, end), text.slice(end)]) {
        expect(Array.isArray(complete(schema, part, Math.floor(part.length / 2)).completions)).toBe(true);
      }
    }
  });
});

describe('the API console', () => {
  it('asks for a valid introspection', async () => {
    const { parse, validate } = await import('graphql');
    expect(validate(built, parse(INTROSPECTION))).toEqual([]);
  });

  it('knows the operation at the cursor by its place', () => {
    const text =
      'query A { users { id } }\nfragment F on User { id }\nmutation B { star(id: 1) { id } }\n{ users { id } }';
    expect(findOperations(text).map(({ name, start, end }) => [name, text.slice(start, end)])).toEqual([
      ['A', 'query A { users { id } }'],
      ['B', 'mutation B { star(id: 1) { id } }'],
      [undefined, '{ users { id } }'],
    ]);
  });

  it('knows the field at the cursor', () => {
    const text = '{ users { stars { name } } }';
    expect(fieldAt(schema, text, text.indexOf('tars'))).toEqual({ type: 'User', field: 'stars' });
    expect(fieldAt(schema, text, text.indexOf('name') + 4)).toEqual({ type: 'Repository', field: 'name' });
    expect(fieldAt(schema, '{ users { nothing } }', 12)).toBeUndefined();
  });

  it('reads strings, comments and variables as one token each', () => {
    expect(tokenize('"a # b" """x "y" z""" # c "d"\n$v -1.5e3 ...').map(({ kind }) => kind)).toEqual([
      'string',
      'string',
      'comment',
      'variable',
      'number',
      'sign',
    ]);
  });
});
