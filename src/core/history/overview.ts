import { cardView } from '../lifecycle/card-view.ts';
import type { AskedQuestions, CardView, Clock, QuestionStore, ThreadStore } from '../ports.ts';
import { isInThread, type Place, type Question, type Quota, type Thread } from '../question/question.ts';
import { getReadable } from '../question/readable.ts';

/** One question of a person, and what its card shows of it now. */
export interface OverviewEntry {
  question: Question;
  view: CardView;
}

/** What one person asked lately, newest first. */
export interface Overview {
  open: OverviewEntry[];
  ended: OverviewEntry[];
  /** The quota the newest of their answers reported. */
  quota?: Quota;
}

export interface OverviewPorts {
  askedQuestions: Pick<AskedQuestions, 'of'>;
  questions: Pick<QuestionStore, 'get'>;
  threads: Pick<ThreadStore, 'get'>;
  now: Clock;
}

/** Reads what a person asked lately. Throws `AppError` of kind `storage`; records that can't be read are left out. */
export function createOverview({ askedQuestions, ...ports }: OverviewPorts) {
  return async function overviewOf(teamId: string, userId: string): Promise<Overview> {
    const ids = await askedQuestions.of(teamId, userId);
    const own = (await readAll(ports, ids)).filter((question) => isOf(question, teamId, userId));
    const entries = await Promise.all(own.map((question) => entryOf(ports, question)));
    const quota = own.map(quotaOf).find((reported) => reported !== undefined);
    return {
      open: entries.filter(({ question }) => question.outcome === undefined),
      ended: entries.filter(({ question }) => question.outcome !== undefined),
      ...(quota === undefined ? {} : { quota }),
    };
  };
}

/** Open questions that are read to find those of one channel; more than a workspace should ever have. */
const mostOpenRead = 1_000;

/** Reads what runs and waits in a place, oldest first. Errors as of {@link createOverview}. */
export function createOpenIn(
  ports: Pick<OverviewPorts, 'threads' | 'now'> & { questions: Pick<QuestionStore, 'get' | 'openIds'> },
) {
  return { thread, channel };

  /** In the order in which they are going to be asked; of what was not admitted yet, only the reader's own. */
  async function thread({ queue }: Thread, readerId: string): Promise<OverviewEntry[]> {
    const waiting = await readAll(ports, queue);
    return entriesOf(waiting.filter(({ askerId, admittedMs }) => admittedMs !== undefined || askerId === readerId));
  }

  /** What nobody but its asker may know of yet, because it was not found whether they may ask there, is left out. */
  async function channel({ teamId, channelId }: Place): Promise<OverviewEntry[]> {
    const ids = (await ports.questions.openIds()).slice(0, mostOpenRead);
    const here = (await readAll(ports, ids)).filter(
      ({ place, admittedMs }) => place.teamId === teamId && place.channelId === channelId && admittedMs !== undefined,
    );
    return entriesOf(here.toSorted((one, other) => one.acceptedMs - other.acceptedMs));
  }

  function entriesOf(questions: Question[]): Promise<OverviewEntry[]> {
    const open = questions.filter(({ outcome, phase }) => outcome === undefined && phase !== 'offered');
    return Promise.all(open.map((question) => entryOf(ports, question)));
  }
}

type EntryPorts = Pick<OverviewPorts, 'questions' | 'threads' | 'now'>;

async function readAll({ questions }: Pick<EntryPorts, 'questions'>, ids: readonly string[]): Promise<Question[]> {
  const found = await Promise.all(ids.map((id) => getReadable(questions, id)));
  return found.filter((question) => question !== undefined);
}

async function entryOf(ports: EntryPorts, question: Question): Promise<OverviewEntry> {
  const positionInQueue = question.phase === 'waiting' ? await positionInQueueOf(ports, question) : 0;
  return { question, view: cardView(question, { positionInQueue, slot: slotShown(question) }, ports.now()) };
}

async function positionInQueueOf({ threads }: Pick<EntryPorts, 'threads'>, { id, place }: Question): Promise<number> {
  if (!isInThread(place)) return 0;
  const thread = await threads.get(place);
  return Math.max(0, thread?.queue.indexOf(id) ?? 0);
}

/** Only a look may line a question up for its turn, so what the last one made the card say is taken for true. */
function slotShown({ card }: Question) {
  const isWaiting = card.shown?.includes('"kind":"waitingForSlot"') === true;
  return isWaiting ? { granted: false as const, ahead: 0 } : { granted: true as const };
}

function isOf(question: Question, teamId: string, userId: string): boolean {
  return question.askerId === userId && question.place.teamId === teamId;
}

function quotaOf({ outcome }: Question): Quota | undefined {
  return outcome?.kind === 'answered' ? outcome.answer.quota : undefined;
}
