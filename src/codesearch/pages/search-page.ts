import { commitPath, filePath, repositoryPath } from '../addresses.ts';
import { groupBy } from '../group-by.ts';
import type { Corpus } from '../index/corpus.ts';
import { LIMITS } from '../limits.ts';
import type { PatternType } from '../query/ast.ts';
import {
  type CommitMatch,
  type FileMatch,
  type HighlightedText,
  type MatchRange,
  type RepositoryMatch,
  SearchError,
  type SearchResult,
  type SearchResults,
} from '../query/results.ts';
import type { Search } from '../query/search.ts';
import { type Html, html } from './html.ts';
import { type Page, page } from './page.ts';
import { day, plural } from './repository-frame.ts';
import { type PageRequest, parameter } from './request.ts';

const PATTERN_TYPES: readonly { value: PatternType; label: string }[] = [
  { value: 'standard', label: 'Text, with /regexp/' },
  { value: 'literal', label: 'Exact text' },
  { value: 'keyword', label: 'All words' },
  { value: 'regexp', label: 'Regular expression' },
];

const KINDS = ['path', 'symbol', 'commit', 'diff', 'repo'] as const;

const EXAMPLES: readonly (readonly [query: string, meaning: string])[] = [
  ['retry delay', 'files with this text'],
  ['repo:app file:\\.ts$ -file:test timeout', 'in some repositories and files'],
  ['lang:go /func \\w+Handler/', 'a regular expression in Go files'],
  ['(retry OR backoff) AND NOT deprecated', 'files by several texts'],
  ['type:symbol createServer', 'definitions by name'],
  ['type:commit author:ada fix after:"3 months ago"', 'commits by message, author and date'],
  ['type:diff maxAttempts', 'changes that add or remove a text'],
  ['repo:app@release/2 timeout', 'at a branch, tag or commit'],
];

/** The search: a form, and with `q` its results. `t` is the pattern type. */
export async function searchPage(request: PageRequest, search: Search, corpus: Corpus): Promise<Page> {
  const query = (parameter(request, 'q') ?? '').trim();
  const patternType = PATTERN_TYPES.find(({ value }) => value === parameter(request, 't'))?.value;
  const frame = { section: 'search', viewer: request.viewer, formToken: request.formToken, query } as const;
  if (query === '') {
    return page({ ...frame, title: 'Search', body: html`${options(query, patternType)}${examples()}` });
  }
  try {
    const found = await search({
      query,
      viewer: request.viewer,
      ...(patternType === undefined ? {} : { patternType }),
    });
    const shown = found.results.slice(0, LIMITS.resultsShown);
    const texts = await readContext(corpus, shown);
    return page({
      ...frame,
      title: `${query.slice(0, 80)} · Search`,
      heading: html`Search results`,
      detail: summary(found),
      body: html`${options(query, patternType)}${alertPart(found, patternType)}${notes(found, query, patternType)}${
        shown.length === 0 && found.alert === undefined ? nothingFound() : undefined
      }<div class="results" data-keys>${shown.map((result) => resultPart(result, texts))}</div>${
        found.results.length > shown.length
          ? html`<p class="notice">The first ${shown.length} of ${found.results.length} results are shown. Narrow the search to see the others.</p>`
          : undefined
      }`,
    });
  } catch (error) {
    if (!(error instanceof SearchError)) throw error;
    return page({
      ...frame,
      title: 'Search',
      status: error.kind === 'busy' ? 429 : 400,
      body: html`${options(query, patternType)}<p class="error">${error.message}</p>`,
    });
  }
}

function summary(found: SearchResults): Html {
  const repositories = plural(found.repositories.length, 'repository', 'repositories');
  return html`<strong>${found.matchCount.toLocaleString('en-US')}${found.limitHit ? '+' : ''} ${found.matchCount === 1 ? 'match' : 'matches'}</strong> in ${plural(found.resultCount, 'result')} · ${repositories} searched in ${(found.elapsedMilliseconds / 1_000).toFixed(2)} s`;
}

function address(query: string, patternType: PatternType | undefined): string {
  return `/search?${new URLSearchParams({ q: query, ...(patternType === undefined ? {} : { t: patternType }) }).toString()}`;
}

/** The choice of the pattern type and of the kind of results. */
function options(query: string, patternType: PatternType | undefined): Html {
  const rest = query.replace(/(?:^|\s)type:\S+/g, '').trim();
  const asked = /(?:^|\s)type:(\S+)/.exec(query)?.[1];
  const current = asked === 'file' ? undefined : asked;
  const tab = (label: string, kind: string | undefined): Html =>
    html`<a href="${address(kind === undefined ? rest : `type:${kind} ${rest}`.trim(), patternType)}"${kind === current ? html` aria-current="true"` : undefined}>${label}</a>`;
  const choices = PATTERN_TYPES.map(
    ({ value, label }) =>
      html`<option value="${value}"${value === (patternType ?? 'standard') ? html` selected` : undefined}>${label}</option>`,
  );
  return html`<div class="search-options"><nav class="tabs" aria-label="Kind of results">${tab('Code', undefined)}${KINDS.map(
    (kind) =>
      tab({ path: 'Paths', symbol: 'Symbols', commit: 'Commits', diff: 'Diffs', repo: 'Repositories' }[kind], kind),
  )}</nav><form class="inline" action="/search"><input type="hidden" name="q" value="${query}"><label>Pattern <select name="t">${choices}</select></label><button>Apply</button></form></div>`;
}

