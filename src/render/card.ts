import type { Button, KnownBlock } from '@slack/types';
import type { CardView } from '../core/ports.ts';
import {
  canAskCancelledAgain,
  isRestated,
  isSharedWithOthers,
  type Question,
  referenceOf,
} from '../core/question/question.ts';
import { actions, button, context, quote, type RenderedMessage, type RenderOptions, section } from './blocks.ts';
import { ACTIONS, cardMarker, markerBlockId, markerMetadata } from './ids.ts';
import { LIMITS } from './limits.ts';
import { type Say, sayIn } from './say.ts';
import { cut, inertCut, mrkdwnLink, namesOf, oneLine, shownText, slackDayTime, slackTime } from './text.ts';

/** A step takes one line, so it is cut to this length. */
const MAX_STEP = 200;
/** The question that this one follows is named only, so it is cut to this length. */
const MAX_FOLLOWED = 150;
/** Most characters of the names of repositories. */
const MAX_SCOPE = 300;
/** A longer address might not fit into a context element, which holds 2,000 characters. */
const MAX_SHARE_URL = 1_000;
const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Renders the card of a question. Equal arguments give equal messages, so callers can compare before they edit. */
export function renderCard(question: Question, view: CardView, options: RenderOptions): RenderedMessage {
  const marker = cardMarker(question);
  const metadata = markerMetadata(question, marker);
  const say = sayIn(question.locale);
  const status = statusLine(question, view, say);
  const step = view.kind === 'running' && view.lastStep !== undefined ? inertCut(view.lastStep, MAX_STEP) : '';
  const asker = `<@${question.askerId}>`;
  const questionText = shownText(question.text, say);
  const heading = isSharedWithOthers(question) ? say.card.sharedAnswer(asker) : say.card.asked(asker);
  const asked = isRestated(question) ? quote(heading, questionText) : [];
  const begins = [
    ...(question.fresh && question.follows === undefined ? [say.card.newConversation()] : []),
    ...followed(question, say),
    ...(question.startsOwnConversation === true ? [say.card.startsOwnConversation()] : []),
    ...scopeLine(question, say),
  ];
  const askedAgain = view.kind === 'cancelled' ? (question.askedAgain?.byUserId ?? '') : '';
  const again = askedAgain === '' ? [] : [say.failures.askedAgain(`<@${askedAgain}>`)];
  const readNote = isQuiet(view) ? '' : threadNote(question, say);

  if (options.format === 'plain') {
    // An edit holds 4,000 bytes of text, so a plain card shows only the beginning of a long question.
    const lines = [
      ...(asked.length === 0 ? [] : [heading, inertCut(questionText, LIMITS.notificationText)]),
      ...begins,
      status,
      ...(step === '' ? [] : [step]),
      ...again,
      ...(readNote === '' ? [] : [readNote]),
    ];
    return { text: lines.join('\n'), metadata };
  }

  const buttons = buttonsFor(question, view, say);
  const content = JSON.stringify([status, view, asked, step, readNote, ...again]);
  const blocks: KnownBlock[] = [
    ...asked.map((text) => section(text)),
    ...begins.map((text) => context(text)),
    isQuiet(view) ? context(status, markerBlockId(marker, content)) : section(status, markerBlockId(marker, content)),
    ...(step === '' ? [] : [context(step)]),
    ...again.map((text) => context(text)),
    ...(readNote === '' ? [] : [context(readNote)]),
    ...(buttons.length === 0 ? [] : [actions(buttons)]),
  ];
  return { text: notification(question, status, say), blocks, metadata };
}

