import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Viewer } from '../../accounts/viewer.ts';
import { LIMITS } from '../../limits.ts';
import { PATTERN_TYPES, type PatternType } from '../../query/ast.ts';
import { countOf, SearchError, type SearchResult, type SearchResults } from '../../query/results.ts';
import type { Search } from '../../query/search.ts';
import { HttpError } from '../http-error.ts';
import type { Streamer } from '../reply.ts';
import { type Route, requireMethod } from '../route.ts';
import { type EventOptions, eventText, matchData, progressData } from '../search-events.ts';

interface StreamQuery {
  query: string;
  version: 'V1' | 'V2' | 'V3';
  patternType: PatternType | undefined;
  /** Matches to send; further ones are only counted. */
  display: number;
  chunks: boolean;
}

/**
 * `GET /.api/search/stream`: the events `matches`, `progress`, `alert`, `error` and, last, `done`. Parameters: `q`, `v`,
 * `t` (pattern type), `display` (matches to send) and `cm` (chunks instead of lines).
 */
export function createSearchStreamRoute(search: Search, repositoryId: (name: string) => number): Route {
  return async ({ method, segments, search: parameters, viewer }) => {
    if (segments.join('/') !== '.api/search/stream') return undefined;
    requireMethod(method, ['GET']);
    const wanted = readQuery(new URLSearchParams(parameters));
    const stream = await startStream(search, wanted, await viewer(), { chunks: wanted.chunks, repositoryId });
    return { kind: 'stream', contentType: 'text/event-stream; charset=utf-8', stream };
  };
}

function readQuery(parameters: URLSearchParams): StreamQuery {
  const query = parameters.get('q');
  if (query === null) throw new HttpError(400, 'The parameter q is required: the query.');
  const version = (parameters.get('v') || 'V3').toUpperCase();
  if (version !== 'V1' && version !== 'V2' && version !== 'V3') throw new HttpError(400, 'v must be V1, V2 or V3.');
  const display = parameters.get('display') || '-1';
  if (!/^-?\d{1,9}$/.test(display)) throw new HttpError(400, 'display must be a number.');
  return {
    query,
    version,
    patternType: readPatternType(parameters.get('t') ?? ''),
    display: Number(display) < 0 ? Number.POSITIVE_INFINITY : Number(display),
    chunks: /^(?:t|true|1)$/i.test(parameters.get('cm') ?? ''),
  };
}

/** Smart searches of earlier clients (`lucky`) are standard searches that also try other forms. */
function readPatternType(value: string): PatternType | undefined {
  if (value === '') return undefined;
  if (value === 'lucky') return 'standard';
  const known = PATTERN_TYPES.find((type) => type === value);
  if (known !== undefined) return known;
  throw new HttpError(400, 't must be standard, literal, keyword or regexp.');
}

/** Starts the search, so that a refusal is a status code and not an event; its results wait for the stream. */
async function startStream(
  search: Search,
  wanted: StreamQuery,
  viewer: Viewer,
  options: EventOptions,
): Promise<Streamer> {
  const ended = new AbortController();
  let open: (receive: (result: SearchResult) => Promise<void>) => void = () => {};
  const receiver = new Promise<(result: SearchResult) => Promise<void>>((resolve) => {
    open = resolve;
  });
  const outcome = search({
    query: wanted.query,
    version: wanted.version,
    patternType: wanted.patternType,
    viewer,
    signal: ended.signal,
    onResult: async (result) => (await receiver)(result),
  }).catch((error: unknown) => (error instanceof Error ? error : new Error('The search failed.', { cause: error })));
  const refused = await Promise.race([outcome, nextTurn(undefined)]);
  if (refused instanceof SearchError) throw asHttpError(refused);
  return async (write, signal) => {
    signal.addEventListener('abort', () => ended.abort(), { once: true });
    if (signal.aborted) ended.abort();
    const sender = createSender(write, wanted.display, options);
    open(sender.receive);
    const result = await outcome;
    if (signal.aborted) return;
    if (result instanceof Error) {
      const message = result instanceof SearchError ? result.message : 'The search failed.';
      await write(eventText('error', { message }) + eventText('done', {}));
      if (!(result instanceof SearchError)) throw result;
      return;
    }
    await sender.finish(result);
  };
}

function asHttpError({ kind, message }: SearchError): HttpError {
  return kind === 'busy' ? new HttpError(429, message, { 'Retry-After': '5' }) : new HttpError(400, message);
}

/** Sends results in batches: the first at once, later ones together. */
function createSender(write: (text: string) => Promise<void>, display: number, options: EventOptions) {
  const startedMs = performance.now();
  let batch: SearchResult[] = [];
  let flushedMs = Number.NEGATIVE_INFINITY;
  let matchCount = 0;
  let shown = 0;
  let isLimited = false;

  const durationMs = (): number => Math.round(performance.now() - startedMs);

  async function flush(): Promise<void> {
    if (batch.length === 0) return;
    const entries = batch.map((result) => matchData(result, options));
    batch = [];
    flushedMs = performance.now();
    await write(
      eventText('matches', entries) +
        eventText('progress', progressData({ matchCount, durationMs: durationMs(), done: false })),
    );
  }

  return {
    async receive(result: SearchResult): Promise<void> {
      matchCount += countOf(result);
      if (shown >= display) {
        isLimited = true;
        return;
      }
      shown += countOf(result);
      batch.push(result);
      const isDue = performance.now() - flushedMs >= LIMITS.streamFlushMs;
      if (isDue || batch.length >= LIMITS.streamBatch) await flush();
    },
    async finish(results: SearchResults): Promise<void> {
      await flush();
      if (results.alert !== undefined) {
        const { kind, title, description, proposedQueries } = results.alert;
        await write(eventText('alert', { title, description, kind, proposedQueries }));
      }
      const progress = { matchCount: results.matchCount, durationMs: durationMs(), done: true };
      await write(eventText('progress', progressData(progress, results, isLimited)) + eventText('done', {}));
    },
  };
}
