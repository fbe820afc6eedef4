import type { App } from '@slack/bolt';
import { z } from 'zod';
import { AppError, isAppError } from '../../core/errors.ts';
import type { Refusal } from '../../core/question.ts';
import type { ButtonResult, Press } from '../../core/requests.ts';
import { type ButtonValue, parseButtonValue } from '../../render/ids.ts';
import type { Notice } from '../../render/notices.ts';
import type { Named } from '../access.ts';
import type { Listener } from '../messenger.ts';
import { ackBudgetMs, inAckTime } from './ack-time.ts';
import { type Desk, refusalOf } from './desk.ts';

/** How long it may take to find out whether a presser may. */
const checkMs = 1_200;

/** What is read of a `block_actions` payload. */
const pressPayload = z.object({
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
  trigger_id: z.string().optional(),
  response_url: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  container: z
    .object({ channel_id: z.string().optional(), thread_ts: z.string().optional(), message_ts: z.string().optional() })
    .optional(),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }).optional(),
  actions: z
    .array(
      z.object({
        action_id: z.string(),
        value: z.string().optional(),
        selected_option: z.object({ value: z.string() }).optional(),
      }),
    )
    .min(1),
});

/** One press of a button: who, where, on which question. */
export interface Pressed {
  press: Press;
  listener: Listener;
  /** What the payload says of the presser. */
  named: Named;
  value: ButtonValue;
  triggerId: string | undefined;
}

/**
 * What is asked of a presser before their press counts: to be one who may ask in the place of the press, or only one who may
 * ask somewhere. `later`: `handle` checks by itself, as one must that opens a modal first.
 */
export type PressRule = 'place' | 'person' | 'later';

/**
 * Answers the presses of a button or the choices of a menu on messages. A press is acknowledged once `handle` is done; one
 * that could not be carried out in time is acknowledged as well, and the presser is told that nothing was done.
 */
export function onPress(
  app: App,
  desk: Desk,
  actionId: string | RegExp,
  handle: (pressed: Pressed) => Promise<Notice | undefined>,
  rule: PressRule = 'place',
): void {
  app.action(actionId, async ({ ack, body, context }) => {
    const pressed = readPress(body, context.teamId ?? desk.identity.teamId);
    if (pressed === undefined) {
      desk.journal.warn({ event: 'button_unreadable' });
      return ack();
    }
    let notice: Notice | undefined;
    try {
      // A press that is carried out late after all is shown by what it does; pressing again does not do it twice.
      const byMs = Date.now() + ackBudgetMs;
      notice = rule === 'later' ? undefined : await refusalOfPress(desk, pressed, rule);
      notice ??= await inAckTime(handle(pressed), byMs, async () => {});
    } catch (error) {
      desk.journal.error({ event: 'button_not_taken', questionId: pressed.value.questionId }, error);
      notice = { kind: 'pressNotTaken' };
    }
    await ack();
    if (notice !== undefined) desk.tell(pressed.listener, notice);
  });
}

/**
 * What is said privately to a presser who may not; undefined when they may. Decided soon enough that what is done
 * then still fits into the time Slack gives; a press that could not be checked by then is not carried out.
 */
export async function refusalOfPress(
  desk: Desk,
  { press, named }: Pick<Pressed, 'press' | 'named'>,
  rule: Exclude<PressRule, 'later'>,
): Promise<Notice | undefined> {
  try {
    const { userId, teamId, channelId } = press;
    const checking = desk.access.admit(userId, { teamId, channelId }, named);
    const admission = await inAckTime(checking, Date.now() + checkMs, async () => {});
    if (admission.may || (rule === 'person' && isAboutChannel(admission.reason))) return undefined;
    desk.journal.info({ event: 'press_refused', outcome: admission.reason, userId, channelId });
    return { kind: 'pressNotAllowed', reason: admission.reason };
  } catch (error) {
    if (!isAppError(error)) throw error;
    desk.journal.warn({ event: 'press_not_checked', kind: error.kind }, error);
    return { kind: 'pressNotChecked' };
  }
}

function isAboutChannel(reason: Refusal): boolean {
  return !personReasons.has(reason);
}

const personReasons: ReadonlySet<Refusal> = new Set(['guest', 'outsider', 'unknownPerson']);

/** What is said privately to whoever pressed a button that asks; undefined when their press asked. */
export function told(result: ButtonResult): Notice | undefined {
  if (result.kind === 'duplicate') return { kind: 'alreadyAsked', byUserId: result.question.askerId };
  return refusalOf(result, '');
}

/** The person's direct messages with the app, opened where they were not yet. Throws `AppError`. */
export async function openDirect(desk: Desk, userId: string): Promise<string> {
  const opened = await desk.through('conversations.open', 'private', () =>
    desk.client.conversations.open({ users: userId }),
  );
  const channelId = opened.channel?.id;
  if (channelId === undefined) throw new AppError('badReply', 'conversations.open: no channel');
  return channelId;
}

function readPress(body: unknown, teamId: string): Pressed | undefined {
  const parsed = pressPayload.safeParse(body);
  if (!parsed.success) return undefined;
  const { user, channel, container, message, actions, trigger_id: triggerId, response_url: responseUrl } = parsed.data;
  const channelId = channel?.id ?? container?.channel_id;
  const value = parseButtonValue(actions[0]?.value ?? actions[0]?.selected_option?.value);
  if (channelId === undefined || value === undefined) return undefined;
  const threadTs = message?.thread_ts ?? container?.thread_ts;
  return {
    press: { userId: user.id, teamId, channelId },
    listener: {
      channelId,
      userId: user.id,
      ...(threadTs === undefined ? {} : { threadTs }),
      ...(responseUrl === undefined ? {} : { responseUrl }),
    },
    named: { teamId: user.team_id },
    value,
    triggerId,
  };
}