function statusLine(question: Question, view: CardView, say: Say): string {
  switch (view.kind) {
    case 'queued':
      return say.card.queued(view.place);
    case 'waitingForSlot':
      return say.card.waitingForSlot(view.ahead);
    case 'starting':
      return say.card.starting();
    case 'running':
      return say.card.running(view);
    case 'unreachable':
      return view.isSignInPage === true ? say.card.signInPage() : say.card.unreachable();
    case 'noReply':
      return say.card.noReply();
    case 'limited':
      return say.card.limited();
    case 'cancelling':
      return say.card.cancelling();
    case 'parked':
      if (view.afterMs !== undefined)
        return say.card.parkedFor(view.afterMs / MINUTE_MS, say.words.atTime(slackTime(view.untilMs)));
      // Later than a day after the question, the time alone would suggest the wrong day.
      return say.card.parked(
        view.untilMs - question.acceptedMs < DAY_MS
          ? say.words.atTime(slackTime(view.untilMs))
          : slackDayTime(view.untilMs, say),
      );
    case 'awaitingAccount':
      return say.card.awaitingAccount();
    case 'answered':
      return [
        view.isIncomplete === true ? say.card.answeredInPart(view.durationMs) : say.card.answered(view.durationMs),
        ...(view.steps === undefined ? [] : [say.words.steps(view.steps)]),
        briefThreadNote(question, say),
      ]
        .filter(Boolean)
        .join(' · ');
    case 'choosing':
      return say.card.choosing();
    case 'answeredPrivately':
      return say.card.answeredPrivately();
    case 'cancelled':
      return say.card.cancelled(view.byUserId === undefined ? undefined : `<@${view.byUserId}>`);
    case 'failed':
      return say.card.failed(view.durationMs);
    case 'gaveUp':
      return say.card.gaveUp(view.durationMs);
    case 'notAllowed':
      return `${say.card.notAllowed()} · ${say.failures.reference(referenceOf(question.id))}`;
    case 'shared':
      return say.card.shared();
  }
}

/** Names the repositories to which the question is limited. */
function scopeLine({ scope }: Question, say: Say): string[] {
  return scope === undefined ? [] : [say.card.onlyIn(namesOf(scope.repositories, MAX_SCOPE, say))];
}

/** Names the question that this one follows, which is in another conversation. */
function followed({ follows }: Question, say: Say): string[] {
  if (follows === undefined) return [];
  const { text, shareUrl } = follows;
  const label = cut(oneLine(shownText(text, say)), MAX_FOLLOWED);
  const isLinked = shareUrl !== undefined && shareUrl.length <= MAX_SHARE_URL;
  return [say.card.follows(isLinked ? mrkdwnLink(shareUrl, label) : inertCut(label, MAX_FOLLOWED))];
}

/** Says what was sent to the service besides the question's text; empty if there was nothing. */
function threadNote(question: Question, say: Say): string {
  const isElsewhere = question.readsFrom !== undefined;
  const note = say.thread.read({ ...readOf(question), isElsewhere });
  return question.context?.refused === true ? [say.thread.refused(isElsewhere), note].filter(Boolean).join('; ') : note;
}

function briefThreadNote(question: Question, say: Say): string {
  const read = readOf(question);
  if (question.context?.refused !== true) return say.thread.readBriefly(read);
  const beside = say.thread.readBriefly({ ...read, messages: 0, unreadable: 0 });
  return [say.thread.refusedBriefly(), beside].filter(Boolean).join(' · ');
}

/** What was read for a question: with its message, and before it was asked. */
function readOf({ context, forwarded }: Question) {
  const { messages = 0, total = 0, files = 0, unreadable = 0, linked = 0, linksUnread = 0 } = context ?? {};
  const passedOn = (forwarded?.messages ?? 0) + (context?.forwarded ?? 0);
  return { messages, total, files, unreadable, linked, linksUnread, forwarded: passedOn };
}

function buttonsFor(question: Question, view: CardView, say: Say): Button[] {
  const value = { questionId: question.id };
  const { previous } = question;
  const continues =
    previous === undefined ? [] : [button(say.buttons.continuePrevious(), ACTIONS.continuePrevious, value)];
  switch (view.kind) {
    case 'queued':
    case 'waitingForSlot':
    case 'starting':
    case 'running':
    case 'unreachable':
    case 'noReply':
    case 'limited':
      return [...continues, button(say.buttons.cancel(), ACTIONS.cancel, value)];
    case 'parked':
    case 'awaitingAccount':
      return [...continues, button(say.buttons.drop(), ACTIONS.drop, value)];
    case 'cancelled':
      return question.askedAgain === undefined && canAskCancelledAgain(question)
        ? [button(say.buttons.askAgain(), ACTIONS.tryAgain, value)]
        : [];
    default:
      return [];
  }
}

/** Cards of questions that have ended. */
const QUIET: ReadonlySet<CardView['kind']> = new Set([
  'answered',
  'answeredPrivately',
  'cancelled',
  'failed',
  'gaveUp',
  'notAllowed',
  'shared',
]);

function isQuiet({ kind }: CardView): boolean {
  return QUIET.has(kind);
}

function notification(question: Question, status: string, say: Say): string {
  if (!isRestated(question)) return status;
  const room = LIMITS.notificationText - status.length - 40;
  return `${status} · ${say.card.askedPlain(inertCut(shownText(question.text, say), room))}`;
}
