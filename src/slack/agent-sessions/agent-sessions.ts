import { LRUCache } from 'lru-cache';
import { isAppError } from '../../core/errors.ts';
import { within } from '../../core/pacing.ts';
import type { QuestionObserver } from '../../core/ports.ts';
import { isInThread, type Question, type ThreadPlace } from '../../core/question/question.ts';
import { getReadable } from '../../core/question/readable.ts';
import { isKeptPrivate } from '../../core/question/readers.ts';
import { storedTogether } from '../../core/record.ts';
import {
  isSettled,
  type SessionMarks,
  withoutSessionMark,
  withSessionMark,
  withSessionSent,
} from '../../core/session-marks.ts';
import { sayIn } from '../../render/say.ts';
import { cut, oneLine, shownText } from '../../render/text.ts';
import { type Attempt, createOptional } from '../api/optional-features.ts';
import { createReconciler } from '../background-tasks.ts';
import type { WorkspaceContext } from '../context.ts';
import {
  longestSessionTitle,
  mostSessions,
  mostSessionTries,
  sessionClosingMs,
  sessionToldAgainMs,
  sessionTryAgainMs,
} from '../settings.ts';

export interface AgentSessions extends QuestionObserver {
  /** Tells Slack that nothing runs in a thread, in case Slack shows otherwise. Returns at once and never throws. */
  settle(place: ThreadPlace): void;
  /** Takes back what Slack still shows of threads in which nothing runs, also where another process sent it. */
  tend(): Promise<void>;
  stop(): void;
}

/** What Slack should show for a thread, and what it shows now. */
interface Session {
  place: ThreadPlace;
  title: string;
  askerId: string | undefined;
  /** The questions whose status Slack got. */
  questionIds: Set<string>;
  wanted: 'processing' | 'active';
  shown?: 'processing' | 'active';
  /** Slack shows that the app works there, and not yet that it stopped. */
  mayShow: boolean;
  /** Slack has no session there. */
  isRefused: boolean;
  tries: number;
  /** When Slack last got the status. */
  toldMs: number;
}

/**
 * Updates Slack's agent sessions: while a question runs in a thread, Slack shows there that the app works, with its own
 * stop button. A workspace without agent features loses nothing else, and no failure here affects a question. Facts:
 * docs.slack.dev/ai/agent-sessions.
 */
