import type { Definition, IndexedFile } from '../index/file-index.ts';
import { compareRoles } from '../index/roles.ts';
import { stem } from '../index/stem.ts';
import { textTerms } from '../index/words.ts';
import { comparePaths, type Investigation, repositoryWords } from './investigation.ts';
import type { QuestionInContext } from './question/carry-over.ts';
import { KIND_STEMS } from './question/vocabulary.ts';

/** Names and paths in the question that exist in the repositories. */
export interface Targets {
  /** The names asked about, as defined; the first is the main one. */
  names: { name: string; definitions: Definition[] }[];
  files: IndexedFile[];
  directories: { repository: string; path: string; files: IndexedFile[] }[];
  /** Code names and paths in the question that do not exist. */
  unknown: string[];
}

const KIND_RANK = {
  class: 0,
  interface: 0,
  function: 0,
  type: 0,
  method: 0,
  constant: 1,
  module: 2,
  heading: 3,
} as const;

/** Matches names, compound words and paths of a question with definitions and tracked files. */
export function resolveTargets(question: QuestionInContext, investigation: Investigation): Targets {
  const { corpus } = investigation;
  const targets: Targets = { names: [], files: [], directories: [], unknown: [] };
  // What was shown last: of several definitions with a name, "it" is the one there, unless it is one of tests or examples only.
  const shown = question.continues ? question.before?.files[0] : undefined;
  const isShown = ({ file }: Definition): boolean => file.repository === shown?.repository && file.path === shown.path;
  // "`add` of the router": of several definitions the one whose place has other words of the question.
  const stems = new Set(question.subjects.map((subject) => subject.stem));
  const saidOf = ({ file, symbol }: Definition): number =>
    textTerms(`${file.path} ${symbol.owner ?? ''}`).filter((term) => stems.has(term)).length;
  const add = (name: string, definitions: Definition[]): boolean => {
    if (definitions.length === 0) return false;
    const known = definitions[0]?.symbol.name ?? name;
    if (!targets.names.some((other) => other.name === known)) {
      const ranked = [...definitions].sort(
        (a, b) =>
          compareRoles(a.file.role, b.file.role) ||
          Number(isShown(b)) - Number(isShown(a)) ||
          saidOf(b) - saidOf(a) ||
          byRank(a, b),
      );
      targets.names.push({ name: known, definitions: ranked });
    }
    return true;
  };
  for (const identifier of question.identifiers) {
    const parts = identifier.split(/\.|::|#|->/).filter((part) => part !== '');
    const last = parts.at(-1) ?? identifier;
    if (add(identifier, corpus.index.definitions(identifier))) continue;
    if (parts.length > 1 && add(last, membersOf(parts, corpus.index.definitions(last)))) continue;
    if (!/^[a-z]+$/.test(identifier)) targets.unknown.push(identifier);
  }
  for (const path of question.paths) {
    const files = filesAt(path, corpus.index.all());
    if (files.length > 0) targets.files.push(...files.slice(0, 3));
    else {
      const directories = directoriesAt(path, corpus.index.all());
      if (directories.length > 0) targets.directories.push(...directories.slice(0, 2));
      else targets.unknown.push(path);
    }
  }
  const alone = onlySubjectOf(question);
  if (alone !== undefined && targets.names.length === 0) {
    const own = [alone, `${alone.charAt(0).toUpperCase()}${alone.slice(1)}`]
      .flatMap((name) => corpus.index.definitions(name).filter(({ symbol }) => symbol.name === name))
      .filter(({ file }) => !['test', 'example', 'vendored'].includes(file.role));
    // "The excluder" is the class `Excluder` rather than a method that returns it.
    const types = own.filter(({ symbol }) => /class|interface|type/.test(symbol.kind));
    const exact = types.length > 0 ? types : own.filter(({ symbol }) => symbol.name === alone);
    const isOwnName = repositoryWords(corpus).has(alone.toLowerCase());
    const isPlace = !isOwnName && (question.kind === 'history' || question.kind === 'who');
    if (!add(alone, exact) && isPlace && targets.files.length === 0) {
      targets.directories.push(...directoriesAt(alone, corpus.index.all()).slice(0, 1));
    }
  }
  return targets;
}

const KIND_WORDS = new Set(
  'function method class type interface constant variable module struct object hook component enum'.split(' '),
);

/** The only subject of a short question, like `settings` in "where is settings defined?". */
function onlySubjectOf({ phrase, kind, identifiers }: QuestionInContext): string | undefined {
  // Beside a name that can only be code, a plain word is a word.
  if (identifiers.length > 0) return undefined;
  if (kind === 'about' || kind === 'list' || kind === 'option' || kind === 'howTo') return undefined;
  const kindStems = KIND_STEMS[kind];
  const subjects = phrase.filter(
    (word) => kindStems?.has(stem(word.toLowerCase())) !== true && !/^works?$/i.test(word),
  );
  const words = subjects.length > 1 ? subjects.filter((word) => !KIND_WORDS.has(word.toLowerCase())) : subjects;
  return words.length === 1 ? words[0] : undefined;
}

function membersOf(parts: readonly string[], definitions: Definition[]): Definition[] {
  const owner = parts.at(-2)?.toLowerCase();
  const inOwner = definitions.filter(
    ({ file }) =>
      file.symbols.some((symbol) => symbol.name.toLowerCase() === owner) ||
      file.path.toLowerCase().includes(`${owner}.`),
  );
  return inOwner;
}

function byRank(a: Definition, b: Definition): number {
  return (
    compareRoles(a.file.role, b.file.role) ||
    KIND_RANK[a.symbol.kind] - KIND_RANK[b.symbol.kind] ||
    Number(b.symbol.exported) - Number(a.symbol.exported) ||
    comparePaths(a.file, b.file)
  );
}

/** The file with exactly this path, or else files whose path ends with it, shortest first. */
function filesAt(path: string, files: Iterable<IndexedFile>): IndexedFile[] {
  const wanted = path.toLowerCase();
  const matching = [...files].filter((file) => {
    const own = file.path.toLowerCase();
    return own === wanted || own.endsWith(`/${wanted}`) || `${file.repository}/${own}` === wanted;
  });
  const exact = matching.filter((file) => file.path.toLowerCase() === wanted);
  return exact.length > 0 ? exact : matching.sort((a, b) => a.path.length - b.path.length || comparePaths(a, b));
}

function directoriesAt(path: string, files: Iterable<IndexedFile>): Targets['directories'] {
  const wanted = path.toLowerCase().replace(/\/+$/, '');
  const found = new Map<string, Targets['directories'][number]>();
  for (const file of files) {
    const own = `/${file.path.toLowerCase()}`;
    const place = own.indexOf(`/${wanted}/`);
    if (place < 0) continue;
    const directory = file.path.slice(0, place + wanted.length);
    const key = `${file.repository}\0${directory}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { repository: file.repository, path: directory, files: [file] });
    else known.files.push(file);
  }
  return [...found.values()].sort((a, b) => a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
}
