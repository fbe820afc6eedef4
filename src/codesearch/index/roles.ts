import { languageOfFile } from '../git/languages.ts';

export const ROLES = ['source', 'config', 'example', 'test', 'docs', 'vendored', 'generated'] as const;

/** The purpose of a file; decides its weight in searches and its heading in answers. */
export type Role = (typeof ROLES)[number];

/** Sorts what answers most questions first. */
export function compareRoles(a: Role, b: Role): number {
  return ROLES.indexOf(a) - ROLES.indexOf(b);
}

/** Their text is not indexed. */
const MACHINE_WRITTEN =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|cargo\.lock|poetry\.lock|pipfile\.lock|uv\.lock|composer\.lock|gemfile\.lock|go\.sum|flake\.lock)$|\.min\.(js|css)$|\.(map|snap|pb\.go|g\.dart|designer\.cs)$|_pb2(_grpc)?\.py$/i;
const GENERATED = /(^|\/)(__generated__|generated)\//i;
const VENDORED = /(^|\/)(node_modules|vendor|third[_-]?party|bower_components|dist|\.yarn|\.pnp)\//i;
const TEST =
  /(^|\/)(tests?(?:[-_](?:data|cases?|files|fixtures?|helpers?|legacy|resources|support|utils?))?|__tests__|__mocks__|specs?|e2e|testdata|testing|fixtures?|cypress)\/|([._-](test|spec|e2e|bench)s?\.[a-z]+$)|_test\.(go|py|rb|exs?|dart|cc|cpp)$|(^|\/)(test_[^/]*|conftest)\.py$|(Tests?|Spec)\.(java|kt|cs|swift|scala|php)$/;
const DOCS =
  /\.(md|mdx|markdown|rst|adoc|org)$|(?<!(?:^|\/)(?:cmakelists|requirements[\w-]*))\.txt$|(^|\/)(?:docs?|man\d?)\/|(^|\/)(readme|changelog|contributing|license|authors)[^/]*$/i;
const EXAMPLE = /(^|\/)_?(examples?|samples?|demos?|playground)\//i;
const BENCHMARK = /(^|\/)(benchmarks?|bench(?:es)?)\//i;
/** In these folders `benchmark/` is a part of a program that measures. */
const SOURCES = /(^|\/)(src|lib|internal)\//i;
const CONFIG =
  /\.(json|ya?ml|toml|ini|cfg|conf|env|properties|lock|editorconfig)$|(^|\/)(\.[^/]+|dockerfile[^/]*|makefile|procfile|(?:cmakelists|requirements[\w-]*)\.txt)$|\.config\.[cm]?[jt]s$/i;

export function roleOf(path: string): Role {
  if (isMachineWritten(path) || GENERATED.test(path)) return 'generated';
  if (VENDORED.test(path)) return 'vendored';
  if (TEST.test(path)) return 'test';
  if (isCode(path) && isExample(path)) return 'example';
  if (!isCode(path) && DOCS.test(path)) return 'docs';
  if (CONFIG.test(path)) return 'config';
  return isExample(path) ? 'example' : 'source';
}

function isExample(path: string): boolean {
  if (EXAMPLE.test(path)) return true;
  const folder = BENCHMARK.exec(path);
  return folder !== null && !SOURCES.test(path.slice(0, folder.index + 1));
}

/** Whether only tools read a file, by its name: a lock file, a source map. */
export function isMachineWritten(path: string): boolean {
  return MACHINE_WRITTEN.test(path);
}

/** Whether text is minified, recognized by very long lines. */
export function isMinified(text: string): boolean {
  return text.length > 2_000 && text.slice(0, 2_000).split('\n').length <= 4;
}

/** Whether the first lines of a file say that a program wrote it. */
export function saysGenerated(text: string): boolean {
  return /code generated .* do not edit|@generated\b|auto-?generated (?:file|by|from|code)/i.test(text.slice(0, 1_000));
}

/** The language of a file for a fenced code block; empty when unknown. */
export function languageOf(path: string): string {
  return languageOfFile(path)?.id ?? '';
}

export function isCode(path: string): boolean {
  return languageOfFile(path)?.isCode === true;
}
