import type { Button, KnownBlock, Overflow, PlainTextOption } from '@slack/types';
import { type Answer, isBetweenTwo, isSharedWithOthers, type Question, type Quota } from '../core/question/question.ts';
import { readersOf, shareUrlFor } from '../core/question/readers.ts';
import { waitedMs } from '../core/question/upstream.ts';
import {
  actions,
  button,
  context,
  type PreparedMessages,
  type RenderedMessage,
  type RenderOptions,
  section,
} from './blocks.ts';
import { feedbackBlock, feedbackWeight } from './feedback.ts';
import { languages } from './formats.ts';
import {
  ACTIONS,
  type ButtonValue,
  buttonValue,
  followUpAction,
  markerBlockId,
  markerMetadata,
  partMarker,
} from './ids.ts';
import { incompleteButtons, incompleteLine } from './incomplete.ts';
import { LIMITS } from './limits.ts';
import { DIAGRAM_LANGUAGES, type DiagramNotes } from './markdown/diagrams.ts';
import { type AnswerPart, layoutAnswer } from './markdown/layout.ts';
import { parseAnswer } from './markdown/parse.ts';
import { textOf } from './markdown/words.ts';
import { type Say, sayIn } from './say.ts';
import { countSources, groupSources, SEPARATOR, sourceLinks, unlinkedSources } from './sources.ts';
import { cut, inertCut, mrkdwnLink, namesOf, oneLine, slackDayTime } from './text.ts';

const SHOWN_SOURCES = 3;
/** A context element holds 2,000 characters. */
const MAX_SOURCES_LINE = 2_000;
const MAX_TITLE = 300;
/** A longer question is not compared with the title. */
const MOST_COMPARED = 500;
/** A longer share address would leave no room for the rest of the footer and for the sources. */
const MAX_SHARE_URL = 2_000;
/** The limit for the share address with its label. */
const MAX_SHARE_LINK = 2_100;
/** Most blocks below the text: notes with sources and footer, follow-ups in two rows, votes. */
const MOST_EXTRAS = 4;
/** Most characters of the names of repositories in the footer. */
const MAX_SCOPE = 300;
/** From this share of the quota on, the answer mentions the quota. */
const QUOTA_WORTH_SAYING = 0.8;
/** Room for the part number: "Part 12 of 34 · " and the like. */
const PART_LINE = 40;

/** Divides an answer into messages. Slow for a long one; rendering a part of it is fast. */
export function prepareAnswer(question: Question, answer: Answer): PreparedMessages {
  const say = sayIn(question.locale);
  const head = renderHead(question, answer, say);
  const longestNote = findLongestNote(question, answer, say);
  const sources = renderSources(answer, say);
  const allSources = sources.hasMore
    ? button(allSourcesLabel(answer, sources.total, say), ACTIONS.allSources, { questionId: question.id })
    : undefined;
  const share = renderShare(question, say);
  // The parts must be the same before and after the button was used.
  const unused = [...incompleteButtons(question, answer, say), ...share];
  const more = [
    ...(allSources === undefined ? [] : [allSources]),
    ...(question.askedAgain === undefined ? unused : share),
  ];
  const surroundings = {
    firstWeight: weigh(head),
    // Whether there is a file is known only before the last part. The parts must be the same before and after.
    lastWeight:
      weigh([`${longestNote}${sources.line}${longestFooter(question, answer, say)}`]) +
      buttonsWeight([...(allSources === undefined ? [] : [allSources]), ...unused]) +
      followUpsWeight(answer) +
      feedbackWeight(say),
    eachWeight: PART_LINE + LIMITS.blockWeight,
    blocks: head.length + MOST_EXTRAS,
  };
  const divided = layoutAnswer(answer.markdown, surroundings, diagramNotes(question, say));
  const isEmpty = divided.isWhole && divided.parts.every((part) => part.markdown === '');
  const parts = isEmpty ? [emptyAnswer(say)] : divided.parts;

  return { parts: parts.length, render };

  function render(current: Question, index: number, options: RenderOptions): RenderedMessage {
    const part = parts[index];
    if (part === undefined) throw new RangeError(`The answer has no part ${index}.`);
    const hasFile = current.delivery.file?.state === 'attached';
    const isLonger = say.answer.isLonger(linkTo(question, say.words.deepSearch()), hasFile);
    const whole = divided.isWhole ? (hasFile ? [say.answer.attached()] : []) : [isLonger];
    const notes = [
      ...(answer.hasMore === true ? [say.answer.hasMore(linkTo(question, say.words.deepSearch()))] : []),
      ...whole,
    ];
    const marker = partMarker(current, index);
    const isLast = index === parts.length - 1;
    const numbered = parts.length > 1 ? [say.answer.part(index + 1, parts.length)] : [];
    const by = question.askedAgain?.byUserId ?? '';
    const again = by === '' ? [] : [say.failures.askedAgain(`<@${by}>`)];
    const small = [...numbered, ...(isLast ? [renderFooter(current, answer, say), ...again] : [])].join(' · ');
    const before = index === 0 ? head : [];
    const metadata = markerMetadata(current, marker);
    if (options.format === 'plain') {
      return {
        text: [...before, ...part.sections, ...(isLast ? [[...notes, sources.lineAlone].join('\n')] : []), small]
          .filter((text) => text !== '')
          .join('\n\n'),
        metadata,
      };
    }
    const body: KnownBlock[] =
      options.format === 'mrkdwn'
        ? part.sections.map((text) => section(text))
        : part.markdown === ''
          ? []
          : [{ type: 'markdown', text: part.markdown }];
    const blocks: KnownBlock[] = [
      ...before.map((text) => section(text)),
      ...body,
      context(
        isLast ? [...notes, sources.line, small] : [small],
        markerBlockId(marker, `${small}${part.markdown}${isLast ? askedSince(current) : ''}`),
      ),
      ...(isLast ? renderFollowUps(current, answer, more, say) : []),
      // What others asked is voted on where they asked it.
      ...(isLast && !isSharedWithOthers(question) ? [feedbackBlock(question.id, options.format, say)] : []),
    ];
    return { text: preview(answer, part, say), blocks, metadata };
  }
}

