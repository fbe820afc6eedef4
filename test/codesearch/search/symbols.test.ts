import { describe, expect, test } from 'vitest';
import { docComment, firstSentence } from '../../../src/codesearch/ask/blocks.ts';
import { conditionOf } from '../../../src/codesearch/ask/condition.ts';
import { roleOf } from '../../../src/codesearch/index/roles.ts';
import { enclosing } from '../../../src/codesearch/index/symbols.ts';
import { outlineOf } from '../../../src/codesearch/index/syntax/definitions.ts';
import { cutUnits } from '../../../src/codesearch/index/units.ts';

const namesIn = async (path: string, text: string): Promise<string[]> =>
  (await outlineOf(path, text)).symbols.map(({ kind, name }) => `${kind} ${name}`);

describe('finding symbols', () => {
  test('finds what TypeScript defines', async () => {
    const text = `export async function load<T>(id: T) {
  if (id) { return; }
}
export class Store extends Base {
  async #get<T extends (a: any) => Promise<any>>(key: string): Promise<T> {
  }
  moveTo(
    key: string,
  ): void {
    this.call(
      key,
    );
  }
}
export interface Options {}
type Id = string;
export const LIMIT = 3;
const add = (a: number) => a + 1;
`;
    expect(await namesIn('a.ts', text)).toEqual([
      'function load',
      'class Store',
      'method get',
      'method moveTo',
      'interface Options',
      'type Id',
      'constant LIMIT',
      'function add',
    ]);
  });

  test.each([
    [
      'a.py',
      'class Store:\n    def get(self):\n        pass\n\ndef load():\n    pass\nLIMIT = 3\n',
      ['class Store', 'method get', 'function load', 'constant LIMIT'],
    ],
    [
      'a.go',
      'type Store struct {\n}\nfunc (s *Store) Get() {\n}\nfunc load() {\n}\nconst limit = 3\n',
      ['type Store', 'method Get', 'function load', 'constant limit'],
    ],
    [
      'a.rs',
      'pub struct Store {}\nimpl Store {\n    pub fn get(&self) {}\n}\npub trait Load {}\n',
      ['class Store', 'method get', 'interface Load'],
    ],
    [
      'A.java',
      'public class Store {\n    public static int get(String key) {\n    }\n}\n',
      ['class Store', 'method get'],
    ],
    ['a.rb', 'class Store\n  def get\n  end\nend\n', ['class Store', 'method get']],
    ['a.c', '#define LIMIT 3\nstatic int load(char *key)\n{\n}\n', ['constant LIMIT', 'function load']],
    ['a.md', '# Title\n```sh\n# not a heading\n```\n## Part\n', ['heading Title', 'heading Part']],
    ['a.js', 'exports.load = function () {}\nconst path = require("path")\n', ['function load']],
    ['a.cs', 'class Store { int Get() { return 1; } }\n', ['class Store', 'method Get']],
    ['a.php', '<?php\nclass Store { function get() {} }\n', ['class Store', 'method get']],
    ['a.sh', 'load() {\n  :\n}\n', ['function load']],
    ['a.kt', 'class Store {\n  override fun get(): Int = 1\n}\n', ['class Store', 'function get']],
    ['a.proto', 'message Store {\n  string key = 1;\n}\n', ['type Store']],
    ['a.txt', 'function nothing() {}\n', []],
  ])('finds the symbols of %s', async (path, text, expected) => {
    expect(await namesIn(path, text)).toEqual(expected);
  });
});

describe('a block of code', () => {
  const code = `/**
 * Adds numbers. Not more.
 * @param a one
 */
export function add(
  a: number,
  b: number,
): number {
  return a + b;
}

/*
Counts without stars.
*/
const count = 3;
`.split('\n');

  test('of a definition ends with its closing brace, after a signature of several lines', async () => {
    const { symbols } = await outlineOf('a.ts', code.join('\n'));
    expect(symbols.map(({ name, line, end }) => [name, line, end])).toEqual([
      ['add', 5, 10],
      ['count', 15, 15],
    ]);
  });

  test('is the innermost definition around a line', async () => {
    const { symbols } = await outlineOf('a.py', 'class Store:\n    def get(self):\n        return 1\n');
    expect(enclosing(symbols, 3)).toMatchObject({ name: 'get', owner: 'Store' });
    expect(enclosing(symbols, 9)).toBeUndefined();
  });

  test('of a comment is read without its marks and tags', () => {
    expect(docComment(code, 5)).toBe('Adds numbers. Not more.');
    expect(firstSentence(docComment(code, 5))).toBe('Adds numbers.');
    expect(docComment(code, 15)).toBe('Counts without stars.');
  });

  test('of Python begins with its docstring', () => {
    const python = 'def load(key):\n    """Loads a key."""\n    return 1\n'.split('\n');
    expect(docComment(python, 1)).toBe('Loads a key.');
  });
});

