import type { Answer, Question } from '../core/question/question.ts';
import { readersOf, shareUrlFor } from '../core/question/readers.ts';
import { waitedMs } from '../core/question/upstream.ts';
import { incompleteLine } from './incomplete.ts';
import { type Say, sayIn } from './say.ts';
import { countSources, groupSources } from './sources.ts';
import { cut, oneLine, safeUrl, shownText } from './text.ts';

/** Name of the file with the whole answer. The app recognizes the file in its thread by this name. */
export function answerFileName({ id, delivery }: Pick<Question, 'id' | 'delivery'>): string {
  return delivery.round === 0 ? `deepsearch-${id}.md` : `deepsearch-${id}-${delivery.round}.md`;
}

/**
 * Renders a whole answer as one Markdown document, in the asker's language: title, question, answer as the service
 * wrote it, and every source. The document is read outside Slack, so it contains nothing in Slack's format.
 */
export function renderAnswerFile(question: Question, answer: Answer): string {
  const say = sayIn(question.locale);
  const { file, words } = say;
  const shareUrl = shareUrlFor(question, readersOf(question));
  const atMs = question.endedMs ?? question.acceptedMs;
  const facts = [
    file.answeredAt(`${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`),
    words.duration(waitedMs(question, answer.durationMs)),
    ...(answer.steps === undefined ? [] : [words.steps(answer.steps)]),
    ...(answer.credits === undefined ? [] : [words.credits(answer.credits)]),
    ...(shareUrl === undefined ? [] : [link(shareUrl, words.openInDeepSearch())]),
  ];
  const title = plain(answer.title);
  const incomplete = incompleteLine(answer, say, (text, most) => plain(cut(text, most)));
  return [
    `# ${title === '' ? file.untitled() : title}`,
    `**${file.question()}**`,
    quoted(shownText(question.text, say)),
    facts.join(' · '),
    ...(incomplete === undefined ? [] : [incomplete]),
    '---',
    answer.markdown.trim() === '' ? say.answer.empty() : withoutOpenFence(answer.markdown.trim()),
    '---',
    ...sources(answer, say),
    '',
  ].join('\n\n');
}

function sources({ sources: all, citedOnly }: Answer, say: Say): string[] {
  const groups = groupSources(all);
  const total = countSources(groups);
  if (total === 0) return [citedOnly === true ? say.answer.noneCited() : say.answer.noSources()];
  return [
    `## ${citedOnly === true ? say.file.cited(total) : say.file.sources(total)}`,
    // Sources without a known repository come first, so that they don't seem to belong to the repository above them.
    ...groups
      .toSorted((one, other) => Number(one.repository !== undefined) - Number(other.repository !== undefined))
      .flatMap(({ repository, itself, sources: members }) => [
        ...(repository === undefined
          ? []
          : [`### ${itself === undefined ? plain(repository) : link(itself.url, repository)}`]),
        ...(members.length === 0 ? [] : [members.map(({ url, label }) => `- ${link(url, label)}`).join('\n')]),
      ]),
  ];
}

/** Closes a code block that the answer left open, so that the block does not include what follows. */
function withoutOpenFence(markdown: string): string {
  let open: string | undefined;
  for (const line of markdown.split('\n')) {
    const [, fence, rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (fence === undefined) continue;
    if (open === undefined) open = fence.startsWith('`') && rest.includes('`') ? undefined : fence;
    else if (fence.startsWith(open) && rest.trim() === '') open = undefined;
  }
  return open === undefined ? markdown : `${markdown}\n${open}`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

/** Shows an address as text if it must not be linked. */
function link(url: string, label: string): string {
  const safe = safeUrl(url);
  const shown = plain(label) === '' ? plain(url) : plain(label);
  if (safe === undefined) return shown === plain(url) ? shown : `${shown} (${plain(url)})`;
  return `[${shown}](${safe.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

/** Writes one line that Markdown reads as plain text. */
function plain(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]<>#]/g, '\\$&');
}
