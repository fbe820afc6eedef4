import type { Claims, Clock, Log, QuestionObserver, ThreadStore } from '../../core/ports.ts';
import { isInThread, type Question, type ThreadPlace } from '../../core/question/question.ts';
import { sayIn } from '../../render/say.ts';
import { shownText } from '../../render/shown-text.ts';
import { cut, oneLine } from '../../render/text.ts';
import { type Attempt, createOptional } from '../api/optional-features.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { BackgroundTasks } from '../background-tasks.ts';
import { within } from '../within.ts';

/** Slack shows a session as working for an hour; said again in good time. */
const sayAgainMs = 30 * 60 * 1000;

/** How long the end of a question waits for its session, in milliseconds; the call itself goes on. */
const closingMs = 2_000;

/** Longest title Slack takes. */
const longestTitle = 200;

/** Most threads whose sessions are kept in step, and most ends remembered. */
const mostSessions = 2_000;

/** A session that could not be told that nothing runs is tried this often, with at least this long between. */
const mostTries = 8;
const tryAgainMs = 10_000;

export interface AgentSessions extends QuestionObserver {
  /** Says that nothing runs in a thread, where Slack may believe otherwise; returns at once and never throws. */
  settle(place: ThreadPlace): void;
  stop(): void;
}

export interface AgentSessionsDeps {
  slack: Pick<SlackApi, 'call'>;
  threads: Pick<ThreadStore, 'get'>;
  claims: Pick<Claims, 'claim'>;
  tasks: Pick<BackgroundTasks, 'run'>;
  now: Clock;
  log: Log;
}

/** What Slack is to show of one thread, and what it was told last. The two are brought together one call at a time. */
interface Session {
  place: ThreadPlace;
  title: string;
  askerId: string | undefined;
  /** The questions Slack was told of. */
  questionIds: Set<string>;
  wanted: 'processing' | 'active';
  told?: 'processing' | 'active';
  /** Slack was told that the app works there, and not yet that it does no more. */
  mayShow: boolean;
  /** Slack has no session there. */
  isRefused: boolean;
  tries: number;
  working?: Promise<void> | undefined;
  timer?: NodeJS.Timeout;
}

/**
 * Keeps Slack's agent sessions in step with questions: a thread shows that the app works, with Slack's own stop button,
 * while a question runs there. An extra in every way: a workspace without agent features loses nothing, and no failure
 * here touches a question. Facts: docs.slack.dev/ai/agent-sessions.
 */
