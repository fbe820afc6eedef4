import { commitPath, filePath, repositoryPath } from '../addresses.ts';
import { LIMITS } from '../limits.ts';
import { PATTERN_TYPES, type PatternType } from '../query/ast.ts';
import {
  type CommitMatch,
  type FileMatch,
  type MatchRange,
  SearchError,
  type SearchResult,
  type SearchResults,
} from '../query/results.ts';
import type { Search } from '../query/search.ts';
import { type Html, html } from './html.ts';
import { alert, type Page, page, tab } from './page.ts';
import { day, plural } from './repository-frame.ts';
import { type PageRequest, parameter } from './request.ts';

const KINDS = [
  ['', 'Code'],
  ['path', 'Paths'],
  ['symbol', 'Symbols'],
  ['commit', 'Commits'],
  ['repo', 'Repositories'],
] as const;

const EXAMPLES = [
  ['retry delay', 'files with this text'],
  ['repo:app file:\\.ts$ -file:test timeout', 'in some repositories and files'],
  ['lang:go /func \\w+Handler/', 'a regular expression in Go files'],
  ['(retry OR backoff) AND NOT deprecated', 'files by several texts'],
  ['type:symbol createServer', 'definitions by name'],
  ['type:commit author:ada fix after:"3 months ago"', 'commits by message, author and date'],
  ['repo:app@release/2 timeout', 'at a branch, tag or commit'],
] as const;

/** The search: with `q` its results. `t` is the pattern type. */
export async function searchPage(request: PageRequest, search: Search): Promise<Page> {
  const query = (parameter(request, 'q') ?? '').trim();
  const patternType = PATTERN_TYPES.find((known) => known === parameter(request, 't'));
  const frame = { section: 'search', viewer: request.viewer, formToken: request.formToken, query } as const;
  if (query === '') return page({ ...frame, title: 'Search', body: examples() });
  try {
    const found = await search({
      query,
      viewer: request.viewer,
      ...(patternType === undefined ? {} : { patternType }),
    });
    const shown = found.results.slice(0, LIMITS.resultsShown);
    return page({
      ...frame,
      title: `${query.slice(0, 80)} · Search`,
      heading: html`Search results`,
      detail: summary(found),
      body: html`${options(query, patternType)}${alertPart(found, patternType)}${notes(found, query, patternType)}${
        shown.length === 0 && found.alert === undefined
          ? html`<p class="empty">Nothing matches. Check the filters, or try fewer words or another pattern type.</p>`
          : undefined
      }${shown.map(resultPart)}${
        found.results.length > shown.length
          ? html`<p class="notice">The first ${shown.length} of ${found.results.length} results are shown. Narrow the search to see the others.</p>`
          : undefined
      }`,
    });
  } catch (error) {
    if (!(error instanceof SearchError)) throw error;
    const status = error.kind === 'busy' ? 429 : 400;
    return page({
      ...frame,
      title: 'Search',
      status,
      body: html`${options(query, patternType)}${alert(error.message)}`,
    });
  }
}

function summary(found: SearchResults): Html {
  const repositories = plural(found.repositories.length, 'repository', 'repositories');
  return html`<strong>${found.matchCount.toLocaleString('en-US')}${found.limitHit ? '+' : ''} ${found.matchCount === 1 ? 'match' : 'matches'}</strong> in ${plural(found.resultCount, 'result')} · ${repositories} searched in ${(found.elapsedMilliseconds / 1_000).toFixed(2)} s`;
}

function address(query: string, patternType: PatternType | undefined): string {
  return `/search?${new URLSearchParams({ q: query, ...(patternType === undefined ? {} : { t: patternType }) })}`;
}

/** The choice of the kind of results and of the pattern type. */
function options(query: string, patternType: PatternType | undefined): Html {
  const rest = query.replaceAll(/(?:^|\s)type:\S+/g, '').trim();
  const asked = /(?:^|\s)type:(\S+)/.exec(query)?.[1];
  const current = asked === undefined || asked === 'file' ? '' : asked;
  const tabs = KINDS.map(([kind, label]) =>
    tab(label, address(kind === '' ? rest : `type:${kind} ${rest}`.trim(), patternType), kind === current),
  );
  const choices = PATTERN_TYPES.map(
    (value) => html`<option${value === (patternType ?? 'standard') ? html` selected` : undefined}>${value}</option>`,
  );
  return html`<nav class="tabs" aria-label="Kind of results">${tabs}</nav><form class="inline" action="/search"><input type="hidden" name="q" value="${query}"><label>Pattern <select name="t">${choices}</select></label><button>Apply</button></form>`;
}

function examples(): Html {
  const rows = EXAMPLES.map(
    ([query, meaning]) =>
      html`<tr><td><a href="${address(query, undefined)}"><code>${query}</code></a></td><td>${meaning}</td></tr>`,
  );
  return html`<p>A query is text to find and filters:</p><table>${rows}</table>`;
}