function diagramNotes(question: Question, say: Say): DiagramNotes | undefined {
  const shareUrl = shareUrlFor(question, readersOf(question));
  if (shareUrl === undefined || shareUrl.length > MAX_SHARE_URL) return undefined;
  const names = new Map(DIAGRAM_LANGUAGES.map((language) => [language, say.answer.diagram(language)]));
  return { url: shareUrl, label: say.words.openInDeepSearch(), names };
}

function findLongestNote(question: Question, { hasMore }: Answer, say: Say): string {
  const link = linkTo(question, say.words.deepSearch());
  const notes = [say.answer.attached(), say.answer.isLonger(link, true), say.answer.isLonger(link, false)];
  const more = hasMore === true ? `${say.answer.hasMore(link)}\n` : '';
  return more + notes.reduce((longest, note) => (note.length > longest.length ? note : longest), '');
}

function emptyAnswer(say: Say): AnswerPart {
  const words = say.answer.empty();
  return { markdown: words, sections: [words], words };
}

/** Renders the mention that notifies the asker, the title unless it was said already, and what is to know first. */
function renderHead(question: Question, answer: Answer, say: Say): string[] {
  const isSaid = startsWithTitle(answer) || repeatsQuestion(answer.title, question.text);
  const title = isSaid ? '' : inertCut(answer.title, MAX_TITLE);
  // A shared answer mentions no one, because no one waits for it. Its card says who shares it.
  const mention = isSharedWithOthers(question) ? '' : `<@${question.askerId}>`;
  // A `*` inside the title would end the bold text. It is only decoration there.
  const bold = title === '' ? '' : `*${title.replaceAll('*', '')}*`;
  const first = [mention, bold].filter((text) => text !== '').join(' ');
  const incomplete = incompleteLine(answer, say, (text, most) => inertCut(oneLine(text), most));
  return [
    ...(first === '' ? [] : [first]),
    ...(question.upstream.conversationLost === true ? [say.answer.conversationLost()] : []),
    ...(incomplete === undefined ? [] : [incomplete]),
  ];
}

function startsWithTitle(answer: Answer): boolean {
  const [first] = parseAnswer(answer.markdown.slice(0, 1_000));
  return first?.type === 'heading' && textOf(first.children).trim() === answer.title.trim();
}

/**
 * Whether a title says only what the question above says: all its words are in the question, and make up at least half of
 * it. The title of a long question is a summary of it.
 */
function repeatsQuestion(title: string, question: string): boolean {
  const asked = distinctWords(question.slice(0, MOST_COMPARED));
  const named = distinctWords(title);
  return (
    question.length <= MOST_COMPARED && 2 * named.size >= asked.size && [...named].every((word) => asked.has(word))
  );
}

function distinctWords(text: string): Set<string> {
  return new Set(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu),
  );
}

/** The line of sources in the message, and how many sources there are. The modal lists all of them. */
interface ShownSources {
  line: string;
  /** The line for messages where no button can show the other sources. */
  lineAlone: string;
  total: number;
  hasMore: boolean;
}

