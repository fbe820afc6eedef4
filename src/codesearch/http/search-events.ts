import { commitPath, filePath, repositoryPath } from '../addresses.ts';
import {
  type CommitMatch,
  chunksOf,
  type FileMatch,
  type MatchRange,
  type RepositoryMatch,
  type SearchResult,
  type SearchResults,
} from '../query/results.ts';

/** How results are written; the shapes are those of the public streaming API. */
export interface EventOptions {
  /** Lines with matches as `chunkMatches` instead of `lineMatches`. */
  chunks: boolean;
  /** A number of a repository that stays the same while the service runs. */
  repositoryId: (name: string) => number;
}

/** One event: the name and the data in one line each, then an empty line. */
export function eventText(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The entry of a `matches` event. */
export function matchData(result: SearchResult, options: EventOptions): Record<string, unknown> {
  switch (result.kind) {
    case 'repository':
      return repositoryData(result, options);
    case 'commit':
      return commitData(result, options);
    case 'file':
      return fileData(result, options);
  }
}

function fileData(file: FileMatch, { chunks, repositoryId }: EventOptions): Record<string, unknown> {
  const own = {
    path: file.path,
    ...(file.pathMatches.length > 0 ? { pathMatches: inlineRanges(file.pathMatches) } : {}),
    repositoryID: repositoryId(file.repository),
    repository: file.repository,
    branches: [file.revision],
    commit: file.commit,
    ...(file.language === '' ? {} : { language: file.language }),
  };
  if (file.symbols.length > 0) {
    const symbols = file.symbols.map(({ name, kind, line }) => ({
      url: `${blobPath(file)}?L${line}`,
      name,
      containerName: '',
      kind,
      line,
    }));
    return { type: 'symbol', ...own, symbols };
  }
  if (file.lineMatches.length === 0) return { type: 'path', ...own };
  if (chunks) return { type: 'content', ...own, hunks: null, chunkMatches: chunksOf(file) };
  const lineMatches = file.lineMatches.map(({ line, lineNumber, ranges }) => ({
    line,
    lineNumber,
    offsetAndLengths: ranges.map(({ start, length }) => [start, length]),
  }));
  return { type: 'content', ...own, hunks: null, lineMatches };
}

function repositoryData(match: RepositoryMatch, { repositoryId }: EventOptions): Record<string, unknown> {
  return {
    type: 'repo',
    repositoryID: repositoryId(match.repository),
    repository: match.repository,
    branches: [match.revision],
    ...(match.nameMatches.length > 0 ? { repositoryMatches: inlineRanges(match.nameMatches) } : {}),
  };
}

function commitData(match: CommitMatch, { repositoryId }: EventOptions): Record<string, unknown> {
  const url = commitPath(match.repository, match.commit);
  const [subject = ''] = match.message.split('\n');
  return {
    type: 'commit',
    label: `[${match.repository}](${repositoryPath(match.repository)}) › [${match.author.name}](${url}): [${subject}](${url})`,
    url,
    detail: `[\`${match.commit.slice(0, 7)}\` ${match.author.date}](${url})`,
    repositoryID: repositoryId(match.repository),
    repository: match.repository,
    oid: match.commit,
    message: match.message,
    authorName: match.author.name,
    authorDate: match.author.date,
    committerName: match.committer.name,
    committerDate: match.committer.date,
    content: `\`\`\`COMMIT_EDITMSG\n${match.message}\n\`\`\``,
    // The fence is the first line of the content.
    ranges: match.highlights.map(({ line, character, length }) => [line + 1, character, length]),
  };
}

function inlineRanges(ranges: readonly MatchRange[]): unknown[] {
  const at = (column: number) => ({ offset: column, line: 0, column });
  return ranges.map(({ start, length }) => ({ start: at(start), end: at(start + length) }));
}

function blobPath({ repository, revision, path }: FileMatch): string {
  return filePath({ repository, path, commit: revision === '' ? undefined : revision });
}

/** The data of a `progress` event; `shown` is the number of results sent, when fewer are shown than found. */
export function progressData(
  { matchCount, durationMs, done }: { matchCount: number; durationMs: number; done: boolean },
  results?: SearchResults,
  isDisplayLimited = false,
): Record<string, unknown> {
  if (results === undefined) return { done, matchCount, durationMs, skipped: [] };
  const skipped: Record<string, unknown>[] = [];
  if (results.timedout.length > 0) {
    skipped.push({
      reason: 'shard-timedout',
      title: `${results.timedout.length} timed out`,
      message: `Not searched completely: ${sample(results.timedout)}.`,
      severity: 'warn',
      suggested: { title: 'increase timeout', queryExpression: 'timeout:60s' },
    });
  }
  if (results.missing.length > 0) {
    skipped.push({
      reason: 'repository-missing',
      title: `${results.missing.length} without the revision`,
      message: `The revision does not exist in ${sample(results.missing)}.`,
      severity: 'info',
    });
  }
  if (results.limitHit) {
    skipped.push({
      reason: 'shard-match-limit',
      title: 'result limit hit',
      message: 'There are more matches than were asked for.',
      severity: 'info',
      suggested: { title: 'increase limit', queryExpression: 'count:all' },
    });
  }
  if (isDisplayLimited) {
    skipped.push({
      reason: 'display',
      title: 'display limit hit',
      message: 'There are more matches than the display limit; they are counted, not sent.',
      severity: 'info',
    });
  }
  return { done, repositoriesCount: results.repositories.length, matchCount, durationMs, skipped };
}

function sample(names: readonly string[]): string {
  const rest = names.length - 10;
  return names.slice(0, 10).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
