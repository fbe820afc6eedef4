import { roleOf } from '../../src/codesearch/index/roles.ts';
import { indentOf } from '../../src/codesearch/index/syntax/indent.ts';
import type { Definitions } from './definitions.ts';
import type { Snapshot } from './git-directory.ts';
import { cutPair, isSource, type Pair, sampled, trainingTerms } from './pairs.ts';

const FILES_MAX = 3_000;
const FILE_BYTES_MAX = 300_000;
const BODY_LINES_MAX = 60;
/** A name that more tests use says little about one of them. */
const TESTS_MAX = 8;

/** `it('closes the socket', …` in JavaScript, `t.Run("closes the socket", …` in Go; the quote and the name. */
const CALL = /^\s*(?:(?:it|test|specify|should|scenario)(?:\.\w+)*\(|t\.Run\()\s*(['"`])(.+?)\1\s*,/i;
/** The same around several tests. */
const GROUP = /^\s*(?:describe|context|suite)(?:\.\w+)*\(\s*(['"`])(.+?)\1\s*,/i;
/** `def test_closes_socket`, `func TestClosesSocket`, and functions directly after the attribute of Rust. */
const FUNCTION = /^\s*(?:async )?(?:def (test_\w+)|func (?:\(.*?\) )?Test(\w+)\()/;
const RUST = /^\s*(?:pub )?(?:async )?fn (\w+)\(/;
const RUST_ATTRIBUTE = /^\s*#\[(?:\w+::)?test\b/m;
const NAME = /[A-Za-z_]\w{3,}/g;

interface NamedTest {
  path: string;
  name: string;
  body: string[];
  /** Names in the body. */
  used: Set<string>;
}

/** Pairs of the names of tests and what they test: the definition that fewest tests use, or else the test. */
export async function* readTestPairs(snapshot: Snapshot, definitions: Definitions): AsyncGenerator<Pair> {
  const files = snapshot.files().filter((path) => isSource(path) && roleOf(path) !== 'example');
  const tests: NamedTest[] = [];
  for await (const { path, text } of snapshot.texts(sampled(files, FILES_MAX), FILE_BYTES_MAX)) {
    if (roleOf(path) === 'test' || RUST_ATTRIBUTE.test(text)) tests.push(...testsOf(path, text.split('\n')));
  }
  const uses = new Map<string, number>();
  for (const { used } of tests) for (const name of used) uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const test of tests) yield* pairOf(test, definitions, uses);
}

function* pairOf({ path, name, body, used }: NamedTest, definitions: Definitions, uses: ReadonlyMap<string, number>) {
  const count = (each: string): number => uses.get(each) ?? 0;
  const [tested] = [...used]
    .filter((each) => count(each) <= TESTS_MAX)
    .sort((a, b) => count(a) - count(b))
    .flatMap((each) => definitions.codeOf(each) ?? []);
  const own = { path: trainingTerms(path), symbol: [], comments: [], body: trainingTerms(body.join('\n')) };
  yield* cutPair({ kind: 'testName', question: trainingTerms(name), ...(tested ?? own) });
}

function testsOf(path: string, lines: readonly string[]): NamedTest[] {
  const groups: { name: string; indent: number }[] = [];
  return lines.flatMap((line, i) => {
    const indent = indentOf(line);
    const group = GROUP.exec(line)?.[2];
    if (group !== undefined) {
      while ((groups.at(-1)?.indent ?? -1) >= indent) groups.pop();
      groups.push({ name: group, indent });
    }
    const name = nameOf(line, lines[i - 1] ?? '');
    if (name === undefined) return [];
    const around = groups.findLast((each) => each.indent < indent)?.name ?? '';
    const body = bodyOf(lines, i);
    return [{ path, name: `${around} ${name}`, body, used: new Set(body.join('\n').match(NAME)) }];
  });
}

function nameOf(line: string, before: string): string | undefined {
  const [, , call] = CALL.exec(line) ?? [];
  if (call !== undefined) return call;
  const [, python, go] = FUNCTION.exec(line) ?? [];
  return python?.replace(/^test_/, '') ?? go ?? (RUST_ATTRIBUTE.test(before) ? RUST.exec(line)?.[1] : undefined);
}

/** The lines after the first that are indented more. */
function bodyOf(lines: readonly string[], first: number): string[] {
  const indent = indentOf(lines[first] ?? '');
  const body: string[] = [];
  for (const line of lines.slice(first + 1, first + 1 + BODY_LINES_MAX)) {
    if (line.trim() !== '' && indentOf(line) <= indent) break;
    body.push(line);
  }
  return body;
}
