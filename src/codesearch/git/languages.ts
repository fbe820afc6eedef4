import type { Repository } from './repository.ts';
import { readTree } from './tree.ts';

/** A language that files are recognized as. */
export interface Language {
  /** As people write it: `TypeScript`, `C++`. */
  name: string;
  /** As a fenced code block names it: `ts`, `cpp`. */
  id: string;
  /** Whether it is a programming language: not data, markup or style. */
  isCode: boolean;
}

/** Name, id, file extensions and other names in lower case; a `-` before the id marks data, markup and style. */
const TABLE: readonly (readonly [name: string, id: string, extensions: string, aliases?: string])[] = [
  ['TypeScript', 'ts', 'ts mts cts', 'typescript'],
  ['TSX', 'tsx', 'tsx'],
  ['JavaScript', 'js', 'js mjs cjs', 'javascript node'],
  ['JSX', 'jsx', 'jsx'],
  ['Vue', 'vue', 'vue'],
  ['Svelte', 'svelte', 'svelte'],
  ['Python', 'python', 'py pyi', 'python3'],
  ['Go', 'go', 'go', 'golang'],
  ['Rust', 'rust', 'rs'],
  ['Java', 'java', 'java'],
  ['Kotlin', 'kotlin', 'kt kts'],
  ['Scala', 'scala', 'scala sc'],
  ['C#', 'csharp', 'cs', 'c-sharp'],
  ['F#', 'fsharp', 'fs fsi fsx', 'f-sharp'],
  ['Swift', 'swift', 'swift'],
  ['PHP', 'php', 'php'],
  ['Ruby', 'ruby', 'rb rake gemspec'],
  ['C', 'c', 'c h'],
  ['C++', 'cpp', 'cc cpp cxx hpp hh hxx', 'c-plus-plus'],
  ['Objective-C', 'objc', 'm mm', 'objectivec'],
  ['Lua', 'lua', 'lua'],
  ['Elixir', 'elixir', 'ex exs'],
  ['Erlang', 'erlang', 'erl hrl'],
  ['Haskell', 'haskell', 'hs'],
  ['OCaml', 'ocaml', 'ml mli'],
  ['Clojure', 'clojure', 'clj cljs cljc'],
  ['Groovy', 'groovy', 'groovy gradle'],
  ['Dart', 'dart', 'dart'],
  ['R', 'r', 'r'],
  ['Julia', 'julia', 'jl'],
  ['Perl', 'perl', 'pl pm'],
  ['Shell', 'sh', 'sh bash zsh', 'shellscript'],
  ['PowerShell', 'powershell', 'ps1 psm1'],
  ['SQL', 'sql', 'sql'],
  ['Protocol Buffer', 'proto', 'proto', 'protobuf'],
  ['GraphQL', 'graphql', 'graphql gql'],
  ['HCL', 'hcl', 'tf hcl', 'terraform'],
  ['Zig', 'zig', 'zig'],
  ['Nim', 'nim', 'nim'],
  ['Makefile', 'makefile', 'mk', 'make'],
  ['Dockerfile', 'dockerfile', 'dockerfile', 'docker'],
  ['CSS', '-css', 'css'],
  ['SCSS', '-scss', 'scss'],
  ['HTML', '-html', 'html htm'],
  ['XML', '-xml', 'xml'],
  ['JSON', '-json', 'json'],
  ['YAML', '-yaml', 'yaml yml'],
  ['TOML', '-toml', 'toml'],
  ['Markdown', '-md', 'md mdx markdown'],
  ['reStructuredText', '-rst', 'rst'],
]; // prettier-ignore

const byExtension = new Map<string, Language>();
const byWord = new Map<string, Language>();
for (const [name, mark, extensions, aliases = ''] of TABLE) {
  const id = mark.replace(/^-/, '');
  const language: Language = { name, id, isCode: id === mark };
  for (const extension of extensions.split(' ')) byExtension.set(extension, language);
  for (const word of [name.toLowerCase(), id, ...extensions.split(' '), ...aliases.split(' ')])
    byWord.set(word, language);
}

/** The language of a file by its name; undefined when unknown. */
export function languageOfFile(path: string): Language | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'makefile' || name === 'gnumakefile') return byExtension.get('mk');
  if (name.startsWith('dockerfile')) return byExtension.get('dockerfile');
  const dot = name.lastIndexOf('.');
  return dot < 0 ? undefined : byExtension.get(name.slice(dot + 1));
}

/** The language that a person means by `typescript`, `ts`, `C++` or `golang`; undefined when unknown. */
export function findLanguage(word: string): Language | undefined {
  return byWord.get(word.trim().toLowerCase());
}

/** Names of the languages of the files at a revision, the one with the most bytes first; undefined when there is no such revision. */
export async function languagesAt(repository: Repository, revision: string): Promise<string[] | undefined> {
  const files = await readTree(repository, revision, '', true);
  if (files === undefined) return undefined;
  const bytes = new Map<string, number>();
  for (const { path, kind, size = 0 } of files) {
    const name = kind === 'blob' ? languageOfFile(path)?.name : undefined;
    if (name !== undefined) bytes.set(name, (bytes.get(name) ?? 0) + size);
  }
  return [...bytes].sort(([a, some], [b, others]) => others - some || a.localeCompare(b)).map(([name]) => name);
}
