import { cardView } from '../lifecycle/card.ts';
import { atOnce, type Standing } from '../lifecycle/decide.ts';
import type { AskedQuestions, CardView, Clock, QuestionStore, ThreadStore } from '../ports.ts';
import { isInThread, type Place, type Question, type Quota, type Thread } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';
import type { RunSlots } from '../run-slots.ts';
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

export interface OverviewPorts {
  askedQuestions: Pick<AskedQuestions, 'of'>;
  questions: Pick<QuestionStore, 'get'>;
  threads: Pick<ThreadStore, 'get'>;
  runSlots: Pick<RunSlots, 'readSlot'>;
  now: Clock;
}

/** Reads what a person asked recently. Leaves out corrupt questions. Throws `AppError` of kind `storage`. */
export function createOverview({ askedQuestions, ...ports }: OverviewPorts) {
  return async function overviewOf(teamId: string, userId: string): Promise<Overview> {
    const ids = await askedQuestions.of(teamId, userId);
    const own = (await readAll(ports, ids)).filter((question) => isOf(question, teamId, userId));
    const entries = await Promise.all(own.map((question) => entryOf(ports, question)));
    const quota = own.map(quotaOf).find((reported) => reported !== undefined);
    return {
      open: entries.filter(({ question }) => question.outcome === undefined),
      ended: entries.filter(({ question }) => question.outcome !== undefined),
      quota,
    };
  };
}

/**
 * Reads the running and waiting questions of a thread or a channel. Throws the same errors as {@link createOverview}.
 */
export function createOpenIn(
  ports: Pick<OverviewPorts, 'threads' | 'runSlots' | 'now'> & { questions: Pick<QuestionStore, 'get' | 'openIds'> },
) {
  return { thread, channel };

  /**
   * The questions of a thread, in the order they will be asked. Only the asker sees a question that is not admitted
   * yet.
   */
  async function thread({ queue }: Thread, readerId: string): Promise<OverviewEntry[]> {
    const waiting = await readAll(ports, queue);
    return entriesOf(waiting.filter(({ askerId, admittedMs }) => admittedMs !== undefined || askerId === readerId));
  }

  /**
   * The questions of a channel, oldest first. Leaves out questions of which nothing is shown yet: not admitted, or waiting
   * for an account of their asker. Only their askers may see them.
   */
  async function channel({ teamId, channelId }: Place, readerId: string): Promise<OverviewEntry[]> {
    const ids = (await ports.questions.openIds()).slice(0, mostOpenRead);
    const here = (await readAll(ports, ids)).filter(
      (question) =>
        question.place.teamId === teamId && question.place.channelId === channelId && isShownTo(question, readerId),
    );
    return entriesOf(here.toSorted((one, other) => one.acceptedMs - other.acceptedMs));
  }

  function entriesOf(questions: Question[]): Promise<OverviewEntry[]> {
    const open = questions.filter(({ outcome }) => outcome === undefined);
    return Promise.all(open.map((question) => entryOf(ports, question)));
  }
}

function isShownTo({ admittedMs, awaitsAccount, access, card, askerId }: Question, readerId: string): boolean {
  if (admittedMs === undefined) return false;
  return askerId === readerId || awaitsAccount === undefined || access !== undefined || card.ts !== undefined;
}

type EntryPorts = Pick<OverviewPorts, 'questions' | 'threads' | 'runSlots' | 'now'>;

async function readAll({ questions }: Pick<EntryPorts, 'questions'>, ids: readonly string[]): Promise<Question[]> {
  const found = await Promise.all(ids.map((id) => getReadable(questions, id)));
  return found.filter((question) => question !== undefined);
}

async function entryOf(ports: EntryPorts, question: Question): Promise<OverviewEntry> {
  return { question, view: cardView(question, await standingOf(ports, question), ports.now()) };
}

async function standingOf(ports: EntryPorts, question: Question): Promise<Standing> {
  if (question.phase !== 'waiting') return atOnce;
  const positionInQueue = await positionInQueueOf(ports, question);
  return { positionInQueue, slot: positionInQueue === 0 ? await ports.runSlots.readSlot(question) : undefined };
}

async function positionInQueueOf({ threads }: Pick<EntryPorts, 'threads'>, { id, place }: Question): Promise<number> {
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
