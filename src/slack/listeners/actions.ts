import type { App } from '@slack/bolt';
import { ACTIONS, FOLLOW_UP_PATTERN } from '../../render/ids.ts';
import type { Notice } from '../../render/notices.ts';
import { renderSourcesModal } from '../../render/sources.ts';
import { type Desk, notCancelledOf } from './desk.ts';
import { onPress, type Pressed, type PressRule, refusalOfPress, told } from './presses.ts';

/**
 * The buttons of cards, answers and private notices. A press is acknowledged once it is stored; one that could not be
 * stored is acknowledged as well, and the presser is told that nothing was done.
 */
export function registerActions(app: App, desk: Desk): void {
  const { requests } = desk;

  on(ACTIONS.cancel, cancel, 'later');
  on(ACTIONS.drop, cancel, 'later');
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
  // Pressed where the question may not be asked; that it may be in a direct message is found before it is shown there.
  on(ACTIONS.askInDm, askInDm, 'person');
  on(ACTIONS.askEdited, async ({ value, press }) => {
    const { result, cameLate } = await requests.askEdited(value.questionId, press);
    return result.kind === 'accepted' && cameLate ? { kind: 'editedAfterAnswer' } : told(result);
  });
  on(ACTIONS.allSources, async ({ value, press, triggerId }) => {
    const question = await requests.find(value.questionId, press);
    if (question?.outcome?.kind !== 'answered' || triggerId === undefined) return { kind: 'expiredButton' };
    const view = renderSourcesModal(question, question.outcome.answer, undefined);
    await desk.through('views.open', 'private', () => desk.client.views.open({ trigger_id: triggerId, view }));
    return undefined;
  });

  async function askInDm({ value, press }: Pressed): Promise<Notice | undefined> {
    const opened = await desk.through('conversations.open', 'private', () =>
      desk.client.conversations.open({ users: press.userId }),
    );
    const channelId = opened.channel?.id;
    if (channelId === undefined) return { kind: 'expiredButton' };
    return told(await requests.askIn(value.questionId, { teamId: press.teamId, channelId }, press));
  }

  /** Who asked may always take the question back, even where they could not ask it any more. */
  async function cancel(pressed: Pressed): Promise<Notice | undefined> {
    const { value, press } = pressed;
    const isOwn = (await requests.find(value.questionId, press))?.askerId === press.userId;
    const refusal = isOwn ? undefined : await refusalOfPress(desk, pressed, 'person');
    if (refusal !== undefined) return refusal;
    const result = await requests.cancel(value.questionId, press);
    return notCancelledOf(result);
  }

  function on(
    actionId: string | RegExp,
    handle: (pressed: Pressed) => Promise<Notice | undefined>,
    rule?: PressRule,
  ): void {
    onPress(app, desk, actionId, handle, rule);
  }
}
