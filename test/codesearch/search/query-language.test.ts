import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  FILTER_FIELDS,
  type PatternType,
  type Query,
  type QueryNode,
  QueryProblem,
} from '../../../src/codesearch/query/ast.ts';
import { combine, negate, parseQuery } from '../../../src/codesearch/query/parse.ts';
import { planQuery } from '../../../src/codesearch/query/plan.ts';
import { printQuery } from '../support/print-query.ts';

function parse(text: string, patternType: PatternType = 'standard'): QueryNode | undefined {
  return parseQuery(text, { patternType }).root;
}

function problemOf(text: string, patternType: PatternType = 'standard'): QueryProblem | undefined {
  try {
    planQuery(parseQuery(text, { patternType }));
    return undefined;
  } catch (error) {
    if (error instanceof QueryProblem) return error;
    throw error;
  }
}

const literal = (text: string): QueryNode => ({ kind: 'pattern', syntax: 'literal', text });
const regexp = (text: string): QueryNode => ({ kind: 'pattern', syntax: 'regexp', text });
const filter = (field: (typeof FILTER_FIELDS)[number], value: string, negated = false): QueryNode => ({
  kind: 'filter',
  field,
  value,
  negated,
});
const and = (...operands: QueryNode[]): QueryNode => ({ kind: 'and', operands });
const or = (...operands: QueryNode[]): QueryNode => ({ kind: 'or', operands });
const not = (operand: QueryNode): QueryNode => ({ kind: 'not', operand });

describe('a standard query', () => {
  test.each<[string, QueryNode | undefined]>([
    ['', undefined],
    ['foo', literal('foo')],
    ['foo   bar', literal('foo bar')],
    ['foo file:x bar', and(filter('file', 'x'), literal('foo bar'))],
    ['"delay cap"', literal('delay cap')],
    ["'it''s'", literal("'it''s'")],
    ['"say \\"hi\\"\\\\"', literal('say "hi"\\')],
    ['foo "bar"', and(literal('foo'), literal('bar'))],
    ['/a.*b c/', regexp('a.*b c')],
    ['/a\\/b/', regexp('a/b')],
    ['/usr/local/bin', literal('/usr/local/bin')],
    ['//', literal('//')],
    ['conf.Get( x', literal('conf.Get( x')],
    ['f()', literal('f()')],
    ['()', literal('()')],
    ['foo)', literal('foo)')],
    ['a OR b AND c', or(literal('a'), and(literal('b'), literal('c')))],
    ['a or b and c', or(literal('a'), and(literal('b'), literal('c')))],
    ['(a OR b) AND c', and(or(literal('a'), literal('b')), literal('c'))],
    ['a b or c d', or(literal('a b'), literal('c d'))],
    ['foo NOT bar', and(literal('foo'), not(literal('bar')))],
    ['foo AND NOT bar', and(literal('foo'), not(literal('bar')))],
    ['foo -bar', and(literal('foo'), not(literal('bar')))],
    ['NOT NOT foo', literal('foo')],
    ['a -> b', literal('a -> b')],
    ['x --y', literal('x --y')],
    ['r:a f:b l:go', and(filter('repo', 'a'), filter('file', 'b'), filter('lang', 'go'))],
    ['-repo:a NOT file:b', and(filter('repo', 'a', true), filter('file', 'b', true))],
    ['NOT -file:b', filter('file', 'b')],
    ['FILE:a Lang:go', and(filter('file', 'a'), filter('lang', 'go'))],
    ['file:"a b"', filter('file', 'a b')],
    [
      '(repo:a foo) or (repo:b bar)',
      or(and(filter('repo', 'a'), literal('foo')), and(filter('repo', 'b'), literal('bar'))),
    ],
    ['repo:a b or c', and(filter('repo', 'a'), or(literal('b'), literal('c')))],
    [
      'repo:a b or c and d -file:e count:3',
      and(
        filter('repo', 'a'),
        filter('file', 'e', true),
        filter('count', '3'),
        or(literal('b'), and(literal('c'), literal('d'))),
      ),
    ],
    ['a or b NOT file:c', and(filter('file', 'c', true), or(literal('a'), literal('b')))],
    ['repo:a or b', or(filter('repo', 'a'), literal('b'))],
    ['a or repo:b', or(literal('a'), filter('repo', 'b'))],
    ['a or repo:b c', or(literal('a'), and(filter('repo', 'b'), literal('c')))],
    ['repo:a b or (c)', or(and(filter('repo', 'a'), literal('b')), literal('c'))],
    [
      'repo:a b or c or repo:d e',
      or(and(filter('repo', 'a'), literal('b')), literal('c'), and(filter('repo', 'd'), literal('e'))),
    ],
    ['file:(a|b)\\.ts$', filter('file', '(a|b)\\.ts$')],
    ['content:"repo:x"', literal('repo:x')],
    ['-content:x', not(literal('x'))],
    ['content:/a+/', regexp('a+')],
    ['std::vector http://x', literal('std::vector http://x')],
    ['constructor:x', literal('constructor:x')],
    ['before:"2 weeks ago"', filter('before', '2 weeks ago')],
  ])('%s', (text, expected) => {
    expect(parse(text)).toEqual(expected);
  });
});

