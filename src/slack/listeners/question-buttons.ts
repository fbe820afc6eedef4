import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { isAppError } from '../../core/errors.ts';
import { cancelForGood, cancelQuestion } from '../../core/intake/cancel.ts';
import { type ButtonResult, findQuestion, type Requester } from '../../core/intake/find-question.ts';
import { followUp, followUpOf, followUpPrivately } from '../../core/intake/follow-ups.ts';
import {
  askAgain,
  askEdited,
  askIn,
  checkAgain,
  chooseReaders,
  continuePrevious,
  findWithheld,
  showWithheld,
} from '../../core/intake/requests.ts';
import { isBetweenTwo, isInThread, type Place, type Question } from '../../core/question/question.ts';
import type { ReadersChoice } from '../../core/question/reader-choices.ts';
import { maySeeAnswer } from '../../core/question/readers.ts';
import {
  ACTIONS,
  type ButtonValue,
  FOLLOW_UP_PATTERN,
  FORMS,
  type MessageInChannel,
  parseButtonValue,
} from '../../render/ids.ts';
import { FIELDS, PLACES, renderEditForm, renderWords } from '../../render/modals.ts';
import { renderSourcesModal } from '../../render/sources.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { logFailure } from '../failure-log.ts';
import { notify, openDirect } from '../messages/private-messages.ts';
import { type HistoryMessage, readPage, toEvent } from '../missed/catch-up.ts';
import {
  type ActionRule,
  assertInTime,
  type BlockAction,
  expired,
  expiredProblem,
  expiredView,
  type Handled,
  handledResult,
  type ListenerContext,
  modalAbout,
  noticeOfCancel,
  noticeOfChoice,
  onBlockAction,
  onViewSubmission,
  problemOf,
  type Reply,
  refusalOfAction,
  refusedProblem,
  type Sent,
} from './frame.ts';
import { createHandleMessage } from './message.ts';
import { setMuted } from './verbs.ts';

/**
 * The buttons of cards, answers and private notices. A press is acknowledged once it is stored. A press that could not
 * be stored is acknowledged too, and the person is told that nothing was done.
 */
