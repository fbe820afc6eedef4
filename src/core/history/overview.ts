import type { Core } from '../context.ts';
import { cardView } from '../lifecycle/card.ts';
import { atOnce, type Standing } from '../lifecycle/decide.ts';
import type { CardView } from '../ports.ts';
import { isInThread, type Place, type Question, type Quota, type Thread } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import { mostOpenRead } from '../settings.ts';

/** A question, and what its card shows now. */
export interface OverviewEntry {
  question: Question;
  view: CardView;
}

/** What one person asked recently, newest first. */
export interface Overview {
  open: OverviewEntry[];
  ended: OverviewEntry[];
  /** The quota that the newest of their answers reported. */
  quota?: Quota;
}

/** Reads what a person asked recently. Leaves out corrupt questions. Throws `AppError` of kind `storage`. */
export async function overviewOf(w: Core, teamId: string, userId: string): Promise<Overview> {
  const ids = await w.askedQuestions.of(teamId, userId);
  const own = (await readAll(w, ids)).filter((question) => isOf(question, teamId, userId));
  const entries = await Promise.all(own.map((question) => entryOf(w, question)));
  const quota = own.map(quotaOf).find((reported) => reported !== undefined);
  return {
    open: entries.filter(({ question }) => question.outcome === undefined),
    ended: entries.filter(({ question }) => question.outcome !== undefined),
    quota,
  };
}

/**
 * The running and waiting questions of a thread, in the order they will be asked. Only the asker sees a question that is not
 * admitted yet.
 */
export async function openInThread(w: Core, { queue }: Thread, readerId: string): Promise<OverviewEntry[]> {
  const waiting = await readAll(w, queue);
  return entriesOf(
    w,
    waiting.filter(({ askerId, admittedMs }) => admittedMs !== undefined || askerId === readerId),
  );
}

/**
 * The running and waiting questions of a channel, oldest first. Leaves out questions of which nothing is shown yet: not
 * admitted, or waiting for an account of their asker. Only their askers may see them.
 */
export async function openInChannel(w: Core, { teamId, channelId }: Place, readerId: string): Promise<OverviewEntry[]> {
  const ids = (await w.questions.openIds()).slice(0, mostOpenRead);
  const here = (await readAll(w, ids)).filter(
    (question) =>
      question.place.teamId === teamId && question.place.channelId === channelId && isShownTo(question, readerId),
  );
  return entriesOf(
    w,
    here.toSorted((one, other) => one.acceptedMs - other.acceptedMs),
  );
}

function entriesOf(w: Core, questions: Question[]): Promise<OverviewEntry[]> {
  const open = questions.filter(({ outcome }) => outcome === undefined);
  return Promise.all(open.map((question) => entryOf(w, question)));
}

function isShownTo({ admittedMs, awaitsAccount, access, card, askerId }: Question, readerId: string): boolean {
  if (admittedMs === undefined) return false;
  return askerId === readerId || awaitsAccount === undefined || access !== undefined || card.ts !== undefined;
}

async function readAll({ questions }: Core, ids: readonly string[]): Promise<Question[]> {
  const found = await Promise.all(ids.map((id) => getReadable(questions, id)));
  return found.filter((question) => question !== undefined);
}

async function entryOf(w: Core, question: Question): Promise<OverviewEntry> {
  return { question, view: cardView(question, await standingOf(w, question), w.now()) };
}

async function standingOf(w: Core, question: Question): Promise<Standing> {
  if (question.phase !== 'waiting') return atOnce;
  const positionInQueue = await positionInQueueOf(w, question);
  return { positionInQueue, slot: positionInQueue === 0 ? await w.runSlots.readSlot(question) : undefined };
}

async function positionInQueueOf({ threads }: Core, { id, place }: Question): Promise<number> {
  if (!isInThread(place)) return 0;
  const thread = await threads.get(place);
  return Math.max(0, thread?.queue.indexOf(id) ?? 0);
}

function isOf(question: Question, teamId: string, userId: string): boolean {
  return question.askerId === userId && question.place.teamId === teamId;
}

function quotaOf({ outcome }: Question): Quota | undefined {
  return outcome?.kind === 'answered' ? outcome.answer.quota : undefined;
}