describe('the other pattern types', () => {
  test.each<[string, PatternType, QueryNode]>([
    ['foo bar', 'keyword', and(literal('foo'), literal('bar'))],
    ['foo "b c" /d/', 'keyword', and(literal('foo'), literal('b c'), regexp('d'))],
    ['foo bar', 'regexp', regexp('(?:foo).*?(?:bar)')],
    ['foo\\ bar', 'regexp', regexp('foo\\ bar')],
    ['"a.b"', 'regexp', literal('a.b')],
    ['(open|close)file', 'regexp', regexp('(open|close)file')],
    ['/foo bar/', 'regexp', regexp('foo bar')],
    ['/a/ -b', 'literal', literal('/a/ -b')],
  ])('%s as %s', (text, patternType, expected) => {
    expect(parse(text, patternType)).toEqual(expected);
  });

  test('are chosen by the filter, then by the argument, then by the version', () => {
    const typeOf = (...parameters: Parameters<typeof parseQuery>) => parseQuery(...parameters).patternType;
    expect(typeOf('a patterntype:keyword', { patternType: 'regexp', version: 'V2' })).toBe('keyword');
    expect(typeOf('a', { patternType: 'regexp', version: 'V2' })).toBe('regexp');
    expect(typeOf('a', { version: 'V1' })).toBe('regexp');
    expect(typeOf('a', { version: 'V2' })).toBe('literal');
    expect(typeOf('a', {})).toBe('standard');
    expect(typeOf('(a patternType:regexp) OR (content:"x patternType:keyword")', {})).toBe('regexp');
  });
});

