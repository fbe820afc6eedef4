import type { Button, KnownBlock } from '@slack/types';
import type { CardView } from '../core/ports.ts';
import type { Origin, Question } from '../core/question.ts';
import { actions, button, context, section } from './blocks.ts';
import { ACTIONS, cardMarker, markerBlockId, markerMetadata } from './ids.ts';
import { LIMITS } from './limits.ts';
import type { RenderedMessage, RenderOptions } from './message.ts';
import { quote } from './quote.ts';
import { SAY } from './sentences.ts';
import { inertCut } from './text.ts';
import { slackDayTime, slackTime } from './time.ts';

/** Origins whose question is not visible right above the card. */
const RESTATED: ReadonlySet<Origin> = new Set(['command', 'followUp', 'retry']);

/** A step is one quiet line, not a report. */
const MAX_STEP = 200;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The card of a question. Pure: equal arguments give equal messages, so callers can compare before editing. */
export function renderCard(question: Question, view: CardView, options: RenderOptions): RenderedMessage {
  const marker = cardMarker(question);
  const metadata = markerMetadata(question, marker);
  const status = statusLine(question, view, options.locale);
  const step = view.kind === 'running' && view.lastStep !== undefined ? inertCut(view.lastStep, MAX_STEP) : '';
  const asker = `<@${question.askerId}>`;
  const asked = RESTATED.has(question.origin) ? quote(SAY.asked(asker), question.text) : undefined;
  const askedSections = asked === undefined ? [] : asked.sections;
  const shortened = asked?.shortened === undefined ? [] : [SAY.shortened(asked.shortened)];

  if (options.format === 'plain') {
    // An edit takes 4,000 bytes of text, so a plain card keeps the beginning of a long question.
    const lines = [
      ...(asked === undefined ? [] : [SAY.asked(asker), inertCut(question.text, LIMITS.notificationText)]),
      status,
      ...(step === '' ? [] : [step]),
    ];
    return { text: lines.join('\n'), metadata };
  }

  const button = buttonFor(question, view);
  const content = JSON.stringify([view, askedSections, step]);
  const blocks: KnownBlock[] = [
    ...askedSections.map((text) => section(text)),
    ...shortened.map((text) => context(text)),
    isQuiet(view) ? context(status, markerBlockId(marker, content)) : section(status, markerBlockId(marker, content)),
    ...(step === '' ? [] : [context(step)]),
    ...(button === undefined ? [] : [actions([button])]),
  ];
  return { text: notification(question, status), blocks, metadata };
}

function statusLine(question: Question, view: CardView, locale: string | undefined): string {
  switch (view.kind) {
    case 'queued':
      return SAY.queued(view.place, locale);
    case 'waitingTurn':
      return SAY.waitingTurn(view.ahead, locale);
    case 'starting':
      return SAY.starting();
    case 'running':
      return SAY.running(view.elapsedMs, view.steps, locale);
    case 'unreachable':
      return SAY.unreachable();
    case 'limited':
      return SAY.limited();
    case 'cancelling':
      return SAY.cancelling();
    case 'parked':
      // From a day after the question on, the time alone would name the wrong day.
      return SAY.parked(
        view.untilMs - question.acceptedMs < DAY_MS ? slackTime(view.untilMs) : slackDayTime(view.untilMs),
      );
    case 'answered':
      return SAY.answered(view.durationMs, view.steps, locale);
    case 'cancelled':
      return SAY.cancelledCard(view.byUserId === undefined ? undefined : `<@${view.byUserId}>`);
    case 'failed':
      return SAY.failedCard(view.durationMs, locale);
    case 'gaveUp':
      return SAY.gaveUpCard(view.durationMs, locale);
  }
}

function buttonFor(question: Question, view: CardView): Button | undefined {
  const value = { questionId: question.id };
  switch (view.kind) {
    case 'queued':
    case 'waitingTurn':
    case 'starting':
    case 'running':
    case 'unreachable':
    case 'limited':
      return button(SAY.cancel(), ACTIONS.cancel, value);
    case 'parked':
      return button(SAY.drop(), ACTIONS.drop, value);
    default:
      return undefined;
  }
}

function isQuiet(view: CardView): boolean {
  return view.kind === 'answered' || view.kind === 'cancelled' || view.kind === 'failed' || view.kind === 'gaveUp';
}

function notification(question: Question, status: string): string {
  if (!RESTATED.has(question.origin)) return status;
  const room = LIMITS.notificationText - status.length - 40;
  return `${status} · ${SAY.askedPlain(inertCut(question.text, room))}`;
}