export function registerActions(app: App, w: ListenerContext): void {
  on(ACTIONS.cancel, cancel, 'later');
  on(ACTIONS.drop, cancel, 'later');
  onEnd(
    ACTIONS.tryAgain,
    async ({ value, requester, byMs }) => askAgain(w, value.questionId, requester, { byMs }),
    toHandled,
  );
  onEnd(
    ACTIONS.askNew,
    async ({ value, requester, byMs }) => askAgain(w, value.questionId, requester, { fresh: true, byMs }),
    toHandled,
  );
  onEnd(
    ACTIONS.checkAgain,
    async ({ value, requester, byMs }) => checkAgain(w, value.questionId, requester, byMs),
    // The question was asked before, and no earlier press asked it.
    (result, action) => ({
      notice: result.kind === 'duplicate' ? { kind: 'alreadyWatched' } : toHandled(result, action).notice,
    }),
  );
  // When the answer can't be shown, the person is told where they pressed.
  on(ACTIONS.askHere, async ({ value, requester, byMs, recipient: { responseUrl } }) =>
    handledResult(w, await askAgain(w, value.questionId, requester, { responseUrl, byMs }), { value }),
  );
  // These buttons stand where the question may not be asked. Before the answer is shown, the direct message is checked.
  on(ACTIONS.askInDm, askInDm, 'person');
  on(ACTIONS.showInDm, showInDm, 'person');
  // The asker is found by their id, and the app checks again who may see the answer before it shows it.
  on(ACTIONS.showHere, (action) => choose(action, 'here'), 'later');
  on(ACTIONS.onlyForMe, (action) => choose(action, 'onlyMe'), 'later');
  on(ACTIONS.alwaysHere, (action) => choose(action, 'always'), 'later');
  on(ACTIONS.askEdited, replaceByEdited);
  on(ACTIONS.continuePrevious, replaceInPrevious);
  on(ACTIONS.allSources, async (action) => ({ modal: () => sources(action) }), 'later');

  function sources(action: BlockAction): Promise<ModalView> {
    const { value, requester } = action;
    return modalAbout(w, action, (question, locale) =>
      question?.outcome?.kind !== 'answered' || !maySeeAnswer(question, requester.userId)
        ? expiredView(w, value.questionId, locale)
        : renderSourcesModal(question, question.outcome.answer, locale),
    );
  }

  async function askInDm({ value, requester, byMs }: BlockAction): Promise<Handled> {
    const channelId = await openDirect(w, requester.userId, byMs);
    return handledResult(
      w,
      await askIn(w, value.questionId, { teamId: requester.teamId, channelId }, requester, byMs),
      {
        value,
      },
    );
  }

  /** Asks nothing: shows the existing answer to its asker alone. */
  async function showInDm({ value, requester, byMs }: BlockAction): Promise<Handled> {
    const { questionId } = value;
    const found = await findWithheld(w, questionId, requester);
    if (found.kind === 'expired') return expired(w, value);
    if (found.kind === 'notYours') return notYours(value, requester);
    const channelId = await openDirect(w, requester.userId, byMs);
    const result = await showWithheld(w, questionId, { teamId: requester.teamId, channelId }, requester, byMs);
    if (result.kind === 'notYours') return notYours(value, requester);
    if (result.kind === 'duplicate') return { notice: { kind: 'alreadyShown' } };
    if (result.kind !== 'accepted') return handledResult(w, result, { value });
    // When the press was in the same direct messages, the answer itself is enough.
    return { notice: channelId === requester.channelId ? undefined : { kind: 'shownPrivately' } };
  }

  async function choose({ value, requester, byMs }: BlockAction, choice: ReadersChoice): Promise<Handled> {
    const result = await chooseReaders(w, value.questionId, requester, choice, byMs);
    switch (result.kind) {
      case 'chosen':
        return { notice: noticeOfChoice(choice, result.channelId), replacesPressed: true };
      case 'alreadyChosen':
        return { notice: { kind: 'readersChosen' }, replacesPressed: true };
      case 'tooLate':
        return { notice: { kind: 'choiceTooLate' }, replacesPressed: true };
      case 'notAsker':
        return { notice: { kind: 'notAsker', askerId: result.askerId } };
      case 'expired':
        return expired(w, value);
    }
  }

  function notYours({ questionId }: ButtonValue, { userId }: Requester): Handled {
    const failure = { event: 'action_refused', outcome: 'notYours', questionId, userId };
    return { notice: { kind: 'notYours', reference: logFailure(w.log, 'info', failure) } };
  }

  async function replaceByEdited({ value, requester, byMs }: BlockAction): Promise<Handled> {
    const { result, cameLate } = await askEdited(w, value.questionId, requester, byMs);
    const isLate = result.kind === 'accepted' && cameLate;
    const handled = handledResult(w, result, { value });
    return {
      ...handled,
      ...(isLate ? { notice: { kind: 'editedAfterAnswer' } } : {}),
      after: () => cancelFirst(value, result),
    };
  }

  async function replaceInPrevious(action: BlockAction): Promise<Handled> {
    const { value, requester, byMs } = action;
    const result = await continuePrevious(w, value.questionId, requester, byMs);
    if (result.kind === 'ended') return { notice: { kind: 'alreadyEnded' } };
    return { ...handledResult(w, result, action), after: () => cancelFirst(value, result) };
  }

  /** Cancels the question instead of which another was asked. Also for a second press: the first may have stopped before this. */
  function cancelFirst({ questionId }: ButtonValue, result: ButtonResult): void {
    if (result.kind !== 'accepted' && result.kind !== 'duplicate') return;
    const { askerId } = result.question;
    void w.tasks.run({ event: 'question_not_replaced', questionId }, () => cancelForGood(w, questionId, askerId));
  }

  /** The asker may always cancel the question, even where they may not ask any more. */
  async function cancel(action: BlockAction): Promise<Handled> {
    const { value, requester } = action;
    const isOwn = (await findQuestion(w, value.questionId, requester))?.askerId === requester.userId;
    const refusal = isOwn ? undefined : await refusalOfAction(w, action, 'person');
    if (refusal !== undefined) return { notice: refusal };
    const result = await cancelQuestion(w, value.questionId, requester, action.byMs);
    // Another question may run in the thread now.
    return { notice: result.kind === 'nothing' ? { kind: 'alreadyEnded' } : noticeOfCancel(result) };
  }

  /** A button of a failed question works once, and is removed after the press is stored. */
  function onEnd(
    actionId: string,
    run: (action: BlockAction) => Promise<ButtonResult>,
    handledOf: (result: ButtonResult, action: BlockAction) => Handled,
  ): void {
    on(actionId, async (action) => {
      const { value, requester, messageTs } = action;
      // Read before the press, because `checkAgain` clears the outcome.
      const ended = await findQuestion(w, value.questionId, requester);
      const result = await run(action);
      const handled = handledOf(result, action);
      if (ended === undefined || messageTs === undefined || result.kind !== 'accepted') return handled;
      return { ...handled, after: () => w.answerUpdates.endUsed(ended, messageTs, requester.userId) };
    });
  }

  function toHandled(result: ButtonResult, action: BlockAction): Handled {
    return handledResult(w, result, action);
  }

  function on(actionId: string | RegExp, handle: (action: BlockAction) => Promise<Handled>, rule?: ActionRule): void {
    onBlockAction(app, w, actionId, handle, rule);
  }
}

