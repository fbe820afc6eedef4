import { cardView } from './card.ts';
import { isAppError } from './errors.ts';
import type { CardView, Clock, Histories, QuestionStore, ThreadStore } from './ports.ts';
import { isInThread, type Question, type Quota } from './question.ts';

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
  histories: Pick<Histories, 'of'>;
  questions: Pick<QuestionStore, 'get'>;
  threads: Pick<ThreadStore, 'get'>;
  now: Clock;
}

/** Reads what a person asked lately. Throws `AppError` of kind `storage`; records that can't be read are left out. */
export function createOverview({ histories, questions, threads, now }: OverviewPorts) {
  return async function overviewOf(teamId: string, userId: string): Promise<Overview> {
    const ids = await histories.of(teamId, userId);
    const found = await Promise.all(ids.map(readable));
    const own = found.filter((question): question is Question => isOf(question, teamId, userId));
    const entries = await Promise.all(own.map(entryOf));
    const quota = own.map(quotaOf).find((reported) => reported !== undefined);
    return {
      open: entries.filter(({ question }) => question.outcome === undefined),
      ended: entries.filter(({ question }) => question.outcome !== undefined),
      ...(quota === undefined ? {} : { quota }),
    };
  };

  async function readable(id: string): Promise<Question | undefined> {
    try {
      return await questions.get(id);
    } catch (error) {
      if (isAppError(error, 'corrupt')) return undefined;
      throw error;
    }
  }

  async function entryOf(question: Question): Promise<OverviewEntry> {
    const placeInLine = question.phase === 'waiting' ? await placeInLineOf(question) : 0;
    return { question, view: cardView(question, { placeInLine, turn: turnShown(question) }, now()) };
  }

  async function placeInLineOf({ id, place }: Question): Promise<number> {
    if (!isInThread(place)) return 0;
    const thread = await threads.get(place);
    return Math.max(0, thread?.line.indexOf(id) ?? 0);
  }
}

/** Only a look may line a question up for its turn, so what the last one made the card say is taken for true. */
function turnShown({ card }: Question) {
  const isWaiting = card.shown?.includes('"kind":"waitingTurn"') === true;
  return isWaiting ? { granted: false as const, ahead: 0 } : { granted: true as const };
}

function isOf(question: Question | undefined, teamId: string, userId: string): boolean {
  return question !== undefined && question.askerId === userId && question.place.teamId === teamId;
}

function quotaOf({ outcome }: Question): Quota | undefined {
  return outcome?.kind === 'answered' ? outcome.answer.quota : undefined;
}