/** Renders the line of sources. Those that the answer itself links to are left out there. */
function renderSources(answer: Answer, say: Say): ShownSources {
  const total = countSources(groupSources(answer.sources));
  if (total === 0) {
    const line = noSourcesLine(answer.citedOnly === true, say);
    return { line, lineAlone: line, total, hasMore: false };
  }
  const title = sourcesTitle(answer.citedOnly === true, say);
  const unlinked = unlinkedSources(answer);
  const links = sourceLinks(unlinked, SHOWN_SOURCES, MAX_SOURCES_LINE - title.length);
  const line = [title, ...(unlinked.length === 0 ? [say.answer.linkedAbove()] : links)].join(SEPARATOR);
  const left = total - links.length;
  const lineAlone = left === 0 || unlinked.length === 0 ? line : [line, say.answer.moreSources(left)].join(SEPARATOR);
  return { line, lineAlone, total, hasMore: left > 0 };
}

function sourcesTitle(citedOnly: boolean, { answer }: Say): string {
  return `*${citedOnly ? answer.cited() : answer.sources()}*`;
}

function noSourcesLine(citedOnly: boolean, { answer }: Say): string {
  return `_${citedOnly ? answer.noneCited() : answer.noSources()}_`;
}

/** Whether a text of a posted message is the line of sources, in any language. */
export function isSourcesLine(line: string): boolean {
  const said = languages.map((language) => sayIn(language));
  return [false, true].some((citedOnly) =>
    said.some((say) => line.startsWith(sourcesTitle(citedOnly, say)) || line === noSourcesLine(citedOnly, say)),
  );
}

function allSourcesLabel({ citedOnly }: Answer, total: number, say: Say): string {
  return citedOnly === true ? say.buttons.allCited(total) : say.buttons.allSources(total);
}

/** The copy of an answer that its asker kept private shares the question's own answer. */
function renderShare({ id, place, origin, shares }: Question, say: Say): Button[] {
  const questionId = shares?.isKept === true ? shares.questionId : origin === 'shared' ? undefined : id;
  if (questionId === undefined || !isBetweenTwo(place)) return [];
  return [button(say.buttons.share(), ACTIONS.share, { questionId })];
}

function linkTo(question: Question, label: string): string | undefined {
  const shareUrl = shareUrlFor(question, readersOf(question));
  if (shareUrl === undefined || shareUrl.length > MAX_SHARE_URL) return undefined;
  const link = mrkdwnLink(shareUrl, label);
  // Escaping may have made the link longer.
  return link.length > MAX_SHARE_LINK ? undefined : link;
}

/** Time and steps stand on the card, and here only where no card says them. */
function renderFooter(question: Question, answer: Answer, say: Say): string {
  const more = footerBesideWork(question, answer, say);
  const { card, origin } = question;
  const isOnCard = card.ts !== undefined && card.gone !== true && origin !== 'shared';
  return (isOnCard && more.length > 0 ? more : [...footerOfWork(question, answer, say), ...more]).join(' · ');
}

/** The parts of an answer must be the same with a card and without. */
function longestFooter(question: Question, answer: Answer, say: Say): string {
  return [...footerOfWork(question, answer, say), ...footerBesideWork(question, answer, say)].join(' · ');
}

function footerOfWork(question: Question, answer: Answer, say: Say): string[] {
  return [
    say.words.duration(waitedMs(question, answer.durationMs)),
    ...(answer.steps === undefined ? [] : [say.words.steps(answer.steps)]),
  ];
}

function footerBesideWork(question: Question, answer: Answer, say: Say): string[] {
  const link = linkTo(question, say.words.openInDeepSearch());
  return [
    ...(answer.credits === undefined ? [] : [say.words.credits(answer.credits)]),
    ...accessWords(question, say),
    ...(question.scope === undefined ? [] : [say.answer.onlyIn(namesOf(question.scope.repositories, MAX_SCOPE, say))]),
    ...(link === undefined ? [] : [`*${link}*`]),
    ...(answer.quota === undefined ? [] : renderQuota(answer.quota, say)),
  ];
}

function renderQuota(quota: Quota, say: Say): string[] {
  if (quota.limit <= 0 || quota.used / quota.limit <= QUOTA_WORTH_SAYING) return [];
  const used = say.answer.quota(quota.used / quota.limit, quota.used, quota.limit);
  return [
    quota.resetAtMs === undefined ? used : `${used}, ${say.answer.quotaResets(slackDayTime(quota.resetAtMs, say))}`,
  ];
}

function weigh(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length + LIMITS.blockWeight, 0);
}

/** A button weighs about as much as a block plus its label. Their row is that of the follow-ups. */
function buttonsWeight(buttons: readonly Button[]): number {
  return weigh(buttons.map((each) => each.text.text));
}

