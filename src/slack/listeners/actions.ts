import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { ACTIONS } from '../../render/ids.ts';
import { renderWords } from '../../render/modals.ts';
import { type Notice, refusalSentence } from '../../render/notices.ts';
import { renderSourcesModal } from '../../render/sources.ts';
import { localeOf } from '../people.ts';
import { type Desk, notCancelledOf } from './desk.ts';
import { openModal } from './opening.ts';
import { onPress, openDirect, type Pressed, type PressRule, refusalOfPress, told } from './presses.ts';

/**
 * The buttons of cards, answers and private notices. A press is acknowledged once it is stored; one that could not be
 * stored is acknowledged as well, and the presser is told that nothing was done.
 */
export function registerActions(app: App, desk: Desk): void {
  const { requests } = desk;

  on(ACTIONS.cancel, cancel, 'later');
  on(ACTIONS.drop, cancel, 'later');
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
  on(
    ACTIONS.allSources,
    async (pressed) => {
      await openModal(desk, pressed, () => sources(pressed));
      return undefined;
    },
    'later',
  );

  async function sources({ value, press, named }: Pressed): Promise<ModalView> {
    const [question, admission, locale] = await Promise.all([
      requests.find(value.questionId, press),
      desk.access.admit(press.userId, { teamId: press.teamId, channelId: press.channelId }, named),
      localeOf(desk.people, press.userId),
    ]);
    if (!admission.may) return renderWords((say) => refusalSentence(say, admission.reason), locale);
    if (question?.outcome?.kind !== 'answered') return renderWords((say) => say.modals.expired(), locale);
    return renderSourcesModal(question, question.outcome.answer, locale);
  }

  async function askInDm({ value, press }: Pressed): Promise<Notice | undefined> {
    const channelId = await openDirect(desk, press.userId);
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
