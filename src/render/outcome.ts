import type { Button, KnownBlock } from '@slack/types';
import { hasNoWords } from '../core/question/prompt.ts';
import {
  canAskCancelledAgain,
  type Failure,
  isBetweenTwo,
  type Outcome,
  type Question,
  referenceOf,
} from '../core/question/question.ts';
import { areStepsPrivate, readersOf, shareUrlFor } from '../core/question/readers.ts';
import { prepareAnswer } from './answer.ts';
import {
  actions,
  button,
  context,
  type PreparedMessages,
  type RenderedMessage,
  type RenderOptions,
  section,
} from './blocks.ts';
import { privateContact, publicContact } from './contact.ts';
import { ACTIONS, markerBlockId, markerMetadata, partMarker } from './ids.ts';
import { mostFailureMessage, mostFailureTitle } from './incomplete.ts';
import { type Say, sayIn } from './say.ts';
import { inertCut, mrkdwnLink } from './text.ts';

/**
 * Prepares the messages of a question's outcome; there are none without an outcome. A cancelled or undeliverable question
 * has one short part, for when no card can say it. A question that was not allowed has none.
 */
export function prepareOutcome(question: Question): PreparedMessages {
  const { outcome } = question;
  if (outcome === undefined || outcome.kind === 'notAllowed') return { parts: 0, render: noPart };
  if (outcome.kind === 'answered') return prepareAnswer(question, outcome.answer);
  return {
    parts: 1,
    render(current, part, options) {
      const say = sayIn(current.locale);
      return part === 0
        ? renderEnd(current, ending(current, outcome, say, options), options, say)
        : noPart(current, part);
    },
  };
}

function noPart(_question: Question, part: number): never {
  throw new RangeError(`The outcome has no part ${part}.`);
}

/** Renders all messages of a question's outcome, in order. */
export function renderOutcome(question: Question, options: RenderOptions): RenderedMessage[] {
  const prepared = prepareOutcome(question);
  return Array.from({ length: prepared.parts }, (_, part) => prepared.render(question, part, options));
}

/** The message of an end without an answer after its button was pressed. It names the person instead of the button. */
export function renderUsedEnd(
  question: Question,
  byUserId: string,
  options: RenderOptions,
): RenderedMessage | undefined {
  const { outcome } = question;
  if (outcome?.kind !== 'failed' && outcome?.kind !== 'gaveUp' && outcome?.kind !== 'cancelled') return undefined;
  const say = sayIn(question.locale);
  const by = `<@${byUserId}>`;
  const { button: _, ...end } = ending(question, outcome, say, options);
  const used = outcome.kind === 'gaveUp' ? say.failures.checkedAgain(by) : say.failures.askedAgain(by);
  return renderEnd(question, { ...end, used }, options, say);
}

/** An outcome without an answer: what happened, what to do, and a button for it. */
interface Ending {
  /** Shown after the mention. The first two lines, together ≤ 1,000 characters, are the text of notifications. */
  lines: string[];
  /** Whether to show the reference, for people who ask the operator. */
  withReference: boolean;
  /** Whether to mention the asker. Someone who cancelled knows already. */
  mentions: boolean;
  button?: Button;
  /** The line that replaces the button after it was used. */
  used?: string;
}

function ending(
  question: Question,
  outcome: Exclude<Outcome, { kind: 'answered' | 'notAllowed' }>,
  say: Say,
  options: RenderOptions,
): Ending {
  const value = { questionId: question.id };
  switch (outcome.kind) {
    case 'failed':
      return failed(question, outcome.failure, say, contactFor(question, options, say));
    case 'gaveUp': {
      const { askedMs } = question.upstream;
      const shareUrl = shareUrlFor(question, readersOf(question));
      const waitedMs = question.endedMs === undefined || askedMs === undefined ? undefined : question.endedMs - askedMs;
      return {
        lines: [
          say.failures.gaveUp(waitedMs),
          ...(shareUrl === undefined
            ? [say.failures.gaveUpDoNoLink()]
            : [say.failures.gaveUpDo(), `*${mrkdwnLink(shareUrl, say.words.openInDeepSearch())}*`]),
        ],
        withReference: true,
        mentions: true,
        button: button(say.buttons.checkAgain(), ACTIONS.checkAgain, value),
      };
    }
    case 'cancelled':
      return {
        lines: [say.failures.cancelled(question.cancel === undefined ? undefined : `<@${question.cancel.byUserId}>`)],
        withReference: false,
        mentions: false,
        ...(canAskCancelledAgain(question) ? { button: button(say.buttons.askAgain(), ACTIONS.tryAgain, value) } : {}),
      };
    case 'undeliverable':
      return { lines: [say.failures.undeliverable()], withReference: true, mentions: true };
  }
}

/** Direct messages with the app have only one reader: the asker. */
function contactFor(question: Question, { contact, workspaceUrl }: RenderOptions, say: Say): string | undefined {
  return isBetweenTwo(question.place) ? privateContact(contact) : publicContact(contact, say, workspaceUrl);
}

