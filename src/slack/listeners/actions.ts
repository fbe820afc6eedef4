import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { ButtonResult, Press } from '../../core/requests.ts';
import { ACTIONS, type ButtonValue, FOLLOW_UP_PATTERN, parseButtonValue } from '../../render/ids.ts';
import type { Notice } from '../../render/notices.ts';
import { renderSourcesModal } from '../../render/sources.ts';
import type { Listener } from '../messenger.ts';
import { ackBudgetMs, inAckTime } from './ack-time.ts';
import { type Desk, notCancelledOf, refusalOf } from './desk.ts';

/** What is read of a `block_actions` payload. */
const pressPayload = z.object({
  user: z.object({ id: z.string() }),
  trigger_id: z.string().optional(),
  response_url: z.string().optional(),
  channel: z.object({ id: z.string() }).optional(),
  container: z
    .object({ channel_id: z.string().optional(), thread_ts: z.string().optional(), message_ts: z.string().optional() })
    .optional(),
  message: z.object({ ts: z.string(), thread_ts: z.string().optional() }).optional(),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).min(1),
});

/** One press of a button: who, where, on which question. */
interface Pressed {
  press: Press;
  listener: Listener;
  value: ButtonValue;
  triggerId: string | undefined;
}

/**
 * The buttons of cards, answers and private notices. A press is acknowledged once it is stored; one that could not be
 * stored is acknowledged as well, and the presser is told that nothing was done.
 */
export function registerActions(app: App, desk: Desk): void {
  const { requests } = desk;

  on(ACTIONS.cancel, cancel);
  on(ACTIONS.drop, cancel);
  on(FOLLOW_UP_PATTERN, async ({ value, press }) =>
    told(await requests.followUp(value.questionId, value.index ?? -1, press)),
  );
  on(ACTIONS.tryAgain, async ({ value, press }) => told(await requests.askAgain(value.questionId, press)));
  on(ACTIONS.askNew, async ({ value, press }) =>
    told(await requests.askAgain(value.questionId, press, { fresh: true })),
  );
  on(ACTIONS.checkAgain, async ({ value, press }) => told(await requests.checkAgain(value.questionId, press)));
  // Where it can't be shown again, the presser is told in the place of the press.
  on(ACTIONS.askHere, async ({ value, press, listener: { responseUrl } }) =>
    told(await requests.askAgain(value.questionId, press, { responseUrl })),
  );
  on(ACTIONS.askInDm, async ({ value, press }) => {
    const opened = await desk.through('conversations.open', 'private', () =>
      desk.client.conversations.open({ users: press.userId }),
    );
    const channelId = opened.channel?.id;
    if (channelId === undefined) return { kind: 'expiredButton' };
    return told(await requests.askIn(value.questionId, { teamId: press.teamId, channelId }, press));
  });
  on(ACTIONS.allSources, async ({ value, press, triggerId }) => {
    const question = await requests.find(value.questionId, press);
    if (question?.outcome?.kind !== 'answered' || triggerId === undefined) return { kind: 'expiredButton' };
    const view = renderSourcesModal(question, question.outcome.answer, undefined);
    await desk.through('views.open', 'private', () => desk.client.views.open({ trigger_id: triggerId, view }));
    return undefined;
  });

  async function cancel({ value, press }: Pressed): Promise<Notice | undefined> {
    const result = await requests.cancel(value.questionId, press);
    return notCancelledOf(result);
  }

  function on(actionId: string | RegExp, handle: (pressed: Pressed) => Promise<Notice | undefined>): void {
    app.action(actionId, async ({ ack, body, context }) => {
      const pressed = readPress(body, context.teamId ?? desk.identity.teamId);
      if (pressed === undefined) {
        desk.journal.warn({ event: 'button_unreadable' });
        return ack();
      }
      let notice: Notice | undefined;
      try {
        // A press that is carried out late after all is shown by what it does; pressing again does not do it twice.
        notice = await inAckTime(handle(pressed), Date.now() + ackBudgetMs, async () => {});
      } catch (error) {
        desk.journal.error({ event: 'button_not_taken', questionId: pressed.value.questionId }, error);
        notice = { kind: 'pressNotTaken' };
      }
      await ack();
      if (notice !== undefined) desk.tell(pressed.listener, notice);
    });
  }
}

function told(result: ButtonResult): Notice | undefined {
  if (result.kind === 'duplicate') return { kind: 'alreadyAsked', byUserId: result.question.askerId };
  return refusalOf(result, '');
}

function readPress(body: unknown, teamId: string): Pressed | undefined {
  const parsed = pressPayload.safeParse(body);
  if (!parsed.success) return undefined;
  const { user, channel, container, message, actions, trigger_id: triggerId, response_url: responseUrl } = parsed.data;
  const channelId = channel?.id ?? container?.channel_id;
  const value = parseButtonValue(actions[0]?.value);
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
    value,
    triggerId,
  };
}
