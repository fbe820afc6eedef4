import { readFile } from 'node:fs/promises';
import treeSitter, { type Language, type Parser, type Query, type Tree } from '@vscode/tree-sitter-wasm';
import { languageOfFile } from '../../git/languages.ts';
import { LIMITS } from '../../limits.ts';
import { DEFINITION_QUERIES } from './definition-queries.ts';

/** Grammars by the language ids of `git/languages.ts`. */
const GRAMMARS: Readonly<Record<string, string>> = {
  ts: 'typescript',
  tsx: 'tsx',
  js: 'javascript',
  jsx: 'javascript',
  python: 'python',
  go: 'go',
  rust: 'rust',
  java: 'java',
  csharp: 'c-sharp',
  c: 'cpp',
  cpp: 'cpp',
  ruby: 'ruby',
  php: 'php',
  sh: 'bash',
}; // prettier-ignore

/** A loaded grammar with the query for its definitions and comments. */
export interface Grammar {
  name: string;
  language: Language;
  definitions: Query;
}

let parser: Promise<Parser> | undefined;
const grammars = new Map<string, Promise<Grammar>>();

/** The grammar of a file by its name, loaded once per thread, or again after a failure; undefined for a language without one. */
export async function grammarOf(path: string): Promise<Grammar | undefined> {
  const name = GRAMMARS[languageOfFile(path)?.id ?? ''];
  if (name === undefined) return undefined;
  const known = grammars.get(name);
  if (known !== undefined) return known;
  const loading = load(name).catch((error: unknown) => {
    grammars.delete(name);
    throw error;
  });
  grammars.set(name, loading);
  return loading;
}

async function load(name: string): Promise<Grammar> {
  await startParser();
  const bytes = await readFile(new URL(import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`)));
  const language = await treeSitter.Language.load(bytes);
  return { name, language, definitions: new treeSitter.Query(language, DEFINITION_QUERIES[name] ?? '') };
}

function startParser(): Promise<Parser> {
  parser ??= treeSitter.Parser.init()
    .then(() => new treeSitter.Parser())
    .catch((error: unknown) => {
      parser = undefined;
      throw error;
    });
  return parser;
}

/** Parses a text and hands its tree to `read`; undefined when parsing takes longer than `LIMITS.parseMs`. */
export async function withTree<T>(grammar: Grammar, text: string, read: (tree: Tree) => T): Promise<T | undefined> {
  const running = await startParser();
  running.setLanguage(grammar.language);
  const deadline = performance.now() + LIMITS.parseMs;
  const tree = running.parse(text, null, { progressCallback: () => performance.now() > deadline });
  if (tree === null) {
    running.reset();
    return undefined;
  }
  try {
    return read(tree);
  } finally {
    tree.delete();
  }
}