export function createAgentSessions({
  slack,
  threads,
  questions,
  claims,
  sessionMarks,
  tasks,
  now,
  log,
}: WorkspaceContext): AgentSessions {
  const { teamId } = slack.identity;
  const changeMarks = storedTogether<SessionMarks>((name, change) => sessionMarks.update(name, change));
  const optional = createOptional({ feature: 'agent_sessions', now, log });
  const sessions = new Map<string, Session>();
  const reconciler = createReconciler({ run: bringInStep, failure: { event: 'session_not_kept' }, log });
  const ended = new LRUCache<string, true>({ max: mostSessions });
  let crowdedUntilMs = 0;
  let isStopped = false;

  return { changed, closing, settle: (place) => void settle(place), tend, stop };

  function changed(question: Question): void {
    const { place, phase } = question;
    if (!isInThread(place) || isOver(question) || !isShown(question)) return;
    if (question.cancel !== undefined) return;
    // A parked question waits until the time that its card shows.
    const wanted = phase === 'parked' ? 'active' : 'processing';
    if (wanted === 'active' && !sessions.has(keyOf(place))) return;
    void want(place, wanted, question);
  }

  async function closing(question: Question): Promise<void> {
    const { place } = question;
    if (!isInThread(place) || !isShown(question)) return;
    if (optional.isLacking()) return forget(sessions.get(keyOf(place)));
    const end = `${question.id}:${question.delivery.round}`;
    if (ended.has(end)) return;
    ended.set(end, true);
    const work = tasks.run({ event: 'session_not_closed', questionId: question.id }, () =>
      finish(question, place).catch((error: unknown) => {
        ended.delete(end);
        throw error;
      }),
    );
    if (work === undefined) ended.delete(end);
    // When Slack's limits leave no room for these calls, an end does not wait for one.
    if (work !== undefined && now() >= crowdedUntilMs) await within(work, sessionClosingMs);
  }

  async function finish(question: Question, place: ThreadPlace): Promise<void> {
    const queue = (await threads.get(place))?.queue ?? [];
    const isLast = queue.every((id) => id === question.id);
    if (isLast) await want(place, 'active', question);
    await nameAfterAnswer(question, place);
  }

  /** What this process showed last does not count: someone saw a stop button, or another process sent a status. */
  async function settle(place: ThreadPlace): Promise<void> {
    delete sessions.get(keyOf(place))?.shown;
    await want(place, 'active', undefined);
  }

  function stop(): void {
    isStopped = true;
    reconciler.stop();
  }

  /** Resolves when Slack has the status, or when sending failed for now. */
  async function want(place: ThreadPlace, wanted: Session['wanted'], question: Question | undefined): Promise<void> {
    if (isStopped || optional.isLacking()) return;
    const session = sessionOf(place, question);
    if (session === undefined) return;
    // Another process may have ended the session, so the status is sent for each question.
    if (wanted === 'processing' && question !== undefined && !session.questionIds.has(question.id)) {
      session.questionIds.add(question.id);
      if (session.shown === 'processing') delete session.shown;
    }
    session.wanted = wanted;
    session.tries = 0;
    await reconciler.want(keyOf(place));
  }

  function sessionOf(place: ThreadPlace, question: Question | undefined): Session | undefined {
    const known = sessions.get(keyOf(place));
    if (known !== undefined) return known;
    if (sessions.size >= mostSessions) forget([...sessions.values()].find(({ shown }) => shown === 'active'));
    if (sessions.size >= mostSessions) {
      log.debug({ event: 'session_left_out', channelId: place.channelId });
      return undefined;
    }
    const title = question === undefined ? '' : titleOf(shownText(question.text, sayIn(question.locale)));
    const session: Session = {
      place,
      title,
      askerId: question?.askerId,
      questionIds: new Set(),
      wanted: 'active',
      mayShow: false,
      isRefused: false,
      tries: 0,
      toldMs: 0,
    };
    sessions.set(keyOf(place), session);
    return session;
  }

  /** Makes at most one call. Returns when to look again, in milliseconds. */
  async function bringInStep(key: string): Promise<number | undefined> {
    const session = sessions.get(key);
    if (session === undefined) return undefined;
    const { wanted } = session;
    if (session.shown === wanted) return wanted === 'active' ? forget(session) : sayAgain(session);
    const told = session.questionIds.size;
    const attempt = await (session.isRefused ? ({ is: 'no' } as const) : sendMarked(session, wanted));
    const { is } = attempt;
    if (wanted === 'processing' && (is === 'done' || is === 'unsure')) session.mayShow = true;
    if (is === 'done') {
      // If a question comes during the call, its own status would never be sent, and what was shown before the call does
      // not count any more; so this goes round once more.
      if (session.questionIds.size === told) session.shown = wanted;
      else delete session.shown;
      session.toldMs = now();
      return 0;
    }
    session.isRefused ||= is === 'no';
    // A status that Slack never got does not need to be taken back.
    if (is === 'no' || (is === 'noRoom' && wanted === 'processing' && !session.mayShow)) session.shown = 'active';
    if (optional.isLacking()) return forget(session);
    return session.wanted === wanted ? tryAgain(session, attempt) : 0;
  }

  /** Only an end is tried again: a thread that seems to work forever is worse than one that never seems to work. */
  function tryAgain(session: Session, attempt: Attempt): number | undefined {
    const delayMs = attempt.is === 'noRoom' ? Math.max(sessionTryAgainMs, attempt.retryAfterMs) : sessionTryAgainMs;
    if (attempt.is === 'noRoom') crowdedUntilMs = Math.max(crowdedUntilMs, now() + sessionTryAgainMs);
    if (session.wanted === 'processing') return undefined;
    session.tries += 1;
    return session.shown === 'active' || session.tries >= mostSessionTries ? forget(session) : delayMs;
  }

  /** Another process may have ended the thread's questions. Then the session is forgotten. */
  async function sayAgain(session: Session): Promise<number | undefined> {
    const restMs = session.toldMs + sessionToldAgainMs - now();
    if (restMs > 0) return restMs;
    const queue = (await threads.get(session.place))?.queue ?? [];
    if (queue.length === 0) return forget(session);
    delete session.shown;
    return 0;
  }

  function forget(session: Session | undefined): undefined {
    if (session !== undefined && sessions.get(keyOf(session.place)) === session) sessions.delete(keyOf(session.place));
  }

  /** A storage that fails costs a status, not a question. Without a mark nothing is shown that may stay. */
  async function sendMarked(session: Session, status: Session['wanted']): Promise<Attempt> {
    const atMs = now();
    try {
      if (status === 'processing') await changeMarks(teamId, (all) => withSessionMark(all, session.place, atMs));
      const attempt = await sendStatus(session, status);
      const isShown =
        status === 'processing' && (attempt.is === 'done' || (attempt.is === 'noRoom' && session.mayShow));
      const isGone = attempt.is === 'no' || attempt.is === (status === 'active' ? 'done' : 'noRoom');
      if (isShown) await changeMarks(teamId, (all) => withSessionSent(all, session.place, atMs));
      // Of a call that was not carried out it is certain that nothing arrives later.
      else if (isGone) await changeMarks(teamId, (all) => withoutSessionMark(all, session.place, atMs, status));
      return attempt;
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.warn({ event: 'session_not_marked', outcome: error.kind }, error);
      return { is: 'unsure' };
    }
  }

  async function tend(): Promise<void> {
    if (optional.isLacking()) return;
    for (const mark of (await sessionMarks.get(teamId))?.threads ?? []) {
      if (isStopped) return;
      const place = { teamId, channelId: mark.channelId, threadTs: mark.threadTs };
      if (reconciler.isRunning(keyOf(place)) || !isSettled(mark, now()) || !(await isIdle(place))) continue;
      await settle(place);
    }
  }

  /** Whether no question of the thread is worked on. A parked one waits until the time that its card shows. */
  async function isIdle(place: ThreadPlace): Promise<boolean> {
    for (const id of (await threads.get(place))?.queue ?? []) {
      const question = await getReadable(questions, id);
      if (question !== undefined && !isOver(question) && question.phase !== 'parked') return false;
    }
    return true;
  }

  function sendStatus({ place, title, askerId }: Session, status: Session['wanted']): Promise<Attempt> {
    const { channelId, threadTs } = place;
    // A refused `card` call gets its own time for the next try.
    const priority = status === 'active' ? 'card' : 'edit';
    return optional.attempt(() =>
      slack.call(
        'agents.sessions.setStatus',
        {
          channel_id: channelId,
          thread_ts: threadTs,
          status,
          ...(title === '' ? {} : { title }),
          initiator_user_id: askerId,
        },
        { priority },
      ),
    );
  }

  /** The first answer of a conversation that the thread's readers see gives the session its title. */
  async function nameAfterAnswer(question: Question, place: ThreadPlace): Promise<void> {
    const { id, upstream, outcome } = question;
    if (isKeptPrivate(question)) return;
    const title = outcome?.kind === 'answered' ? titleOf(outcome.answer.title) : '';
    const { conversationId } = upstream;
    if (title === '' || conversationId === undefined || optional.isLacking()) return;
    const key = `session-title:${place.teamId}:${place.channelId}:${place.threadTs}:${conversationId}`;
    if ((await claims.claim(key, id)) !== id) return;
    const { channelId, threadTs } = place;
    await optional.attempt(() =>
      slack.call('agents.sessions.rename', { channel_id: channelId, thread_ts: threadTs, title }, { priority: 'edit' }),
    );
  }
}

/** Slack shows work only for admitted questions, and not when an existing answer is shown again. */
function isShown({ origin, admittedMs }: Question): boolean {
  return origin !== 'shared' && admittedMs !== undefined;
}

function isOver({ outcome, phase }: Question): boolean {
  return outcome !== undefined || phase === 'closed';
}

function titleOf(text: string): string {
  return cut(oneLine(text), longestSessionTitle);
}

function keyOf({ channelId, threadTs }: ThreadPlace): string {
  return `${channelId}:${threadTs}`;
}