describe('the units of a file', () => {
  const long = Array.from({ length: 150 }, (_, at) => `  step(${at});`).join('\n');
  const text = `import x from 'x';

/** Loads. */
export function load() {
  return x;
}

export class Store {
  limit = 3;

  /** Reads. */
  get() {
    return load();
  }
}

function run() {
${long}
}
`;

  test('cover every line once', async () => {
    const lines = text.split('\n');
    const units = cutUnits(lines, await outlineOf('a.ts', text));
    expect(units.map(({ start }) => start).slice(1)).toEqual(units.map(({ end }) => end + 1).slice(0, -1));
    expect(units[0]?.start).toBe(1);
    expect(units.at(-1)?.end).toBe(lines.length);
  });

  test('are definitions with their comments, and parts of long ones', async () => {
    const units = cutUnits(text.split('\n'), await outlineOf('a.ts', text));
    const named = units.map(({ symbol, start }) => `${symbol?.name ?? '-'} ${start}`);
    expect(named.slice(0, 4)).toEqual(['- 1', 'load 3', 'Store 8', 'get 11']);
    expect(units.filter(({ symbol }) => symbol?.name === 'run').length).toBeGreaterThan(2);
  });

  test('take a line that only passes a name on for an import', async () => {
    const code = 'exports.load = load\nmodule.exports = { load }\nexports.run = () => load()\n';
    expect([...(await outlineOf('a.js', code)).importLines]).toEqual([1, 2]);
  });

  test('know which lines are comments and which are imports', async () => {
    const { commentLines, importLines } = await outlineOf('a.ts', text);
    expect([...commentLines]).toEqual([3, 11]);
    expect([...importLines]).toEqual([1]);
  });
});

test.each([
  ['a.ts', 'function f(a) {\n  if (a > 1) {\n    throw new Error();\n  }\n}', 3, 'a > 1'],
  ['a.ts', 'function f(a) {\n  if (a) {\n    b();\n  } else {\n    c();\n  }\n}', 5, 'not a'],
  ['a.py', 'def f(a):\n    if not a:\n        raise ValueError()\n', 3, 'not a'],
  ['a.rs', 'fn f(a: bool) {\n    if a {\n        panic!();\n    }\n}', 3, 'a'],
  ['a.ts', 'if (a) {\n  on(() => {\n    b();\n  });\n}', 3, undefined],
  ['a.ts', 'b();', 1, undefined],
  ['a.txt', 'if (a)\n  b', 2, undefined],
])(
  'the condition of a line in %s is that of the `if` around it in its function: %j, line %i',
  async (path, text, line, condition) => {
    expect(await conditionOf(path, text.split('\n'), line)).toBe(condition);
  },
);

test('the condition of a call within a condition is that of the `if` around both', async () => {
  const lines = ['function f(a) {', '  if (a) {', '    if (isLate(a)) stop();', '  }', '}'];
  expect(await conditionOf('a.ts', lines, 3, 'isLate')).toBe('a');
  expect(await conditionOf('a.ts', lines, 3, 'stop')).toBe('isLate(a)');
});

test.each([
  ['src/a.ts', 'source'],
  ['src/a.test.ts', 'test'],
  ['pkg/a_test.go', 'test'],
  ['docs/guide.md', 'docs'],
  ['README', 'docs'],
  ['package-lock.json', 'generated'],
  ['vendor/lib/a.go', 'vendored'],
  ['dist/app.min.js', 'generated'],
  ['config/app.yaml', 'config'],
  ['examples/run.py', 'example'],
  ['_examples/server/main.go', 'example'],
  ['packages/queue/bench/many.ts', 'example'],
  ['src/benchmark/executor.rs', 'source'],
  ['src/examples.ts', 'source'],
  ['src/examples/hello.rs', 'example'],
  ['packages/performance/src/index.ts', 'source'],
  ['packages/test-runner/src/run.ts', 'source'],
  ['lib/libfoo.so.1', 'source'],
  ['man/harbour.8', 'docs'],
  ['test-data/crates.js', 'test'],
  ['testing.ts', 'source'],
  ['doc/harbour.1', 'docs'],
])('the file %s is of the kind %s', (path, role) => {
  expect(roleOf(path)).toBe(role);
});