function alertPart({ alert: given }: SearchResults, patternType: PatternType | undefined): Html | undefined {
  if (given === undefined) return undefined;
  const proposed = given.proposedQueries.map(
    ({ description, query }) =>
      html`<br><a href="${address(query, patternType)}"><code>${query}</code></a> ${description}`,
  );
  return html`<p class="error" role="alert"><strong>${given.title}</strong> ${given.description}${proposed}</p>`;
}

/** Why the results are incomplete. */
function notes(found: SearchResults, query: string, patternType: PatternType | undefined): Html {
  const { limitHit, timedout, missing } = found;
  return html`${limitHit ? moreMatches(found.matchCount, query, patternType) : undefined}${
    timedout.length > 0
      ? html`<p class="notice">Not searched completely in time: ${timedout.join(', ')}.</p>`
      : undefined
  }${missing.length > 0 ? html`<p class="notice">Without this revision: ${missing.join(', ')}.</p>` : undefined}`;
}

/** Offers the same search with ten times as many matches, up to the most that a search returns. */
function moreMatches(matchCount: number, query: string, patternType: PatternType | undefined): Html {
  const count = Math.min(Math.max(matchCount, 1) * 10, LIMITS.searchCountMax);
  const wider = `${query.replaceAll(/(?:^|\s)count:\S+/g, '').trim()} count:${count}`;
  return html`<p class="notice">More matches exist. ${
    count <= matchCount
      ? html`Narrow the search to see them.`
      : html`<a href="${address(wider, patternType)}">Find up to ${count.toLocaleString('en-US')}</a>`
  }</p>`;
}

function resultPart(result: SearchResult): Html {
  if (result.kind === 'file') return fileResult(result);
  if (result.kind === 'commit') return commitResult(result);
  const { repository, revision, nameMatches } = result;
  const at = revision === '' ? undefined : revision;
  return html`<section class="result"><h2><a class="main" href="${repositoryPath(repository, at)}">${marked(repository, nameMatches)}</a> <span class="dim">repository${at === undefined ? '' : ` at ${at}`}</span></h2></section>`;
}

function fileResult(match: FileMatch): Html {
  const { repository, path, revision, lineMatches, symbols } = match;
  const place = { repository, path, commit: revision === '' ? undefined : revision };
  const first = lineMatches[0] === undefined ? symbols[0]?.line : lineMatches[0].lineNumber + 1;
  const rows = lineMatches.slice(0, LIMITS.resultLinesShown).map(({ lineNumber, line, ranges }) => {
    const number = lineNumber + 1;
    return html`<tr><td class="n"><a href="${filePath(place, number)}">${number}</a></td><td>${marked(line.slice(0, LIMITS.lineCharactersShown), ranges)}</td></tr>`;
  });
  const table = (lines: Html[]): Html => html`<table class="code"><tbody>${lines}</tbody></table>`;
  const rest = rows.slice(LIMITS.resultLinesOpen);
  return html`<section class="result"><h2><span class="dim">${repository}${revision === '' ? '' : `@${revision}`} ›</span> <a class="main" href="${filePath(place, first)}">${marked(path, match.pathMatches)}</a></h2>${symbols.map(
    ({ name, kind, line }) =>
      html`<p><a href="${filePath(place, line)}"><code>${name}</code></a> <span class="dim">${kind.toLowerCase()}, line ${line}</span></p>`,
  )}${rows.length === 0 ? undefined : table(rows.slice(0, LIMITS.resultLinesOpen))}${
    rest.length === 0
      ? undefined
      : html`<details><summary>${plural(rest.length, 'more line')}</summary>${table(rest)}</details>`
  }${match.limitHit ? html`<p class="dim">This file has more matches.</p>` : undefined}</section>`;
}

function commitResult({ repository, commit, author, message, highlights }: CommitMatch): Html {
  const [subject = ''] = message.split('\n', 1);
  const lines = message.includes('\n') ? message.split('\n').slice(0, LIMITS.resultLinesShown) : [];
  const preview = lines.map((line, index) => {
    const own = highlights.filter((highlight) => highlight.line === index);
    const ranges = own.map(({ character, length }) => ({ start: character, length }));
    return html`${marked(line.slice(0, LIMITS.lineCharactersShown), ranges)}\n`;
  });
  return html`<section class="result"><h2><span class="dim">${repository} ›</span> <a class="main" href="${commitPath(repository, commit)}">${subject || '(no message)'}</a> <span class="dim">${author.name}, ${day(author.date)}, <code>${commit.slice(0, 10)}</code></span></h2>${
    preview.length === 0 ? undefined : html`<pre>${preview}</pre>`
  }</section>`;
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
