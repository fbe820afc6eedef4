import { commitPath, filePath } from '../addresses.ts';
import { escapeRegExp } from '../escape.ts';
import {
  type CommitMatch,
  chunksOf,
  type FileMatch,
  type Location,
  type SearchResults,
  type SymbolMatch,
} from '../query/results.ts';
import type { Search, SearchRequest } from '../query/search.ts';
import type { Place, RepositoryContext } from './context.ts';
import { firstOf } from './lists.ts';
import { createCodeBlock, createLink } from './markdown.ts';
import type { Work } from './work.ts';

interface SearchArguments {
  query: string;
  version?: SearchRequest['version'] | null;
  patternType?: SearchRequest['patternType'] | 'lucky' | null;
}

/** Finds a repository that the viewer may read. */
type FindRepository = (name: string, work: Work) => RepositoryContext | undefined;

/** The field `Query.search`: the search runs when its results are asked for. */
export function createSearchField(search: Search, find: FindRepository) {
  return ({ query, version, patternType: asked }: SearchArguments) => ({
    async results(_: unknown, work: Work) {
      const patternType = asked === 'lucky' ? 'standard' : (asked ?? undefined);
      const request = { query, version: version ?? undefined, patternType };
      const { viewer, signal } = work;
      const found = await work.search(JSON.stringify(request), () => search({ ...request, viewer, signal }));
      return createResults(found, (name) => find(name, work));
    },
  });
}

function createResults(found: SearchResults, find: (name: string) => RepositoryContext | undefined) {
  const objects = (names: readonly string[]) => names.flatMap((name) => find(name)?.object() ?? []);
  return {
    results(_: unknown, work: Work) {
      work.expect(found.results.length);
      return found.results.flatMap((result) => {
        const context = find(result.repository);
        if (context === undefined) return [];
        if (result.kind === 'repository') return [context.object()];
        return [result.kind === 'file' ? createFileMatch(context, result) : createCommitMatch(context, result)];
      });
    },
    matchCount: found.matchCount,
    resultCount: found.matchCount,
    approximateResultCount: `${found.matchCount}${found.limitHit ? '+' : ''}`,
    limitHit: found.limitHit,
    repositories: () => objects([...new Set(found.results.map(({ repository }) => repository))]),
    // All repositories are local.
    cloning: [],
    missing: () => objects(found.missing),
    timedout: () => objects(found.timedout),
    indexUnavailable: false,
    alert: found.alert ?? null,
    dynamicFilters: [],
    elapsedMilliseconds: Math.round(found.elapsedMilliseconds),
  };
}

function createFileMatch(context: RepositoryContext, match: FileMatch) {
  const place = { oid: match.commit, revision: match.revision, path: match.path };
  return {
    __typename: 'FileMatch',
    file: context.file(place),
    repository: () => context.object(),
    lineMatches: match.lineMatches.map(({ line, lineNumber, ranges }) => ({
      preview: line,
      lineNumber,
      offsetAndLengths: ranges.map(({ start, length }) => [start, length]),
      limitHit: false,
    })),
    chunkMatches: () =>
      chunksOf(match).map(({ content, contentStart, ranges }) => ({
        content,
        contentStart: positionOf(contentStart),
        ranges: ranges.map(({ start, end }) => ({ start: positionOf(start), end: positionOf(end) })),
      })),
    pathMatches: match.pathMatches.map(({ start, length }) => ({
      start: { line: 0, character: start },
      end: { line: 0, character: start + length },
    })),
    symbols: createSymbols(context, place, match.symbols),
  };
}

function positionOf({ line, column }: Location) {
  return { line, character: column };
}

function createCommitMatch(context: RepositoryContext, match: CommitMatch) {
  const { name } = context.repository;
  const url = commitPath(name, match.commit);
  const subject = match.message.split('\n')[0] ?? '';
  // Counts from 1, as the schema does.
  const highlights = match.highlights.map(({ line, character, length }) => ({
    line: line + 1,
    character: character + 1,
    length,
  }));
  return {
    __typename: 'CommitSearchResult',
    label: createLink(`${name} › ${match.author.name}: ${subject}`, url),
    url,
    matches: [{ url, body: createCodeBlock(match.message, 'COMMIT_EDITMSG'), highlights }],
    commit: () => context.commit(match.commit),
    messagePreview: { value: match.message, highlights },
    diffPreview: null,
  };
}

/** The objects of the type `Symbol` for definitions in a file. */
function createSymbols(context: RepositoryContext, place: Place, symbols: readonly SymbolMatch[]): object[] {
  const { repository } = context;
  return symbols.map(({ name, kind, line }) => {
    const url = filePath({ repository: repository.name, path: place.path, commit: place.revision || undefined }, line);
    const range = { start: { line: line - 1, character: 0 }, end: { line, character: 0 } };
    return {
      name,
      containerName: null,
      kind,
      location: { resource: context.file(place), range, url },
      url,
      canonicalURL: filePath({ repository: repository.name, path: place.path, commit: place.oid }, line),
      fileLocal: false,
    };
  });
}

export interface SymbolArguments {
  first?: number | null;
  query?: string | null;
  includePatterns?: readonly string[] | null;
}

/** Finds definitions at a commit by a search for symbols. Patterns with white space or quotation marks find nothing there. */
export async function findSymbols(context: RepositoryContext, oid: string, asked: SymbolArguments, work: Work) {
  const first = firstOf(asked);
  const filters = (asked.includePatterns ?? []).map((pattern) => `file:${pattern.replaceAll(/\s/g, '\\s')}`);
  const place = `repo:^${escapeRegExp(context.repository.name)}$@${oid}`;
  const query = [place, ...filters, 'type:symbol', `count:${first + 1}`, 'patternType:regexp', asked.query || '.'].join(
    ' ',
  );
  const { viewer, signal } = work;
  const found = await work.search(JSON.stringify([query]), () => context.search({ query, viewer, signal }));
  work.expect(found.results.length);
  const nodes = found.results.flatMap((result) => {
    // The words of a client are part of the query, and may name another repository.
    if (result.kind !== 'file' || result.repository !== context.repository.name) return [];
    return createSymbols(context, { oid, revision: oid, path: result.path }, result.symbols);
  });
  return { nodes: nodes.slice(0, first) };
}