/** What can change under a posted answer: who asked which follow-up. */
function askedSince({ usedFollowUps = [] }: Question): string {
  return usedFollowUps.map(({ index, byUserId }) => `${index}${byUserId}`).join();
}

/**
 * Returns the text of notifications, which screen readers read in place of the blocks: the words of the part. A part is
 * far shorter than Slack's limit for it.
 */
function preview(answer: Answer, part: AnswerPart, say: Say): string {
  const words = inertCut(part.words, LIMITS.postText);
  return words === '' ? inertCut(answer.title, LIMITS.notificationText) || say.answer.empty() : words;
}

/** A name is only named, so it is cut to this length. */
const MAX_NAME = 60;

/**
 * Whose access a question uses. Nothing where all people share one account. Names the asker without a mention, which
 * would notify them.
 */
export function accessWords({ access, askerName }: Pick<Question, 'access' | 'askerName'>, { words }: Say): string[] {
  if (access === undefined) return [];
  const name = inertCut(oneLine(askerName ?? ''), MAX_NAME);
  return [access === 'app' ? words.appAccess() : words.ownAccess(name === '' ? undefined : name)];
}

const SHOWN_FOLLOW_UPS = 3;
/** Most characters of a follow-up that was asked, shown with the name of the person who asked it. */
const MAX_USED_TEXT = 120;

/** Most rows: the buttons, and the lines that say which follow-ups were asked. */
const FOLLOW_UP_ROWS = 2;

/**
 * Most weight of one follow-up, asked or not: its button and its menu entry, or the line that says who asked it. The
 * bound is the same in both states, so the division of an answer into messages never depends on what was asked since.
 */
const FOLLOW_UP_WEIGHT = LIMITS.blockWeight * 2 + LIMITS.buttonText + LIMITS.optionText + 100;

/**
 * Renders the follow-ups of an answer: one row with a button for each, the `more` buttons and one menu. Below it, a
 * line per asked follow-up says who asked it.
 */
function renderFollowUps(question: Question, answer: Answer, more: readonly Button[], say: Say): KnownBlock[] {
  const used = question.usedFollowUps ?? [];
  const open = shown(answer).filter(({ index }) => !used.some((each) => each.index === index));
  const asked = shown(answer).flatMap(({ text, index }) => {
    const use = used.find((each) => each.index === index);
    return use === undefined ? [] : [say.answer.usedFollowUp(`<@${use.byUserId}>`, inertCut(text, MAX_USED_TEXT))];
  });
  const buttons = open.map(({ text, index }) =>
    button(plainLabel(text), followUpAction(index), { questionId: question.id, index }),
  );
  const menu = renderMenu(question, open, say);
  const row = [...buttons, ...more, ...(menu === undefined ? [] : [menu])];
  return [...(row.length === 0 ? [] : [actions(row)]), ...(asked.length === 0 ? [] : [context(asked.join('\n'))])];
}

/** The most that the follow-ups of an answer weigh, asked or not. */
function followUpsWeight(answer: Answer): number {
  const menu = LIMITS.blockWeight + 2 * LIMITS.optionText;
  return FOLLOW_UP_ROWS * LIMITS.blockWeight + menu + shown(answer).length * FOLLOW_UP_WEIGHT;
}

/**
 * The menu has an entry to edit each open follow-up or ask it elsewhere, and one to mute the thread. At most five
 * entries.
 */
function renderMenu(question: Question, open: readonly FollowUp[], say: Say): Overflow | undefined {
  const { id, place, offersMute = false } = question;
  const label = isBetweenTwo(place) ? say.buttons.editFirst : say.buttons.editOrAskPrivately;
  const options = [
    ...open.map(({ text, index }) => menuOption(label(plainLabel(text)), { questionId: id, index, choice: 'edit' })),
    ...(offersMute ? [menuOption(say.buttons.onlyMentions(), { questionId: id, choice: 'mute' })] : []),
  ];
  return options.length === 0 ? undefined : { type: 'overflow', action_id: ACTIONS.followUpMenu, options };
}

function menuOption(label: string, value: ButtonValue): PlainTextOption {
  return {
    text: { type: 'plain_text', text: cut(oneLine(label), LIMITS.optionText), emoji: false },
    value: buttonValue(value),
  };
}

/** A follow-up and its index among all follow-ups of its answer. */
interface FollowUp {
  text: string;
  index: number;
}

function shown({ followUps }: Answer): FollowUp[] {
  return followUps
    .map((text, index) => ({ text, index }))
    .slice(0, SHOWN_FOLLOW_UPS)
    .filter(({ text }) => oneLine(plainLabel(text)) !== '');
}

/** Removes backticks, because button labels show them as characters. The full text is asked. */
function plainLabel(text: string): string {
  return text.replaceAll('`', '');
}
