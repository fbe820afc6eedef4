import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { AppError, isAppError } from '../../core/errors.ts';
import type { ButtonResult, Requester } from '../../core/intake/find-question.ts';
import type { Log } from '../../core/ports.ts';
import { ackConfirmMs } from '../../core/settings.ts';
import { withTimeout } from '../../core/timeout.ts';
import { type ButtonValue, parseButtonValue } from '../../render/ids.ts';
import type { Notice } from '../../render/notices.ts';
import type { Named, SlackAccessPolicy } from '../access/policy.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { logFailure } from '../failure-log.ts';
import type { Recipient } from '../messages/messenger.ts';
import { ackBudgetMs, actionCheckMs } from '../settings.ts';
import { inAckTime } from './ack-time.ts';
import { type ModalDeps, openInOwnTime } from './open-modal.ts';
import { logRefusal, type RefusalDeps } from './refusals.ts';
import { noticeOfAcceptance } from './result-notices.ts';
import { type WithdrawDeps, withdraw } from './withdraw.ts';

/** What is read of a `block_actions` payload. */
const blockActionsPayload = z.object({
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

/** One press of a button: by whom, where, and on which question. */
export interface BlockAction {
  requester: Requester;
  recipient: Recipient;
  /** What the payload says about the person who pressed. */
  named: Named;
  value: ButtonValue;
  triggerId: string | undefined;
  /** The message with the button. */
  messageTs: string | undefined;
  /** A question must be stored by then, in epoch milliseconds. Otherwise it is withdrawn. */
  byMs: number;
}

/** The result of a press. */
export interface Handled {
  /** The private message for the person who pressed. */
  notice?: Notice | undefined;
  /** The notice takes the place of the private message with the button, which has no further use. */
  replacesPressed?: boolean;
  /** What the press asked. It is withdrawn when it was stored too late. */
  asked?: ButtonResult;
  /** Runs once it is certain that the press was in time. */
  after?: () => void;
  /** Makes the content of the modal that the press opens. */
  modal?: () => Promise<ModalView>;
}

/**
 * What a person needs for their press to count. `place`: they may ask in the place of the press. `person`: they may ask
 * somewhere. `later`: `handle` checks it, for example because a modal has to open first.
 */
export type ActionRule = 'place' | 'person' | 'later';

/** What is needed to check whether a person may do what they ask for. */
export interface ActionCheckDeps extends RefusalDeps {
  access: Pick<SlackAccessPolicy, 'admit'>;
}

/** What every button and menu on a message needs. */
export type BlockActionDeps = ActionCheckDeps &
  ModalDeps &
  WithdrawDeps & {
    slack: Pick<SlackApi, 'identity'>;
  };

/**
 * Handles the presses of a button or the choices of a menu on messages. A press is acknowledged after `handle`, and
 * before a modal opens. A press that is not handled in time is acknowledged too: what it asked is withdrawn, and the
 * person is told that nothing was done.
 */
export function onBlockAction(
  app: App,
  deps: BlockActionDeps,
  actionId: string | RegExp,
  handle: (action: BlockAction) => Promise<Handled>,
  rule: ActionRule = 'place',
): void {
  app.action(actionId, async ({ ack, body, context }) => {
    const byMs = Date.now() + ackBudgetMs;
    const action = readBlockAction(body, context.teamId ?? deps.slack.identity.teamId, byMs - ackConfirmMs);
    if (action === undefined) {
      deps.log.warn({ event: 'button_unreadable' });
      return ack();
    }
    let handled: Handled;
    try {
      const refusal = rule === 'later' ? undefined : await refusalOfAction(deps, action, rule);
      handled =
        refusal === undefined
          ? await inAckTime(handle(action), byMs, async ({ asked }) => {
              if (asked !== undefined) await withdraw(deps, asked);
            })
          : { notice: refusal };
    } catch (error) {
      const failure = { event: 'button_not_taken', questionId: action.value.questionId };
      handled = { notice: { kind: 'actionNotTaken', reference: logFailure(deps.log, 'error', failure, error) } };
    }
    await ack();
    const { notice, replacesPressed, after, modal } = handled;
    const recipient = replacesPressed === true ? { ...action.recipient, replacesPressed } : action.recipient;
    if (notice !== undefined) deps.notify(recipient, addressed(notice, action.requester.userId));
    if (modal !== undefined) openInOwnTime(deps, { ...action, questionId: action.value.questionId }, modal);
    after?.();
  });
}

/** Why an action is not carried out: `actionNotTaken` for a failure of the storage, `actionNotChecked` for one of Slack. */
export type RefusedAction = Extract<Notice, { kind: 'actionNotAllowed' | 'actionNotChecked' | 'actionNotTaken' }>;

/**
 * The private notice for a person who may not press; undefined when they may. The check is short, so that the action
 * still fits into Slack's time limit. A press that could not be checked in time is not carried out.
 */
export async function refusalOfAction(
  deps: ActionCheckDeps,
  { requester, named, value }: Pick<BlockAction, 'requester' | 'named'> & Partial<Pick<BlockAction, 'value'>>,
  rule: Exclude<ActionRule, 'later'>,
): Promise<RefusedAction | undefined> {
  const { userId, teamId, channelId } = requester;
  try {
    const checking = deps.access.admit(userId, { teamId, channelId }, { ...named, personOnly: rule === 'person' });
    const admission = await withTimeout(checking, actionCheckMs, () => {
      throw new AppError('unavailable', 'Slack did not say in time who the person is');
    });
    if (admission.may) return undefined;
    const { reason } = admission;
    const reference = logRefusal(deps, { userId, channelId, reason, questionId: value?.questionId });
    return { kind: 'actionNotAllowed', reason, reference };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const about = value === undefined ? {} : { questionId: value.questionId };
    const failure = { event: 'action_not_checked', kind: error.kind, ...about };
    const reference = logFailure(deps.log, 'warn', failure, error);
    return { kind: error.kind === 'storage' ? 'actionNotTaken' : 'actionNotChecked', reference };
  }
}

/** The result of a press on a button that asks. When the question was stored, there is no notice. */
export function handledResult(
  deps: { log: Log },
  result: ButtonResult,
  { value }: Pick<BlockAction, 'value'>,
): Handled {
  if (result.kind === 'expired') return expired(deps, value);
  if (result.kind === 'duplicate') return { notice: { kind: 'alreadyAsked', byUserId: result.question.askerId } };
  return { asked: result, notice: noticeOfAcceptance(result, '') };
}

/** The result of a press on a button whose question is gone, or belongs to another place. */
export function expired(deps: { log: Log }, { questionId }: ButtonValue): Handled {
  const reference = logFailure(deps.log, 'info', { event: 'button_expired', questionId });
  return { notice: { kind: 'expiredButton', reference } };
}

/** Tells the asker "you asked it", instead of naming them. */
function addressed(notice: Notice, userId: string): Notice {
  return notice.kind === 'alreadyAsked' && notice.byUserId === userId ? { kind: 'alreadyAskedByYou' } : notice;
}

/** Opens the person's direct messages with the app and returns their channel id. Throws `AppError`. */
export async function openDirect(slack: Pick<SlackApi, 'call'>, userId: string): Promise<string> {
  const opened = await slack.call('conversations.open', { users: userId }, { priority: 'private' });
  const channelId = opened.channel?.id;
  if (channelId === undefined) throw new AppError('badReply', 'conversations.open: no channel');
  return channelId;
}

function readBlockAction(body: unknown, teamId: string, byMs: number): BlockAction | undefined {
  const parsed = blockActionsPayload.safeParse(body);
  if (!parsed.success) return undefined;
  const { user, channel, container, message, actions, trigger_id: triggerId, response_url: responseUrl } = parsed.data;
  const channelId = channel?.id ?? container?.channel_id;
  const value = parseButtonValue(actions[0]?.value ?? actions[0]?.selected_option?.value);
  if (channelId === undefined || value === undefined) return undefined;
  const threadTs = message?.thread_ts ?? container?.thread_ts;
  return {
    requester: { userId: user.id, teamId, channelId },
    recipient: {
      channelId,
      userId: user.id,
      ...(threadTs === undefined ? {} : { threadTs }),
      ...(responseUrl === undefined ? {} : { responseUrl }),
    },
    named: { teamId: user.team_id },
    value,
    triggerId,
    messageTs: message?.ts ?? container?.message_ts,
    byMs,
  };
}
