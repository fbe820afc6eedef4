import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { ButtonResult } from '../../core/requests.ts';
import { ACTIONS } from '../../render/ids.ts';
import { renderWords } from '../../render/modals.ts';
import { refusalSentence } from '../../render/notices.ts';
import { renderSourcesModal } from '../../render/sources.ts';
import { localeOf } from '../people/people.ts';
import { assertInTime } from './ack-time.ts';
import { type Desk, notCancelledOf } from './desk.ts';
import { type Handled, onPress, openDirect, type Pressed, type PressRule, refusalOfPress, told } from './presses.ts';

/**
 * The buttons of cards, answers and private notices. A press is acknowledged once it is stored; one that could not be
 * stored is acknowledged as well, and the presser is told that nothing was done.
 */
export function registerActions(app: App, desk: Desk): void {
  const { requests } = desk;

  on(ACTIONS.cancel, cancel, 'later');
  on(ACTIONS.drop, cancel, 'later');
  onEnd(ACTIONS.tryAgain, async ({ value, press, byMs }) => requests.askAgain(value.questionId, press, { byMs }), told);
  onEnd(
    ACTIONS.askNew,
    async ({ value, press, byMs }) => requests.askAgain(value.questionId, press, { fresh: true, byMs }),
    told,
  );
  onEnd(
    ACTIONS.checkAgain,
    async ({ value, press, byMs }) => requests.checkAgain(value.questionId, press, byMs),
    // What is watched again was asked before, so there is nothing to withdraw, and it was not asked by an earlier press.
    (result) => ({ notice: result.kind === 'duplicate' ? { kind: 'alreadyWatched' } : told(result).notice }),
  );
  // Where it can't be shown again, the presser is told in the place of the press.
  on(ACTIONS.askHere, async ({ value, press, byMs, listener: { responseUrl } }) =>
    told(await requests.askAgain(value.questionId, press, { responseUrl, byMs })),
  );
  // Pressed where the question may not be asked; that it may be in a direct message is found before it is shown there.
  on(ACTIONS.askInDm, askInDm, 'person');
  on(ACTIONS.askEdited, askEdited);
  on(ACTIONS.allSources, async (pressed) => ({ modal: () => sources(pressed) }), 'later');

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

  async function askInDm({ value, press, byMs }: Pressed): Promise<Handled> {
    const channelId = await openDirect(desk, press.userId);
    assertInTime(byMs);
    return told(await requests.askIn(value.questionId, { teamId: press.teamId, channelId }, press, byMs));
  }

  async function askEdited({ value, press, byMs }: Pressed): Promise<Handled> {
    const { result, cameLate } = await requests.askEdited(value.questionId, press, byMs);
    if (result.kind !== 'accepted' && result.kind !== 'duplicate') return told(result);
    // The old version is stopped once the new one stands for certain, and also when that was asked before.
    const after = (): void => {
      requests.cancel(value.questionId, press).catch((error: unknown) => {
        desk.journal.error({ event: 'old_version_not_cancelled', questionId: value.questionId }, error);
      });
    };
    const isLate = result.kind === 'accepted' && cameLate;
    return { ...told(result), ...(isLate ? { notice: { kind: 'editedAfterAnswer' } } : {}), after };
  }

  /** Who asked may always take the question back, even where they could not ask it any more. */
  async function cancel(pressed: Pressed): Promise<Handled> {
    const { value, press } = pressed;
    const isOwn = (await requests.find(value.questionId, press))?.askerId === press.userId;
    const refusal = isOwn ? undefined : await refusalOfPress(desk, pressed, 'person');
    if (refusal !== undefined) return { notice: refusal };
    const result = await requests.cancel(value.questionId, press, pressed.byMs);
    return { notice: notCancelledOf(result) };
  }

  /** A button of an end without an answer is good for one press, and is taken away once that stands. */
  function onEnd(
    actionId: string,
    run: (pressed: Pressed) => Promise<ButtonResult>,
    tell: (result: ButtonResult) => Handled,
  ): void {
    on(actionId, async (pressed) => {
      const { value, press, messageTs } = pressed;
      // As it is before the press: what is watched again forgets its end.
      const ended = await requests.find(value.questionId, press);
      const result = await run(pressed);
      const handled = tell(result);
      if (ended === undefined || messageTs === undefined || result.kind !== 'accepted') return handled;
      return { ...handled, after: () => desk.repainting.endUsed(ended, messageTs, press.userId) };
    });
  }

  function on(actionId: string | RegExp, handle: (pressed: Pressed) => Promise<Handled>, rule?: PressRule): void {
    onPress(app, desk, actionId, handle, rule);
  }
}