function failed(question: Question, failure: Failure, say: Say, contact: string | undefined): Ending {
  const { shares } = question;
  const isWithheld = shares?.withheld === true;
  // Sharing again opens the form, which shows the audience again.
  const share =
    shares === undefined || isWithheld
      ? undefined
      : button(say.buttons.share(), ACTIONS.share, { questionId: shares.questionId });
  const { again, inNew } = share === undefined ? askButtons(question, say) : { again: share, inNew: share };
  // The answer exists already. The reason for withholding it may be over.
  const retry = isWithheld ? button(say.buttons.tryAgain(), ACTIONS.showInDm, { questionId: question.id }) : again;
  const base = { withReference: true, mentions: true };
  const doubt = failure.mayBeAsked === true ? [say.failures.mayBeAsked()] : [];
  switch (failure.cause) {
    case 'service': {
      // The service's words may name private code, as the steps may.
      const { title: own = '', message: ownMessage = '' } = areStepsPrivate(question) ? {} : failure;
      const title = inertCut(own, mostFailureTitle).replaceAll('*', '');
      const message = inertCut(ownMessage, mostFailureMessage);
      const named = title === '' ? say.failures.service() : `*${title}*`;
      const said = [named, ...(message === '' ? [] : [message])];
      return { ...base, lines: [...said, say.failures.serviceDo()], button: again };
    }
    case 'tooLong':
      return { ...base, lines: [say.failures.tooLong(), say.failures.tooLongDo()], button: inNew };
    case 'unauthorized':
      return { ...base, lines: [say.failures.unauthorized(), say.failures.unauthorizedDo(contact)], button: retry };
    case 'accountRefused':
      return { ...base, lines: [say.failures.accountRefused(), say.failures.accountRefusedDo()], button: retry };
    case 'unreachable':
      return { ...base, lines: [say.failures.unreachable(), ...doubt, say.failures.unreachableDo()], button: retry };
    case 'signInPage':
      return {
        ...base,
        lines: [say.failures.signInPage(), ...doubt, say.failures.signInPageDo(contact)],
        button: retry,
      };
    case 'answerTooLong': {
      const shareUrl = shareUrlFor(question, readersOf(question));
      const link = shareUrl === undefined ? [] : [`*${mrkdwnLink(shareUrl, say.words.openInDeepSearch())}*`];
      return { ...base, lines: [say.failures.answerTooLong(), say.failures.answerTooLongDo(), ...link], button: inNew };
    }
    case 'limited':
      return { ...base, lines: [say.failures.limited(), ...doubt, say.failures.limitedDo()], button: retry };
    case 'gone':
      return {
        ...base,
        lines: isWithheld
          ? [say.failures.answerGone(), say.failures.answerGoneDo()]
          : [say.failures.gone(), say.failures.goneDo()],
        button: share === undefined ? inNew : undefined,
      };
    case 'refused': {
      const message = areStepsPrivate(question) ? '' : inertCut(failure.message ?? '', mostFailureMessage);
      const said = message === '' ? [] : [message];
      return { ...base, lines: [say.failures.refused(), ...said, say.failures.refusedDo()], button: inNew };
    }
    case 'threadUnread':
      return { ...base, lines: [say.failures.threadUnread(), say.failures.threadUnreadDo()], button: again };
    case 'internal':
      return { ...base, lines: [say.failures.internal(), say.failures.internalDo(contact)], button: retry };
  }
}

/**
 * The buttons that ask the question again. If the question was a whole thread, it can't be asked in direct messages.
 */
function askButtons({ id, text, shares }: Question, say: Say): { again?: Button; inNew?: Button } {
  if (shares?.withheld === true && hasNoWords(text)) return {};
  return {
    again: button(say.buttons.tryAgain(), ACTIONS.tryAgain, { questionId: id }),
    inNew: button(say.buttons.askNew(), ACTIONS.askNew, { questionId: id }),
  };
}

function renderEnd(question: Question, end: Ending, options: RenderOptions, say: Say): RenderedMessage {
  const marker = partMarker(question, 0);
  const metadata = markerMetadata(question, marker);
  const mention = end.mentions ? `<@${question.askerId}> ` : '';
  const text = `${mention}${end.lines.join('\n')}`;
  const reference = say.failures.reference(referenceOf(question.id));
  if (options.format === 'plain') {
    return { text: end.withReference ? `${text}\n${reference}` : text, metadata };
  }
  const blockId = markerBlockId(marker, `${text}${end.used ?? ''}`);
  const blocks: KnownBlock[] = [
    section(text, end.withReference ? undefined : blockId),
    ...(end.button === undefined ? [] : [actions([end.button])]),
    ...(end.used === undefined ? [] : [context(end.used)]),
    ...(end.withReference ? [context(reference, blockId)] : []),
  ];
  return { text: end.lines.slice(0, 2).join(' '), blocks, metadata };
}