describe('a query that can not be run', () => {
  test.each([
    ['', 'empty-query', 'empty'],
    ['case:yes count:all', 'empty-query', 'empty'],
    ['foo AND', 'invalid-syntax', 'AND needs a term'],
    ['OR foo', 'invalid-syntax', 'OR needs a term'],
    ['foo NOT', 'invalid-syntax', 'NOT needs a term'],
    ['""', 'invalid-pattern', 'text to search'],
    ['/a(/', 'invalid-pattern', 'missing closing )'],
    ['/a(?=b)/', 'invalid-pattern', 'ahead or behind'],
    ['/((a{1,255}){1,255}){1,255}/', 'invalid-pattern', 'too large'],
    [`/${'a{1000}'.repeat(500)}/`, 'invalid-pattern', 'too large'],
    ['"a\\nb"', 'unsupported-pattern', 'line by line'],
    ['/a\\nb/', 'unsupported-pattern', 'line by line'],
    ['repo:* foo', 'invalid-filter', 'missing argument to repetition operator at *'],
    ['file:(?!a)b foo', 'invalid-filter', 'ahead or behind'],
    ['repo:has.path(x y) foo', 'unsupported-filter', 'repo:has.path'],
    ['rev:at.time(yesterday) foo', 'unsupported-filter', 'rev:at.time'],
    ['repo:a@*refs/heads/* foo', 'unsupported-filter', 'Patterns of revisions'],
    ['repo:a@--output=x foo', 'invalid-filter', 'A revision is'],
    ['repo:a@b rev:c foo', 'invalid-filter', 'revision once'],
    ['repohasfile:x foo', 'unsupported-filter', 'repohasfile'],
    ['visibility:private foo', 'unsupported-filter', 'visibility'],
    ['lang:klingon foo', 'invalid-filter', 'language'],
    ['type:issue foo', 'invalid-filter', 'type: is'],
    ['case:maybe foo', 'invalid-filter', 'case: is'],
    ['case:yes case:no foo', 'invalid-filter', 'once'],
    ['count:many foo', 'invalid-filter', 'count: is'],
    ['count:1 count:2 foo', 'invalid-filter', 'once'],
    ['timeout:soon foo', 'invalid-filter', 'duration'],
    ['select:content foo', 'unsupported-filter', 'select: is one of repo, file'],
    ['fork:only foo', 'unsupported-filter', 'fork'],
    ['archived:perhaps foo', 'invalid-filter', 'archived: is'],
    ['visibility:perhaps foo', 'invalid-filter', 'visibility: is'],
    ['index:perhaps foo', 'invalid-filter', 'index: is'],
    ['context:@team foo', 'unsupported-filter', 'context'],
    ['author:ada foo', 'invalid-filter', 'needs type:commit'],
    ['type:commit after:someday foo', 'invalid-filter', 'is a date'],
    ['type:commit file:x foo', 'unsupported-filter', 'takes no file:'],
    ['type:diff foo', 'unsupported-filter', 'does not search in changes'],
    ['repo: foo', 'invalid-filter', 'needs a value'],
    ['-count:3 foo', 'invalid-filter', "can't be excluded"],
    ['patternType:structural foo', 'invalid-filter', 'patternType: is'],
    ['x'.repeat(5_000), 'query-too-large', 'characters'],
    [`${'a OR '.repeat(150)}a`, 'query-too-large', 'terms'],
    ['"a" '.repeat(25), 'query-too-large', 'patterns'],
    [
      '(file:a or file:b) (file:a or file:b) (file:a or file:b) (file:a or file:b) (file:a or file:b) x',
      'query-too-large',
      'searches',
    ],
    [`${'('.repeat(30)}a${')'.repeat(30)}`, 'query-too-large', 'nested'],
  ])('%s is refused as %s', (text, kind, words) => {
    const problem = problemOf(text);
    expect(problem?.kind).toBe(kind);
    expect(`${problem?.message} ${problem?.description}`).toContain(words);
  });

  test.each([
    'fork:yes foo',
    'archived:no foo',
    'visibility:public foo',
    'index:only foo',
    'context:global foo',
    'timeout:1m30s foo',
    'count:all foo',
    'repo:a rev:b:c~2 x',
    '-file:x',
    'NOT foo',
  ])('%s is fine', (text) => {
    expect(problemOf(text)).toBeUndefined();
  });
});

const text = fc.string({ unit: fc.constantFrom(...'ab "\'\\/()\n\t:-é😀'), minLength: 1, maxLength: 8 });
const node: fc.Arbitrary<QueryNode> = fc.letrec<{ node: QueryNode }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    text.map(literal),
    fc.constantFrom('a.*b', 'x\\.y', '[/]', '(a|b) c', 'a\\\\').map(regexp),
    fc
      .tuple(fc.constantFrom(...FILTER_FIELDS), text, fc.boolean())
      .map(([field, value, negated]) => filter(field, value, negated)),
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((operands) => combine('and', operands) ?? literal('a')),
    fc.array(tie('node'), { minLength: 2, maxLength: 3 }).map((operands) => combine('or', operands) ?? literal('a')),
    tie('node').map((operand) => negate(operand)),
  ),
})).node;

describe('the parser', () => {
  test('reads what the printer writes', () => {
    fc.assert(
      fc.property(node, fc.constantFrom<PatternType>('standard', 'keyword', 'regexp'), (root, patternType) => {
        const query: Query = { patternType, root };
        expect(parseQuery(printQuery(query), { patternType })).toEqual(query);
      }),
      { numRuns: 500 },
    );
  });

  test('never throws, whatever the text', () => {
    const pieces = fc.constantFrom(
      '(',
      ')',
      ' ',
      '"',
      "'",
      '/',
      '\\',
      '-',
      'AND',
      'OR',
      'not',
      'repo:',
      'file:',
      '@',
      'a',
      'count:',
      'type:',
      'commit',
      '[',
      '*',
      '\0',
      '\n',
    );
    fc.assert(
      fc.property(
        fc.array(pieces).map((parts) => parts.join('')),
        fc.constantFrom<PatternType>('standard', 'literal', 'keyword', 'regexp'),
        (query, patternType) => {
          expect(() => problemOf(query, patternType)).not.toThrow();
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test.each(['(', '("', "('", '(/', '(a ', '"', ' NOT', '-(', 'repo:has.a('])(
    'ends soon for a query of many %j',
    (piece) => {
      expect(() => problemOf(piece.repeat(4_000 / piece.length))).not.toThrow();
    },
  );
});
