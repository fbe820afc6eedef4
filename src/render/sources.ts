import type { ModalView } from '@slack/types';
import type { Answer, Question, Source } from '../core/question/question.ts';
import { section } from './blocks.ts';
import { SOURCES_CALLBACK } from './ids.ts';
import { LIMITS } from './limits.ts';
import { mrkdwnLink } from './links.ts';
import { sayIn } from './say.ts';
import { cut, inertCut, oneLine } from './text.ts';

const MAX_LABEL = 150;
const MAX_REPOSITORY = 200;
/** Most characters of a label in a line with several sources. */
const MAX_LABEL_IN_LINE = 80;

/** Separator between items of one line. */
export const SEPARATOR = ' · ';

/** Sources of one repository. `repository` is absent for sources without a known repository. */
export interface SourceGroup {
  repository?: string;
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

/** Groups sources by repository, without repeated addresses, in the order of first appearance. */
export function groupSources(sources: readonly Source[]): SourceGroup[] {
  const groups = new Map<string, Source[]>();
  for (const source of firstSources(sources, sources.length)) {
    const key = source.repository ?? '';
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [source]);
    else group.push(source);
  }
  return [...groups].map(([repository, members]) => ({
    ...(repository === '' ? {} : { repository }),
    sources: members,
  }));
}

export function countSources(groups: readonly SourceGroup[]): number {
  return groups.reduce((sum, group) => sum + group.sources.length, 0);
}

/** One line of mrkdwn per repository and per source. Each line has at most 3,000 characters. */
export function sourceLines(groups: readonly SourceGroup[]): string[] {
  return groups.flatMap((group) => [
    ...(group.repository === undefined ? [] : [`_${inertCut(group.repository, MAX_REPOSITORY)}_`]),
    ...group.sources.map((source) => {
      const line = `• ${mrkdwnLink(source.url, cut(oneLine(source.label), MAX_LABEL))}`;
      // Only an address near Slack's limit makes the line this long. Then show the label alone.
      return line.length <= LIMITS.sectionText ? line : `• ${inertCut(source.label, MAX_LABEL)}`;
    }),
  ]);
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
      if (line.startsWith('• ')) shown += 1;
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
