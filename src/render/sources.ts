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
/** Of a label where several stand in one line. */
const MAX_LABEL_IN_LINE = 80;

/** Between what stands in one line. */
export const SEPARATOR = ' · ';

/** Sources of one repository; `repository` is absent for those whose repository is not known. */
export interface SourceGroup {
  repository?: string;
  sources: Source[];
}

/** The first `limit` sources in the answer's own order, without repeated addresses: what it leans on most comes first. */
export function firstSources(sources: readonly Source[], limit: number): Source[] {
  const seen = new Set<string>();
  return sources.filter(({ url }) => !seen.has(url) && seen.add(url)).slice(0, limit);
}

/** Without repeated addresses, by repository, each in the order of first appearance. */
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

/** One line per repository and per source, as mrkdwn; each line is at most 3,000 characters. */
export function sourceLines(groups: readonly SourceGroup[]): string[] {
  return groups.flatMap((group) => [
    ...(group.repository === undefined ? [] : [`_${inertCut(group.repository, MAX_REPOSITORY)}_`]),
    ...group.sources.map((source) => {
      const line = `• ${mrkdwnLink(source.url, cut(oneLine(source.label), MAX_LABEL))}`;
      // Only an address near Slack's own limit is this long; its label alone is still worth showing.
      return line.length <= LIMITS.sectionText ? line : `• ${inertCut(source.label, MAX_LABEL)}`;
    }),
  ]);
}

/**
 * Links to the first `most` sources, as mrkdwn, to stand in one line of at most `room` characters with a separator before
 * each. One whose address leaves no room for it is left out.
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

/** The modal behind "All sources", in its reader's language: every source by repository, as far as a modal can hold them. */
export function renderSourcesModal(
  question: Pick<Question, 'id'>,
  answer: Pick<Answer, 'sources'>,
  locale: string | undefined,
): ModalView {
  const say = sayIn(locale);
  const groups = groupSources(answer.sources);
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
      // One block and some room stay free for the line that says what does not fit.
      full ||= bytes + size > LIMITS.viewBytes - 30_000 || (!joins && sections.length >= LIMITS.modalBlocks - 1);
      if (full) continue;
      if (joins) sections[sections.length - 1] = `${last}\n${line}`;
      else sections.push(line);
      bytes += size;
      if (line.startsWith('• ')) shown += 1;
    }
  }
  if (shown < total) sections.push(say.answer.sourcesLeftOut(total - shown));
  if (sections.length === 0) sections.push(say.answer.noSources());
  return {
    type: 'modal',
    callback_id: SOURCES_CALLBACK,
    private_metadata: question.id,
    title: { type: 'plain_text', text: say.answer.sourcesTitle() },
    close: { type: 'plain_text', text: say.buttons.close() },
    blocks: sections.map((text) => section(text)),
  };
}
