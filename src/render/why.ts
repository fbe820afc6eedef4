import type { Disposition, MessageLogEntry } from '../core/history/lists.ts';
import type { Question } from '../core/question/question.ts';
import { context, type RenderedMessage, sections } from './blocks.ts';
import { type Say, sayIn } from './say.ts';
import { type PlaceRule, sayRule } from './status.ts';
import { permalink, slackDayTime, slackTime } from './text.ts';

/** One message: its log entries, the question that it became, and that question's position in the queue. */
export interface WhyEntry {
  notes: [MessageLogEntry, ...MessageLogEntry[]];
  question?: Question;
  positionInQueue: number;
}

/** A message younger than this shows only its time, because it is roughly from today. */
const recentMs = 18 * 60 * 60 * 1000;

/** The reader, and the place of the messages. */
interface Reader {
  userId: string;
  locale: string | undefined;
  botUserId: string;
  nowMs: number;
  /** See `permalink`. */
  workspaceUrl: string;
  channelId: string;
}

/** Slack's form of a person's id. An app may have no id. */
const personId = /^[UW][A-Z0-9]+$/;

/** Renders what the app did with the latest messages of a place, oldest first, for one reader. */
export function renderWhy(view: { entries: WhyEntry[]; rule: PlaceRule }, reader: Reader): RenderedMessage {
  const say = sayIn(reader.locale);
  const rule = sayRule(say, view.rule, `<@${reader.botUserId}>`);
  const lines = view.entries.map((entry) => line(entry, reader, say));
  const title = lines.length === 0 ? say.why.nothing() : say.why.title();
  return { text: title, blocks: [...sections([title, ...lines]), context(rule)] };
}

/** The line links the time to the message, because the message's text is not stored. */
function line(entry: WhyEntry, reader: Reader, say: Say): string {
  const [{ ts, threadTs }] = entry.notes;
  const url = permalink(reader.workspaceUrl, { channelId: reader.channelId, ts, threadTs });
  const sentMs = Number(ts) * 1000;
  const atMs = Number.isFinite(sentMs) ? sentMs : entry.notes[0].atMs;
  const time = reader.nowMs - atMs < recentMs ? slackTime(atMs, url) : slackDayTime(atMs, say, url);
  return `• ${time} · ${author(entry, reader.userId, say)} → ${[disposition(entry, reader.userId, say), ...later(entry, say)].join(' · ')}`;
}

const said = {
  mention: ['yourMention', 'mentionBy'],
  reply: ['yourReply', 'replyBy'],
  direct: ['yourDirect', 'directBy'],
  unknown: ['yourMessage', 'messageBy'],
} as const;

/** Says what the message was, and whose. */
function author({ notes }: WhyEntry, readerId: string, { why }: Say): string {
  const [{ userId }] = notes;
  const [yours, by] = said[notes.find((note) => note.reached !== undefined)?.reached ?? 'unknown'];
  if (userId === readerId) return why[yours]();
  return personId.test(userId) ? why[by](`<@${userId}>`) : why.appsMessage();
}

/** Says what happened to the message: the state of its question, or else the last relevant log entry. */
function disposition({ notes, question, positionInQueue }: WhyEntry, readerId: string, say: Say): string {
  if (question !== undefined) return questionDisposition(question, positionInQueue, readerId, say);
  const [newest] = notes;
  const entry =
    notes.find((note) => note.disposition === 'asked') ?? notes.find((note) => !isAddition(note.disposition)) ?? newest;
  return noteDisposition(entry.disposition, say);
}

function noteDisposition(noted: Disposition, { why }: Say): string {
  switch (noted) {
    case 'asked':
    case 'duplicate':
      return why.asked();
    case 'cancelled':
      return why.cancel();
    default:
      return why[noted]();
  }
}

function questionDisposition(question: Question, positionInQueue: number, readerId: string, say: Say): string {
  const { why, words } = say;
  const { outcome, phase, parkedUntilMs, awaitsAccount } = question;
  switch (outcome?.kind) {
    case 'answered':
    case 'failed':
    case 'gaveUp':
    case 'undeliverable':
      return why[outcome.kind]();
    case 'cancelled':
      return why.cancelledQuestion();
    case 'notAllowed':
      // Only the asker may read their own status in the workspace.
      return question.askerId === readerId ? why[outcome.reason]() : why.mayNotAsk();
  }
  if (phase === 'parked' && awaitsAccount !== undefined) return why.awaitingAccount();
  if (phase === 'parked' && parkedUntilMs !== undefined) return why.parked(words.atTime(slackTime(parkedUntilMs)));
  if (positionInQueue > 0) return why.queued(positionInQueue);
  return phase === 'running' ? why.running() : why.waiting();
}

/** Says what happened to the message after it was handled. */
function later({ notes, question }: WhyEntry, { why }: Say): string[] {
  const has = (noted: Disposition): boolean => notes.some((note) => note.disposition === noted);
  const wasDealtWith = question !== undefined || notes.some((note) => !isAddition(note.disposition));
  return [
    ...(wasDealtWith && has('duplicate') ? [why.cameAgain(question?.outcome?.kind !== 'notAllowed')] : []),
    ...(wasDealtWith && has('edited') ? [why.editedLater()] : []),
  ];
}

function isAddition(noted: Disposition): boolean {
  return noted === 'duplicate' || noted === 'edited';
}
