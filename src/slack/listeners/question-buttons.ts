import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { ButtonResult } from '../../core/intake/requests.ts';
import { ACTIONS } from '../../render/ids.ts';
import { renderWords } from '../../render/modals.ts';
import { refusalSentence } from '../../render/notices.ts';
import { renderSourcesModal } from '../../render/sources.ts';
import { localeOf } from '../access/users.ts';
import { assertInTime } from './ack-time.ts';
import {
  type ActionRule,
  type BlockAction,
  type Handled,
  onBlockAction,
  openDirect,
  refusalOfAction,
  told,
} from './block-actions.ts';
import { type Desk, notCancelledOf } from './desk.ts';

/**
 * The buttons of cards, answers and private notices. A press is acknowledged once it is stored; one that could not be
 * stored is acknowledged as well, and the presser is told that nothing was done.
 */
export function registerActions(app: App, desk: Desk): void {
  const { requests } = desk;

  on(ACTIONS.cancel, cancel, 'later');
  on(ACTIONS.drop, cancel, 'later');
  onEnd(
    ACTIONS.tryAgain,
    async ({ value, requester, byMs }) => requests.askAgain(value.questionId, requester, { byMs }),
    told,
  );
  onEnd(
    ACTIONS.askNew,
    async ({ value, requester, byMs }) => requests.askAgain(value.questionId, requester, { fresh: true, byMs }),
    told,
  );
  onEnd(
    ACTIONS.checkAgain,
    async ({ value, requester, byMs }) => requests.checkAgain(value.questionId, requester, byMs),
    // What is watched again was asked before, so there is nothing to withdraw, and it was not asked by an earlier press.
    (result) => ({ notice: result.kind === 'duplicate' ? { kind: 'alreadyWatched' } : told(result).notice }),
  );
  // Where it can't be shown again, the presser is told in the place of the press.
  on(ACTIONS.askHere, async ({ value, requester, byMs, recipient: { responseUrl } }) =>
    told(await requests.askAgain(value.questionId, requester, { responseUrl, byMs })),
  );
  // Pressed where the question may not be asked; that it may be in a direct message is found before it is shown there.
  on(ACTIONS.askInDm, askInDm, 'person');
  on(ACTIONS.askEdited, askEdited);
  on(ACTIONS.allSources, async (action) => ({ modal: () => sources(action) }), 'later');

  async function sources({ value, requester, named }: BlockAction): Promise<ModalView> {
    const [question, admission, locale] = await Promise.all([
      requests.find(value.questionId, requester),
      desk.access.admit(requester.userId, { teamId: requester.teamId, channelId: requester.channelId }, named),
      localeOf(desk.people, requester.userId),
    ]);
    if (!admission.may) return renderWords((say) => refusalSentence(say, admission.reason), locale);
    if (question?.outcome?.kind !== 'answered') return renderWords((say) => say.modals.expired(), locale);
    return renderSourcesModal(question, question.outcome.answer, locale);
  }

  async function askInDm({ value, requester, byMs }: BlockAction): Promise<Handled> {
    const channelId = await openDirect(desk, requester.userId);
    assertInTime(byMs);
    return told(await requests.askIn(value.questionId, { teamId: requester.teamId, channelId }, requester, byMs));
  }

  async function askEdited({ value, requester, byMs }: BlockAction): Promise<Handled> {
    const { result, cameLate } = await requests.askEdited(value.questionId, requester, byMs);
    if (result.kind !== 'accepted' && result.kind !== 'duplicate') return told(result);
    // The old version is stopped once the new one stands for certain, and also when that was asked before.
    const after = (): void => {
      requests.cancel(value.questionId, requester).catch((error: unknown) => {
        desk.log.error({ event: 'old_version_not_cancelled', questionId: value.questionId }, error);
      });
    };
    const isLate = result.kind === 'accepted' && cameLate;
    return { ...told(result), ...(isLate ? { notice: { kind: 'editedAfterAnswer' } } : {}), after };
  }

  /** Who asked may always take the question back, even where they could not ask it any more. */
  async function cancel(action: BlockAction): Promise<Handled> {
    const { value, requester } = action;
    const isOwn = (await requests.find(value.questionId, requester))?.askerId === requester.userId;
    const refusal = isOwn ? undefined : await refusalOfAction(desk, action, 'person');
    if (refusal !== undefined) return { notice: refusal };
    const result = await requests.cancel(value.questionId, requester, action.byMs);
    return { notice: notCancelledOf(result) };
  }

  /** A button of an end without an answer is good for one press, and is taken away once that stands. */
  function onEnd(
    actionId: string,
    run: (action: BlockAction) => Promise<ButtonResult>,
    tell: (result: ButtonResult) => Handled,
  ): void {
    on(actionId, async (action) => {
      const { value, requester, messageTs } = action;
      // As it is before the press: what is watched again forgets its end.
      const ended = await requests.find(value.questionId, requester);
      const result = await run(action);
      const handled = tell(result);
      if (ended === undefined || messageTs === undefined || result.kind !== 'accepted') return handled;
      return { ...handled, after: () => desk.answerUpdates.endUsed(ended, messageTs, requester.userId) };
    });
  }

  function on(actionId: string | RegExp, handle: (action: BlockAction) => Promise<Handled>, rule?: ActionRule): void {
    onBlockAction(app, desk, actionId, handle, rule);
  }
}
