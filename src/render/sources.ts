import type { ModalView } from '@slack/types';
import type { Answer, Question, Source } from '../core/question/question.ts';
import { section } from './blocks.ts';
import { SOURCES_CALLBACK } from './ids.ts';
import { LIMITS } from './limits.ts';
import { sayIn } from './say.ts';
import { cut, inertCut, mrkdwnLink, oneLine } from './text.ts';

const MAX_LABEL = 150;
const MAX_REPOSITORY = 200;
/** Most characters of a label in a line with several sources. */
const MAX_LABEL_IN_LINE = 80;

/** Separator between items of one line. */
export const SEPARATOR = ' · ';

/** Sources of one repository. `repository` is absent for sources without a known repository. */
export interface SourceGroup {
  repository?: string;
  /** The source that is the repository as a whole. */
  itself?: Source;
  sources: Source[];
}

/**
 * The first `limit` sources in the answer's order, without repeated addresses. The order puts the most important source
 * first.
 */
export function firstSources(sources: readonly Source[], limit: number): Source[] {
  const seen = new Set<string>();
  return sources.filter(({ url }) => !seen.has(url) && seen.add(url)).slice(0, limit);
}

/**
 * The sources for the line below the answer, without those that stand elsewhere: the answer links to them, or they are the
 * whole repository of another source.
 */
export function unlinkedSources({ markdown, sources }: Pick<Answer, 'markdown' | 'sources'>): Source[] {
  const linked = new Set(markdown.match(/https?:\/\/[^\s<>()[\]"]+/g)?.map(hrefOf));
  const groups = groupSources(sources).filter((group) => group.sources.length > 0);
  const repositories = new Set(groups.flatMap(({ itself }) => itself?.url ?? []));
  return firstSources(sources, sources.length).filter(({ url }) => !linked.has(hrefOf(url)) && !repositories.has(url));
}

/** An address as it can be compared, without a mark that ends a sentence. */
function hrefOf(url: string): string {
  const address = url.replace(/[.,;:!?*_'`]{1,9}$/, '');
  return URL.canParse(address) ? new URL(address).href : address;
}

/** Groups sources by repository, without repeated addresses, in the order of first appearance. */
export function groupSources(sources: readonly Source[]): SourceGroup[] {
  const groups = new Map<string, SourceGroup>();
  for (const source of firstSources(sources, sources.length)) {
    const { repository = '' } = source;
    const group: SourceGroup = groups.get(repository) ?? { ...(repository === '' ? {} : { repository }), sources: [] };
    groups.set(repository, group);
    if (isRepository(source)) group.itself = source;
    else group.sources.push(source);
  }
  return [...groups.values()];
}

/** Whether a source is its repository as a whole, at some commit or none. */
function isRepository({ url, repository }: Source): boolean {
  if (repository === undefined || !URL.canParse(url)) return false;
  const path = new URL(url).pathname;
  return !path.includes('/-/') && (path.endsWith(`/${repository}`) || path.includes(`/${repository}@`));
}

/** How many sources there are, each repository itself counted only where nothing else of it is a source. */
export function countSources(groups: readonly SourceGroup[]): number {
  return groups.reduce((sum, { sources }) => sum + Math.max(1, sources.length), 0);
}

/** One line of mrkdwn per repository and per source. Each line has at most 3,000 characters. */
export function sourceLines(groups: readonly SourceGroup[]): string[] {
  return groups.flatMap((group) => [
    ...(group.repository === undefined ? [] : [`_${headingOf(group.repository, group.itself)}_`]),
    ...group.sources.map(({ url, label }) => `• ${linkOr(url, label, MAX_LABEL)}`),
  ]);
}

function headingOf(repository: string, itself: Source | undefined): string {
  return itself === undefined ? inertCut(repository, MAX_REPOSITORY) : linkOr(itself.url, repository, MAX_REPOSITORY);
}

/** A link, or its label alone: only an address near Slack's limit makes the link too long. */
function linkOr(url: string, label: string, most: number): string {
  const link = mrkdwnLink(url, cut(oneLine(label), most));
  return link.length <= LIMITS.sectionText - 10 ? link : inertCut(label, most);
}

/**
 * Links to the first `most` sources, as mrkdwn for one line of at most `room` characters with a separator before each
 * link. A link whose address does not fit is left out.
 */
export function sourceLinks(sources: readonly Source[], most: number, room: number): string[] {
  const links: string[] = [];
  let left = room;
  for (const { url, label } of firstSources(sources, most)) {
    const link = mrkdwnLink(url, cut(oneLine(label), MAX_LABEL_IN_LINE));
    const length = SEPARATOR.length + link.length;
    if (length > left) continue;
    links.push(link);
    left -= length;
  }
  return links;
}

/**
 * Renders the modal behind "All sources" in its reader's language: every source by repository, as many as a modal can
 * hold.
 */
export function renderSourcesModal(
  question: Pick<Question, 'id'>,
  { sources, citedOnly }: Pick<Answer, 'sources' | 'citedOnly'>,
  locale: string | undefined,
): ModalView {
  const say = sayIn(locale);
  const groups = groupSources(sources);
  const total = countSources(groups);
  const sections: string[] = [];
  let bytes = 0;
  let shown = 0;
  let full = false;
  for (const group of groups) {
    for (const line of sourceLines([group])) {
      const size = new TextEncoder().encode(JSON.stringify(line)).length + 2;
      const last = sections.at(-1);
      const joins = last !== undefined && last.length + 1 + line.length <= LIMITS.sectionText;
      // Keep one block and some room for the line that says what does not fit.
      full ||= bytes + size > LIMITS.viewBytes - 30_000 || (!joins && sections.length >= LIMITS.modalBlocks - 1);
      if (full) continue;
      if (joins) sections[sections.length - 1] = `${last}\n${line}`;
      else sections.push(line);
      bytes += size;
      if (line.startsWith('• ') || group.sources.length === 0) shown += 1;
    }
  }
  if (shown < total) sections.push(say.answer.sourcesLeftOut(total - shown));
  if (sections.length === 0) sections.push(citedOnly === true ? say.answer.noneCited() : say.answer.noSources());
  return {
    type: 'modal',
    callback_id: SOURCES_CALLBACK,
    private_metadata: question.id,
    title: { type: 'plain_text', text: citedOnly === true ? say.answer.citedTitle() : say.answer.sourcesTitle() },
    close: { type: 'plain_text', text: say.buttons.close() },
    blocks: sections.map((text) => section(text)),
  };
}
