import { commitPath } from '../../addresses.ts';
import type { CommitMatch, FileMatch, Location, SearchResults } from '../../query/results.ts';
import { chunksOf } from '../../query/results.ts';
import type { SearchRequest } from '../../query/search.ts';
import type { GraphqlData } from '../data.ts';
import type { Work } from '../work.ts';
import { createBlob } from './file.ts';
import { codeBlock, link, plain } from './markdown.ts';
import { createObjectReference } from './ref.ts';
import type { RepositoryFields } from './repository.ts';
import type { RepositoryContext } from './repository-context.ts';
import { symbolObjects } from './symbols.ts';

interface SearchArguments {
  query: string;
  version?: SearchRequest['version'] | null;
  patternType?: SearchRequest['patternType'] | 'lucky' | null;
}

/** The field `Query.search`: the search runs when its results are asked for. */
export function createSearchField(data: GraphqlData, repositories: RepositoryFields) {
  return ({ query, version, patternType: asked }: SearchArguments) => ({
    async results(_: unknown, work: Work) {
      const patternType = asked === 'lucky' ? 'standard' : asked;
      const key = JSON.stringify([query, version, patternType]);
      const found = await work.search(key, () =>
        data.search({
          query,
          version: version ?? undefined,
          patternType: patternType ?? undefined,
          viewer: work.viewer,
          signal: work.signal,
        }),
      );
      return createResults(found, repositories, work);
    },
  });
}

function createResults(found: SearchResults, repositories: RepositoryFields, work: Work) {
  const objects = (names: readonly string[]) => names.flatMap((name) => repositories.find(name, work)?.object() ?? []);
  const withResults = [...new Set(found.results.map(({ repository }) => repository))];
  return {
    results() {
      work.expect(found.results.length);
      return found.results.flatMap((result) => {
        const context = repositories.find(result.repository, work);
        if (context === undefined) return [];
        if (result.kind === 'repository') return [context.object()];
        return [result.kind === 'file' ? createFileMatch(context, result) : createCommitMatch(context, result)];
      });
    },
    matchCount: found.matchCount,
    resultCount: found.matchCount,
    approximateResultCount: `${found.matchCount}${found.limitHit ? '+' : ''}`,
    limitHit: found.limitHit,
    repositories: () => objects(withResults),
    repositoriesCount: () => objects(withResults).length,
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
  const file = createBlob(context, place);
  return {
    __typename: 'FileMatch',
    file,
    repository: () => context.object(),
    revSpec:
      match.revision === ''
        ? null
        : {
            expr: match.revision,
            object: match.commit === '' ? null : createObjectReference(context, match.commit, match.revision),
          },
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
    symbols: symbolObjects(file, match.symbols),
    limitHit: match.limitHit,
    languages: file.languages,
  };
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
    label: link(`${name} › ${match.author.name}: ${subject}`, url),
    url,
    detail: plain(`${match.commit.slice(0, 7)} ${match.author.date}`),
    matches: [{ url, body: codeBlock(match.message, 'COMMIT_EDITMSG'), highlights }],
    commit: () => context.commit(match.commit),
    messagePreview: { value: match.message, highlights },
  };
}

function positionOf({ line, column }: Location) {
  return { line, character: column };
}