function examples(): Html {
  const rows = EXAMPLES.map(
    ([query, meaning]) =>
      html`<tr><td><a href="${address(query, undefined)}"><code>${query}</code></a></td><td>${meaning}</td></tr>`,
  );
  return html`<p>Press <kbd>/</kbd> and type. A query is text to find and filters:</p><table class="examples">${rows}</table>`;
}

function nothingFound(): Html {
  return html`<p class="empty">Nothing matches. Check the filters, or try fewer words, <code>case:no</code> or another pattern type.</p>`;
}

function alertPart({ alert }: SearchResults, patternType: PatternType | undefined): Html | undefined {
  if (alert === undefined) return undefined;
  const proposed = alert.proposedQueries.map(
    ({ description, query }) =>
      html`<li><a href="${address(query, patternType)}"><code>${query}</code></a> ${description}</li>`,
  );
  return html`<div class="error" role="alert"><strong>${alert.title}</strong>${
    alert.description === '' ? undefined : html`<br>${alert.description}`
  }${proposed.length === 0 ? undefined : html`<ul>${proposed}</ul>`}</div>`;
}

/** Why the results are incomplete. */
function notes(found: SearchResults, query: string, patternType: PatternType | undefined): Html {
  const parts = [
    ...(found.limitHit ? [moreMatches(found.matchCount, query, patternType)] : []),
    ...(found.timedout.length > 0 ? [html`Not searched completely in time: ${found.timedout.join(', ')}.`] : []),
    ...(found.missing.length > 0 ? [html`Without this revision: ${found.missing.join(', ')}.`] : []),
  ];
  return html`${parts.map((part) => html`<p class="notice">${part}</p>`)}`;
}

/** Offers the same search with ten times as many matches, up to the most that a search returns. */
function moreMatches(matchCount: number, query: string, patternType: PatternType | undefined): Html {
  const count = Math.min(Math.max(matchCount, 1) * 10, LIMITS.searchCountMax);
  if (count <= matchCount) return html`More matches exist. Narrow the search to see them.`;
  const wider = `${query.replace(/(?:^|\s)count:\S+/g, '').trim()} count:${count}`;
  return html`More matches exist. <a href="${address(wider, patternType)}">Find up to ${count.toLocaleString('en-US')}</a>`;
}

type Texts = ReadonlyMap<string, readonly string[]>;

function keyOf({ repository, path }: { repository: string; path: string }): string {
  return `${repository}\0${path}`;
}

/** Reads the files around the matches, where the index has the searched version of a file. */
async function readContext(corpus: Corpus, results: readonly SearchResult[]): Promise<Texts> {
  const texts = new Map<string, readonly string[]>();
  const wanted = results.filter((result) => result.kind === 'file').slice(0, LIMITS.resultsWithContext);
  const known = wanted.flatMap((match) => {
    const file = corpus.index.get(match.repository, match.path);
    return file?.commit === match.commit && match.lineMatches.length > 0 ? [file] : [];
  });
  for (const [repository, files] of groupBy(known, (file) => file.repository)) {
    const found = await corpus.repository(repository)?.blobs.texts(files.map(({ blob }) => blob));
    for (const file of files) {
      const text = found?.get(file.blob);
      if (text !== undefined) texts.set(keyOf(file), text.split('\n'));
    }
  }
  return texts;
}

function resultPart(result: SearchResult, texts: Texts): Html {
  if (result.kind === 'repository') return repositoryResult(result);
  return result.kind === 'commit' ? commitResult(result) : fileResult(result, texts.get(keyOf(result)));
}

function repositoryResult({ repository, revision, nameMatches }: RepositoryMatch): Html {
  const at = revision === '' ? undefined : revision;
  return html`<section class="result"><h2><a class="main" href="${repositoryPath(repository, at)}">${marked(repository, nameMatches)}</a> <span class="dim">repository${at === undefined ? '' : ` at ${at}`}</span></h2></section>`;
}

