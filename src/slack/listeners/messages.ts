import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { NewQuestion } from '../../core/accept.ts';
import type { Origin, Thread, ThreadPlace } from '../../core/question.ts';
import { COMMAND } from '../../render/ids.ts';
import { renderHelp } from '../../render/notices.ts';
import { type IncomingMessage, type Route, routeMessage } from '../routing.ts';
import { readFiles } from '../thread-messages.ts';
import { type Desk, notCancelledOf, refusalOf } from './desk.ts';

/** What is read of `message` and `app_mention` events; Slack may add or leave out the rest. */
const messageEvent = z.object({
  type: z.enum(['message', 'app_mention']),
  channel: z.string(),
  channel_type: z.string().optional(),
  subtype: z.string().optional(),
  hidden: z.boolean().optional(),
  user: z.string().optional(),
  bot_id: z.string().nullish(),
  bot_profile: z.unknown().optional(),
  text: z.string().default(''),
  ts: z.string(),
  thread_ts: z.string().optional(),
  edited: z.unknown().optional(),
  files: z.unknown().optional(),
  deleted_ts: z.string().optional(),
  previous_message: z.object({ user: z.string().optional(), thread_ts: z.string().optional() }).optional(),
});

type MessageEvent = z.infer<typeof messageEvent>;

/**
 * Mentions, plain replies and direct messages. One post may arrive as both event types and several times: the
 * message's timestamp is its identity. A listener that throws leaves the event unacknowledged, so Slack repeats it.
 */
export function registerMessages(app: App, desk: Desk): void {
  app.event('app_mention', async ({ event, context }) => handle(event, context.teamId));
  app.event('message', async ({ event, context }) => handle(event, context.teamId));

  async function handle(raw: unknown, contextTeamId: string | undefined): Promise<void> {
    const parsed = messageEvent.safeParse(raw);
    if (!parsed.success) {
      desk.journal.debug({ event: 'message_ignored', reason: 'unreadable' });
      return;
    }
    const event = parsed.data;
    if (event.subtype === 'message_deleted') return forget(event, contextTeamId ?? desk.identity.teamId);
    const message = toIncoming(event);
    const teamId = contextTeamId ?? desk.identity.teamId;
    const threadTs = event.thread_ts ?? event.ts;
    const place: ThreadPlace = { teamId, channelId: event.channel, threadTs };
    // Most messages of a workspace are nobody's business here: decide what can be decided before reading anything.
    const early = route(message, message.text, undefined);
    if (early.to === 'ignore' && early.reason !== 'thread_unknown') return ignore(event, early.reason);
    const thread = event.thread_ts === undefined ? undefined : await desk.threads.get(place);
    const text = await desk.read(event.text);
    const decided = route(message, text, thread);
    if (decided.to === 'ignore') {
      if (thread !== undefined && toBeHeard.has(decided.reason)) overhear(event, place);
      return ignore(event, decided.reason);
    }
    await follow(decided, event, place, text);
  }

  function route(message: IncomingMessage, text: string, thread: Thread | undefined): Route {
    return routeMessage(message, text, thread, desk.identity.botUserId);
  }

  async function follow(
    decided: Exclude<Route, { to: 'ignore' }>,
    event: MessageEvent,
    place: ThreadPlace,
    text: string,
  ): Promise<void> {
    const userId = event.user ?? '';
    const key = messageKey(place.teamId, place.channelId, event.ts);
    const listener = {
      channelId: place.channelId,
      userId,
      ...(event.thread_ts === undefined ? {} : { threadTs: event.thread_ts }),
    };
    switch (decided.to) {
      case 'help':
        return desk.tell(listener, (locale) =>
          renderHelp({ commandName: COMMAND, botUserId: desk.identity.botUserId, locale }),
        );
      case 'cancel': {
        const refusal = notCancelledOf(await desk.requests.cancelInThread(place, userId, key));
        if (refusal !== undefined) desk.tell(listener, refusal);
        return;
      }
      case 'ask': {
        const acceptance = await desk.accept({
          key,
          place,
          askerId: userId,
          text: decided.text,
          origin: originOf(event),
          beginsThread: event.thread_ts === undefined || event.thread_ts === event.ts,
          fresh: decided.fresh,
          ...readingOf(event),
        });
        const refusal = refusalOf(acceptance, text);
        if (refusal !== undefined) desk.tell(listener, refusal);
      }
    }
  }

  /** Whoever deletes their question takes it back. */
  async function forget(event: MessageEvent, teamId: string): Promise<void> {
    const { user: userId, thread_ts: threadTs } = event.previous_message ?? {};
    if (event.deleted_ts !== undefined && threadTs !== undefined) {
      desk.heard.forget({ teamId, channelId: event.channel, threadTs }, event.deleted_ts);
    }
    if (event.deleted_ts === undefined || userId === undefined) return ignore(event, 'deleted');
    await desk.requests.cancelStartedBy(messageKey(teamId, event.channel, event.deleted_ts), userId);
  }

  /** What is said beside the app in its threads may be what the next question is about. */
  function overhear({ ts, user, text, files }: MessageEvent, place: ThreadPlace): void {
    if (user !== undefined) desk.heard.hear(place, { ts, userId: user, text, files: readFiles(files) });
  }

  function ignore(event: MessageEvent, reason: string): void {
    desk.journal.debug({ event: 'message_ignored', reason, channelId: event.channel, ts: event.ts });
  }
}

/** Reasons to leave a message alone that say nothing against remembering it. */
const toBeHeard: ReadonlySet<string> = new Set([
  'thread_started_by_people',
  'addresses_another_person',
  'thread_muted',
  'no_text',
]);

/** In a thread a question may be about what was said there, and files are part of it; mentions are told without theirs. */
function readingOf(event: MessageEvent): Pick<NewQuestion, 'messageTs' | 'files' | 'readsThread'> {
  const files = event.type === 'app_mention' ? undefined : readFiles(event.files);
  const isInThread = event.thread_ts !== undefined && event.thread_ts !== event.ts;
  return { messageTs: event.ts, files, readsThread: isInThread || files === undefined || files.length > 0 };
}

/** A message is one question, however often and as whatever event it is delivered. */
function messageKey(teamId: string, channelId: string, ts: string): string {
  return `message:${teamId}:${channelId}:${ts}`;
}

function originOf(event: MessageEvent): Origin {
  if (event.type === 'app_mention') return 'mention';
  return event.channel_type === 'im' ? 'direct' : 'reply';
}

function toIncoming(event: MessageEvent): IncomingMessage {
  const isBot = event.bot_id != null || event.bot_profile !== undefined;
  return {
    isMention: event.type === 'app_mention',
    channelType: event.channel_type,
    subtype: event.hidden === true ? (event.subtype ?? 'hidden') : event.subtype,
    userId: event.user,
    botId: isBot ? (event.bot_id ?? 'bot') : undefined,
    text: event.text,
    ts: event.ts,
    threadTs: event.thread_ts,
    edited: event.edited !== undefined,
  };
}