/** **Ask it now** on the line about a message that the app missed. Asks the message as it is now. */
export function registerAskMissed(app: App, w: ListenerContext): void {
  const handle = createHandleMessage(w);

  onBlockAction(
    app,
    w,
    ACTIONS.askMissed,
    async ({ value, requester }: BlockAction): Promise<Handled> => {
      if (value.message === undefined) return expired(w, value);
      if (await isAsked(value.questionId)) {
        return { notice: { kind: 'alreadyAskedByYou' }, replacesPressed: true };
      }
      const { teamId, userId } = requester;
      const message = await readMessage(w.slack, value.message);
      if (message?.user !== userId) return expired(w, value);
      await handle(toEvent(message, value.message.channelId, w.slack.identity), teamId);
      // The message may have been changed, or be refused now: then the button stays.
      if (!(await isAsked(value.questionId))) return { notice: { kind: 'missedNotAsked' } };
      return { notice: { kind: 'missedAsked' }, replacesPressed: true };
    },
    'person',
  );

  async function isAsked(questionId: string): Promise<boolean> {
    const question = await w.questions.get(questionId);
    return question !== undefined;
  }
}

/** Undefined if the message is gone, or the app may not read it. */
async function readMessage(
  slack: Pick<SlackApi, 'call'>,
  { channelId: channel, ts, threadTs }: MessageInChannel,
): Promise<HistoryMessage | undefined> {
  const window = { channel, oldest: ts, latest: ts, inclusive: true };
  try {
    const { messages } =
      threadTs === undefined
        ? await slack.call('conversations.history', { ...window, limit: 1 }, { priority: 'private' })
        : await slack.call('conversations.replies', { ...window, ts: threadTs, limit: 2 }, { priority: 'private' });
    return readPage(messages).find((message) => message.ts === ts);
  } catch (error) {
    if (isAppError(error, 'undeliverable', 'notFound', 'unauthorized', 'refused')) return undefined;
    throw error;
  }
}

/** A follow-up after a person edited it. */
interface Edited {
  questionId: string;
  index: number;
  requester: Requester;
  /** Absent when the text was not changed. */
  text?: string;
}