export function createAgentSessions({ slack, threads, claims, tasks, now, log }: AgentSessionsDeps): AgentSessions {
  const optional = createOptional({ feature: 'agent_sessions', now, log });
  const sessions = new Map<string, Session>();
  const ended = new Set<string>();
  let crowdedUntilMs = 0;
  let isStopped = false;

  return { changed, closing, settle, stop };

  function changed(question: Question): void {
    const { place, phase } = question;
    if (!isInThread(place) || isOver(question) || !isShown(question)) return;
    if (question.cancel !== undefined) return;
    // A parked question sleeps until a time its card names.
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
    remember(end);
    const work = tasks.run({ event: 'session_not_closed', questionId: question.id }, () => finish(question, place));
    // With no room left for such calls, an end does not wait for one.
    if (work !== undefined && now() >= crowdedUntilMs) await within(work, closingMs);
  }

  async function finish(question: Question, place: ThreadPlace): Promise<void> {
    const queue = (await threads.get(place))?.queue ?? [];
    const isLast = queue.every((id) => id === question.id);
    if (isLast) await want(place, 'active', question);
    await nameAfterAnswer(question, place);
  }

  function settle(place: ThreadPlace): void {
    const session = sessions.get(keyOf(place));
    // Somebody saw a stop button, whatever was believed here.
    delete session?.told;
    void want(place, 'active', undefined);
  }

  function stop(): void {
    isStopped = true;
    for (const { timer } of sessions.values()) clearTimeout(timer);
  }

  /** Resolves when Slack was told, or could not be for now. */
  async function want(place: ThreadPlace, wanted: Session['wanted'], question: Question | undefined): Promise<void> {
    if (isStopped || optional.isLacking()) return;
    const session = sessionOf(place, question);
    if (session === undefined) return;
    // Another process may have ended what was told here, so each question is told of.
    if (wanted === 'processing' && question !== undefined && !session.questionIds.has(question.id)) {
      session.questionIds.add(question.id);
      if (session.told === 'processing') delete session.told;
    }
    session.wanted = wanted;
    session.tries = 0;
    await inStep(session);
  }

  function inStep(session: Session): Promise<void> {
    session.working ??= bringInStep(session).finally(() => {
      session.working = undefined;
      if (session.told === 'active' && session.wanted === 'active') forget(session);
    });
    return session.working;
  }

  function sessionOf(place: ThreadPlace, question: Question | undefined): Session | undefined {
    const known = sessions.get(keyOf(place));
    if (known !== undefined) return known;
    if (sessions.size >= mostSessions) forget([...sessions.values()].find(({ told }) => told === 'active'));
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
    };
    sessions.set(keyOf(place), session);
    return session;
  }

  async function bringInStep(session: Session): Promise<void> {
    clearTimeout(session.timer);
    while (session.told !== session.wanted && !isStopped) {
      const { wanted } = session;
      const attempt = session.isRefused ? ({ is: 'no' } as const) : await tell(session, wanted);
      const { is } = attempt;
      if (wanted === 'processing' && (is === 'done' || is === 'unsure')) session.mayShow = true;
      if (is === 'done') {
        session.told = wanted;
        continue;
      }
      session.isRefused ||= is === 'no';
      // What Slack was not told needs not be taken back.
      if (is === 'no' || (is === 'held' && wanted === 'processing' && !session.mayShow)) session.told = 'active';
      if (optional.isLacking()) return forget(session);
      if (session.wanted === wanted) return tryAgain(session, attempt);
    }
    if (session.told === 'processing') after(session, sayAgainMs);
  }

  /** Only an end is tried again: a thread that goes on working for nothing is worse than one that never did. */
  function tryAgain(session: Session, attempt: Attempt): void {
    const delayMs = attempt.is === 'held' ? Math.max(tryAgainMs, attempt.retryAfterMs) : tryAgainMs;
    if (attempt.is === 'held') crowdedUntilMs = Math.max(crowdedUntilMs, now() + tryAgainMs);
    if (session.wanted === 'processing' || session.told === 'active') return;
    session.tries += 1;
    if (session.tries >= mostTries) forget(session);
    else after(session, delayMs);
  }

  function after(session: Session, delayMs: number): void {
    session.timer = setTimeout(() => {
      const again = session.wanted === 'active' ? inStep(session) : sayAgain(session);
      again.catch((error: unknown) => log.warn({ event: 'session_not_kept' }, error));
    }, delayMs);
    session.timer.unref();
  }

  /** Where the questions of the thread were ended by another process, nothing works here any more. */
  async function sayAgain(session: Session): Promise<void> {
    const queue = (await threads.get(session.place))?.queue ?? [];
    if (queue.length === 0) return forget(session);
    delete session.told;
    await inStep(session);
  }

  function forget(session: Session | undefined): void {
    if (session === undefined) return;
    clearTimeout(session.timer);
    if (sessions.get(keyOf(session.place)) === session) sessions.delete(keyOf(session.place));
  }

  function tell({ place, title, askerId }: Session, status: Session['wanted']): Promise<Attempt> {
    const { channelId, threadTs } = place;
    // Who comes again with an end gets a time of its own for that.
    const priority = status === 'active' ? 'card' : 'edit';
    return optional.attempt(() =>
      slack.call(
        'agents.sessions.setStatus',
        {
          channel_id: channelId,
          thread_ts: threadTs,
          status,
          ...(title === '' ? {} : { title }),
          ...(askerId === undefined ? {} : { initiator_user_id: askerId }),
        },
        { priority },
      ),
    );
  }

  /** The first answer of a conversation names its session. */
  async function nameAfterAnswer({ id, upstream, outcome }: Question, place: ThreadPlace): Promise<void> {
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

  function remember(end: string): void {
    const [oldest] = ended;
    if (ended.size >= mostSessions && oldest !== undefined) ended.delete(oldest);
    ended.add(end);
  }
}

/** An answer shown again is no work to speak of, and nobody is shown a question that may not be asked. */
function isShown({ origin, admittedMs }: Question): boolean {
  return origin !== 'shared' && admittedMs !== undefined;
}

function isOver({ outcome, phase }: Question): boolean {
  return outcome !== undefined || phase === 'closed';
}

function titleOf(text: string): string {
  return cut(oneLine(text), longestTitle);
}

function keyOf({ channelId, threadTs }: ThreadPlace): string {
  return `${channelId}:${threadTs}`;
}