function fileResult(match: FileMatch, text: readonly string[] | undefined): Html {
  const { repository, path, revision, commit, lineMatches, symbols } = match;
  const place = { repository, path, commit: revision === '' ? undefined : revision };
  const first = lineMatches[0] === undefined ? symbols[0]?.line : lineMatches[0].lineNumber + 1;
  const heading = html`<h2><span class="dim">${repository}${revision === '' ? '' : `@${revision}`} ›</span> <a class="main" href="${filePath(place, first)}">${marked(path, match.pathMatches)}</a>${
    lineMatches.length === 0
      ? undefined
      : html` <span class="dim">${plural(
          lineMatches.reduce((sum, { ranges }) => sum + ranges.length, 0),
          'match',
          'matches',
        )}</span>`
  }</h2>`;
  const rows = linesWithContext(match, text);
  const open = rows.slice(0, LIMITS.resultLinesOpen);
  const rest = rows.slice(LIMITS.resultLinesOpen, LIMITS.resultLinesShown);
  const table = (lines: ShownLine[]): Html =>
    html`<table class="code"><tbody>${lines.map((line) => lineRow(line, place))}</tbody></table>`;
  return html`<section class="result" data-commit="${commit}">${heading}${
    symbols.length === 0
      ? undefined
      : html`<ul class="plain symbols">${symbols.map(({ name, kind, line }) => html`<li><a href="${filePath(place, line)}"><code>${name}</code></a> <span class="dim">${kind.toLowerCase()}, line ${line}</span></li>`)}</ul>`
  }${open.length === 0 ? undefined : table(open)}${
    rest.length === 0 ? undefined : html`<details><summary>Show more of this file</summary>${table(rest)}</details>`
  }${match.limitHit ? html`<p class="dim">This file has more matches.</p>` : undefined}</section>`;
}

interface ShownLine {
  /** From 1. */
  number: number;
  text: string;
  ranges: readonly MatchRange[];
  /** Whether lines before this one are left out. */
  afterGap: boolean;
}

/** The matching lines and the lines next to them, in order. */
function linesWithContext({ lineMatches }: FileMatch, text: readonly string[] | undefined): ShownLine[] {
  const lines = new Map<number, { text: string; ranges: readonly MatchRange[] }>();
  for (const { lineNumber, line, ranges } of lineMatches) lines.set(lineNumber, { text: line, ranges });
  if (text !== undefined) {
    for (const { lineNumber } of lineMatches) {
      for (let near = lineNumber - LIMITS.contextLines; near <= lineNumber + LIMITS.contextLines; near += 1) {
        const isLastEmpty = near === text.length - 1 && text[near] === '';
        if (near >= 0 && near < text.length && !isLastEmpty && !lines.has(near))
          lines.set(near, { text: text[near] ?? '', ranges: [] });
      }
    }
  }
  let previous: number | undefined;
  return [...lines]
    .sort(([a], [b]) => a - b)
    .map(([number, line]) => {
      const afterGap = previous !== undefined && number > previous + 1;
      previous = number;
      return { number: number + 1, afterGap, ...line };
    });
}

function lineRow({ number, text, ranges, afterGap }: ShownLine, place: Parameters<typeof filePath>[0]): Html {
  return html`<tr class="${afterGap ? 'gap' : ''}"><td class="n"><a href="${filePath(place, number)}">${number}</a></td><td class="${ranges.length === 0 ? 'context' : ''}">${marked(text.slice(0, LIMITS.lineCharactersShown), ranges)}</td></tr>`;
}

function commitResult(match: CommitMatch): Html {
  const { repository, commit, author, message } = match;
  const [subject = ''] = message.split('\n', 1);
  const preview = match.diffPreview ?? (message.includes('\n') ? match.messagePreview : undefined);
  return html`<section class="result"><h2><span class="dim">${repository} ›</span> <a class="main" href="${commitPath(repository, commit)}">${subject || '(no message)'}</a> <span class="dim">${author.name}, ${day(author.date)}, <code>${commit.slice(0, 10)}</code></span></h2>${
    preview === undefined ? undefined : previewPart(preview, match.diffPreview !== undefined)
  }</section>`;
}

function previewPart({ content, highlights }: HighlightedText, isDiff: boolean): Html {
  const lines = content.split('\n').slice(0, LIMITS.resultLinesShown);
  return html`<pre class="preview${isDiff ? ' diff' : ''}">${lines.map((line, index) => {
    const ranges = highlights
      .filter((highlight) => highlight.line === index)
      .map(({ character, length }) => ({ start: character, length }));
    const sign = isDiff ? (line.startsWith('+') ? 'plus' : line.startsWith('-') ? 'minus' : '') : '';
    return html`<span class="${sign}">${marked(line.slice(0, LIMITS.lineCharactersShown), ranges)}
</span>`;
  })}</pre>`;
}

/** A text with its matches marked; ranges that overlap or exceed the text are cut. */
function marked(text: string, ranges: readonly MatchRange[]): Html {
  const parts: Html[] = [];
  let end = 0;
  for (const { start, length } of [...ranges].sort((a, b) => a.start - b.start)) {
    const from = Math.max(start, end);
    const to = Math.min(start + length, text.length);
    if (to <= from) continue;
    parts.push(html`${text.slice(end, from)}<mark>${text.slice(from, to)}</mark>`);
    end = to;
  }
  return html`${parts}${text.slice(end)}`;
}