/** Asks the follow-ups under an answer unchanged, edited or privately, and handles the other entries of their menu. */
export function registerFollowUps(app: App, w: ListenerContext): void {
  onBlockAction(app, w, FOLLOW_UP_PATTERN, async ({ value, requester, byMs }) => {
    const result = await followUp(w, value.questionId, value.index ?? -1, requester, { byMs });
    return { ...handledResult(w, result, { value }), after: () => noteUsed(value, result) };
  });
  // Forms open before the check whether the person may ask.
  onBlockAction(app, w, ACTIONS.followUpMenu, choose, 'later');
  onViewSubmission(app, w, FORMS.editFollowUp, {
    errorField: FIELDS.question,
    failed: (say) => say.modals.notTaken(),
    handle: askWithOtherWords,
  });

  async function choose(action: BlockAction): Promise<Handled> {
    switch (action.value.choice) {
      case 'edit':
        return { modal: () => editForm(action) };
      case 'mute':
        return mute(action);
      default:
        return expired(w, action.value);
    }
  }

  /** Does what the verb `mute` does. */
  async function mute(action: BlockAction): Promise<Handled> {
    const { value, requester, byMs } = action;
    const refusal = await refusalOfAction(w, action, 'place');
    if (refusal !== undefined) return { notice: refusal };
    const question = await findQuestion(w, value.questionId, requester);
    if (question === undefined || !isInThread(question.place)) return expired(w, value);
    assertInTime(byMs);
    await setMuted(w.threads, question.place, true);
    return { notice: { kind: 'muted' } };
  }

  /** The form decides where the answer goes. Here it only counts whether the person may ask at all. */
  function editForm(action: BlockAction): Promise<ModalView> {
    const { value, requester } = action;
    const { userId, channelId } = requester;
    return modalAbout(w, action, form, { personOnly: true });

    function form(question: Question | undefined, locale: string | undefined): ModalView {
      const text = followUpOf(question, value.index ?? -1, userId);
      if (question === undefined || text === undefined) return expiredView(w, value.questionId, locale);
      const used = question.usedFollowUps?.find(({ index }) => index === value.index);
      if (used === undefined) {
        return renderEditForm({ value: plainValue(value), text, isDirect: isBetweenTwo({ channelId }) }, locale);
      }
      const { byUserId } = used;
      return renderWords(
        ({ notices }) => (byUserId === userId ? notices.alreadyAskedByYou() : notices.alreadyAsked(`<@${byUserId}>`)),
        locale,
      );
    }
  }

  async function askWithOtherWords(sent: Sent): Promise<Reply> {
    const { userId, teamId, named, say, entered } = sent;
    const value = parseButtonValue(sent.metadata);
    const text = entered.isUntouched(FIELDS.question) ? undefined : entered.text(FIELDS.question);
    if (text === '') return wrong(say.modals.empty());
    const question = value === undefined ? undefined : await w.questions.get(value.questionId);
    const gone = (): Reply => wrong(expiredProblem(w, value?.questionId, say));
    if (value?.index === undefined || question?.place.teamId !== teamId) return gone();
    const { channelId } = question.place;
    const privately = entered.choice(FIELDS.where) === PLACES.privately;
    const [membership, admission] = await Promise.all([
      w.memberships.of(userId, channelId),
      // A private question is checked for the place in which it is asked.
      w.access.admit(userId, { teamId, channelId }, { ...named, personOnly: privately }),
    ]);
    // To a person who can't see the answer, it looks like one that is gone.
    if (membership === 'none' || membership === 'hidden') return gone();
    if (!admission.may) {
      const refused = { userId, channelId, questionId: question.id, reason: admission.reason };
      return wrong(refusedProblem(w, refused, say));
    }
    const edited: Edited = {
      questionId: value.questionId,
      index: value.index,
      requester: { userId, teamId, channelId },
      text,
    };
    return privately ? askPrivately(edited, question.place, sent) : askInThread(edited, sent);
  }

  async function askInThread({ questionId, index, requester, text }: Edited, { say, byMs }: Sent): Promise<Reply> {
    const result = await followUp(w, questionId, index, requester, {
      text,
      byMs,
    });
    if (result.kind === 'expired') return wrong(expiredProblem(w, questionId, say));
    const isOwn =
      result.kind === 'duplicate' &&
      result.question.askerId === requester.userId &&
      (text === undefined || result.question.text === text);
    if (result.kind === 'duplicate' && !isOwn) {
      return wrong(say.modals.askedMeanwhile(await nameOf(result.question.askerId)));
    }
    const problem = problemOf(result, text ?? '', say);
    return problem === undefined
      ? { kind: 'done', after: () => noteUsed({ questionId, index }, result) }
      : wrong(problem);
  }

  /** Does not use the follow-up up: other people can still ask it. Each person asks it once. */
  async function askPrivately(
    { questionId, index, requester, text }: Edited,
    { channelId, threadTs }: Place,
    { say, byMs }: Sent,
  ): Promise<Reply> {
    const place = { teamId: requester.teamId, channelId: await openDirect(w, requester.userId, byMs) };
    const result = await followUpPrivately(w, questionId, index, place, requester, {
      text,
      byMs,
    });
    if (result.kind === 'expired') return wrong(expiredProblem(w, questionId, say));
    if (result.kind === 'duplicate' && text !== undefined && result.question.text !== text) {
      return wrong(say.notices.alreadyAskedByYou());
    }
    const problem = problemOf(result, text ?? '', say);
    if (problem !== undefined) return wrong(problem);
    if (place.channelId === channelId) return { kind: 'done' };
    const recipient = { channelId, userId: requester.userId, threadTs };
    return { kind: 'done', after: () => notify(w, recipient, { kind: 'askedPrivately' }) };
  }

  /** Only for a question that is stored: a question that was not taken does not use the follow-up up. */
  function noteUsed({ questionId, index }: Pick<ButtonValue, 'questionId' | 'index'>, result: ButtonResult): void {
    if (index === undefined || (result.kind !== 'accepted' && result.kind !== 'duplicate')) return;
    w.answerUpdates.followUpUsed(questionId, index, result.question.askerId);
  }

  /** Errors in forms are plain text without mentions, so they show a name. */
  async function nameOf(userId: string): Promise<string | undefined> {
    return w.people.person(userId).then(
      ({ name }) => name,
      () => undefined,
    );
  }
}

function plainValue({ questionId, index }: ButtonValue): ButtonValue {
  return index === undefined ? { questionId } : { questionId, index };
}

function wrong(problem: string): Reply {
  return { kind: 'errors', errors: { [FIELDS.question]: problem } };
}
