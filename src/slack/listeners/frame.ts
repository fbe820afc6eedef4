import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { AppError, isAppError } from '../../core/errors.ts';
import type { Acceptance } from '../../core/intake/accept.ts';
import type { CancelResult } from '../../core/intake/cancel.ts';
import { type ButtonResult, findQuestion, type Requester } from '../../core/intake/find-question.ts';
import { within, withTimeout } from '../../core/pacing.ts';
import type { Log } from '../../core/ports.ts';
import { type Question, type Refusal, referenceOf } from '../../core/question/question.ts';
import type { ReadersChoice } from '../../core/question/reader-choices.ts';
import { ackConfirmMs, maxQuestionLength } from '../../core/settings.ts';
import { plainContact, privateContact } from '../../render/contact.ts';
import { type ButtonValue, parseButtonValue } from '../../render/ids.ts';
import { renderWords } from '../../render/modals.ts';
import { type Notice, refusalSentence } from '../../render/notices.ts';
import { type Say, sayIn } from '../../render/say.ts';
import type { Named } from '../access/policy.ts';
import { localeOf } from '../access/users.ts';
import type { AgentSessions } from '../agent-sessions/agent-sessions.ts';
import { slackId, timestamp } from '../content/incoming-text.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import type { Home, Prompts } from '../home/home.ts';
import type { AnswerUpdates } from '../messages/answer-updates.ts';
import { notify, type Recipient } from '../messages/private-messages.ts';
import { ackBudgetMs, actionCheckMs, modalPatienceMs } from '../settings.ts';
import type { ThreadNoteKeeper } from '../threads/thread-note-keeper.ts';
import type { Unfurls } from '../unfurls/unfurls.ts';

/** What the listeners of one workspace work with: beside all else, the surfaces that they tell of what people do. */
export interface ListenerContext extends WorkspaceContext {
  home: Home;
  prompts: Prompts;
  sessions: AgentSessions;
  unfurls: Unfurls;
  noteKeeper: ThreadNoteKeeper;
  answerUpdates: AnswerUpdates;
}

/** Throws when `byMs` (epoch milliseconds), the last moment to store a question, has passed. */
export function assertInTime(byMs: number): void {
  if (Date.now() > byMs) throwLate();
}

function throwLate(): never {
  throw new AppError('storage', 'not done in the time Slack gives');
}

/** Waits for `work` until `byMs` (epoch milliseconds) and throws after that: then no one can tell whether it was done. */
export async function inAckTime<Result>(work: Promise<Result>, byMs: number): Promise<Result> {
  return withTimeout(work, Math.max(0, byMs - Date.now()), () => {
    work.catch(() => {});
    throw new AppError('storage', 'no reply in the time Slack gives', { outcomeUnknown: true });
  });
}

/** Whether what failed may have been done all the same, because the storage gave no reply. */
export function isInDoubt(error: unknown): boolean {
  return isAppError(error, 'storage') && error.outcomeUnknown;
}

/** The private notice for a question that was not taken; undefined when it was taken. */
export function noticeOfAcceptance(result: Acceptance, text: string): Notice | undefined {
  switch (result.kind) {
    case 'empty':
      return { kind: 'emptyQuestion' };
    case 'tooLong':
      return { kind: 'questionTooLong', text };
    case 'queueFull':
      return { kind: 'queueFull', limit: result.limit, reference: referenceOf(result.questionId) };
    case 'accepted':
    case 'duplicate':
      return undefined;
  }
}

/** The private notice for a cancel request that came too late or found nothing to cancel; undefined otherwise. */
export function noticeOfCancel(result: CancelResult): Notice | undefined {
  switch (result.kind) {
    case 'answered':
      return { kind: 'answeredBeforeCancel' };
    case 'nothing':
      return { kind: 'nothingToCancel' };
    case 'cancelling':
      return undefined;
  }
}

/** The private notice after the asker chose who sees the answer. An answer that is shown in its thread needs none. */
export function noticeOfChoice(choice: ReadersChoice, channelId: string): Notice {
  switch (choice) {
    case 'here':
      return { kind: 'shownHere', channelId };
    case 'always':
      return { kind: 'alwaysShown', channelId };
    case 'onlyMe':
      return { kind: 'shownPrivately' };
  }
}

/** What is needed to open a modal for a person. */
interface Opener {
  triggerId: string | undefined;
  recipient: Recipient;
  /** The question that the modal is about, if there is one. */
  questionId?: string;
}

/** Opens a modal as `openModal` does, and returns at once, so that the press can be acknowledged. */
export function openInOwnTime(w: WorkspaceContext, opener: Opener, fill: () => Promise<ModalView>): void {
  void w.tasks.run({ event: 'modal_not_opened', questionId: opener.questionId }, () => openModal(w, opener, fill));
}

/**
 * Opens a modal before anything slow happens: with the content from `fill`, or with a short text until `fill` is ready.
 * When the modal can't be opened, the person is told privately. Errors of Slack and of the storage are not thrown.
 */
export async function openModal(w: WorkspaceContext, opener: Opener, fill: () => Promise<ModalView>): Promise<void> {
  const { triggerId, recipient } = opener;
  if (triggerId === undefined) return notOpened({ reason: 'no_trigger' });
  const filling = fill().catch((error: unknown) => {
    const reference = logFailure(w.log, 'error', { event: 'modal_not_filled', questionId: opener.questionId }, error);
    return renderWords((say) => say.modals.failed(), undefined, reference);
  });
  const quick = await within(filling, modalPatienceMs);
  const view = quick ?? renderWords((say) => say.modals.loading(), undefined);
  let viewId: string | undefined;
  try {
    const opened = await w.slack.call('views.open', { trigger_id: triggerId, view }, { priority: 'private' });
    viewId = opened.view?.id;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return notOpened({ kind: error.kind }, error);
  }
  if (quick !== undefined || viewId === undefined) return;
  const id = viewId;
  void w.tasks.run({ event: 'modal_not_filled', questionId: opener.questionId }, async () =>
    updateModal(w, id, await filling),
  );

  function notOpened(why: { reason: string } | { kind: string }, error?: unknown): void {
    const failure = { event: 'modal_not_opened', ...why, questionId: opener.questionId };
    notify(w, recipient, { kind: 'formNotOpened', reference: logFailure(w.log, 'warn', failure, error) });
  }
}

/** Replaces the content of a modal, if it is still open. Never throws. */
export async function updateModal(w: WorkspaceContext, viewId: string, view: ModalView): Promise<void> {
  try {
    await w.slack.call('views.update', { view_id: viewId, view }, { priority: 'private' });
  } catch (error) {
    w.log.warn({ event: 'modal_not_updated' }, error);
  }
}

/** A person who may not do what they asked for; `questionId` is the question it was about, if there was one. */
interface Refused {
  userId: string;
  channelId: string;
  reason: Refusal;
  questionId?: string;
}

/** Logs a refusal, also in the audit log, and returns the reference that the person is shown. */
export function logRefusal(w: WorkspaceContext, refused: Refused): string {
  const { userId, channelId, reason, questionId } = refused;
  const { audit, log } = w;
  const { teamId } = w.slack.identity;
  const atMs = Date.now();
  const id = `refused:${channelId}:${userId}:${atMs}`;
  audit.note({ id, atMs, action: 'refused', teamId, userId, channelId, questionId, detail: reason });
  return logFailure(log, 'info', { event: 'action_refused', outcome: reason, userId, channelId, questionId });
}

/**
 * The modal that a press opens about its question: `fill` makes it, and a person who may not ask there reads why not. `so` says
 * what follows from that.
 */
export async function modalAbout(
  w: WorkspaceContext,
  { value: { questionId }, requester, named }: BlockAction,
  fill: (question: Question | undefined, locale: string | undefined) => ModalView | Promise<ModalView>,
  { personOnly, so }: { personOnly?: boolean; so?: (say: Say) => string } = {},
): Promise<ModalView> {
  const { userId, teamId, channelId } = requester;
  const [question, admission, locale] = await Promise.all([
    findQuestion(w, questionId, requester),
    w.access.admit(userId, { teamId, channelId }, { ...named, personOnly }),
    localeOf(w.people, userId),
  ]);
  if (admission.may) return fill(question, locale);
  const { reason } = admission;
  const contact = privateContact(w.slack.identity.contact);
  const reference = logRefusal(w, { userId, channelId, reason, questionId });
  return renderWords((say) => refusalSentence(say, reason, contact, so?.(say)), locale, reference);
}

/** The error in a form for a person who may not do what it is for; `so` says what follows from it. */
export function refusedProblem(w: WorkspaceContext, refused: Refused, say: Say, so?: string): string {
  const sentence = refusalSentence(say, refused.reason, plainContact(w.slack.identity.contact), so);
  return problemWith(say, sentence, logRefusal(w, refused));
}

/** What is read of one field of a form, of any kind. */
const field = z.object({
  value: z.string().nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
  selected_options: z.array(z.object({ value: z.string() })).nullish(),
  selected_conversation: z
    .string()
    .regex(/^[A-Z0-9]{2,30}$/)
    .nullish(),
});

const values = z.record(z.string(), z.record(z.string(), field));

/** What is read of the state of a view, by block id and action id. */
export const viewState = z.object({ values }).transform((state) => createEntered(state.values));

/** What is read of a `view_submission` payload. */
const submission = z.object({
  user: z.object({ id: slackId, team_id: slackId.optional() }),
  view: z.object({ id: z.string().min(1), private_metadata: z.string().default(''), state: viewState }),
});

/** What a person entered, by the id of the field: block id and action id in one, unless said otherwise. */
export interface Entered {
  text(id: string): string;
  /** Whether nothing was sent for the field. Some clients do not send a prefilled text that was not changed. */
  isUntouched(id: string): boolean;
  /** Whether the form was sent with this field, also if it is empty. */
  isSent(id: string): boolean;
  choice(id: string): string | undefined;
  choices(id: string): string[];
  conversation(id: string, actionId?: string): string | undefined;
  isTicked(id: string): boolean;
}

/** A form that a person sent. All of it comes from the person's client. */
export interface Sent {
  userId: string;
  teamId: string;
  /** What the payload says about the person. */
  named: Named;
  viewId: string;
  metadata: string;
  entered: Entered;
  /** The person's language. */
  locale: string | undefined;
  say: Say;
  /** The last moment to store a question, in epoch milliseconds. */
  byMs: number;
}

/**
 * The reply to a form: it closes, shows errors at its fields, or becomes another form. `after` runs after the reply.
 */
export type Reply =
  | { kind: 'done'; after?: () => void }
  | { kind: 'errors'; errors: Record<string, string> }
  | { kind: 'view'; view: ModalView };

/**
 * Replies to forms of this callback id within Slack's time limit. When that fails, nothing is done, and the form shows
 * an error at `errorField` and keeps what was entered.
 */
export function onViewSubmission(
  app: App,
  w: WorkspaceContext,
  callbackId: string,
  form: { errorField: string; failed: (say: Say) => string; handle: (sent: Sent) => Promise<Reply> },
): void {
  app.view(callbackId, async ({ ack, body, context }) => {
    const byMs = Date.now() + ackBudgetMs;
    const parsed = submission.safeParse(body);
    if (!parsed.success) {
      return ack({ response_action: 'update', view: unreadableForm(w, undefined) });
    }
    const { user, view } = parsed.data;
    const locale = await localeOf(w.people, user.id);
    const say = sayIn(locale);
    let reply: Reply;
    try {
      const handling = form.handle({
        userId: user.id,
        teamId: context.teamId ?? w.slack.identity.teamId,
        named: { teamId: user.team_id },
        viewId: view.id,
        metadata: view.private_metadata,
        entered: view.state,
        locale,
        say,
        byMs: byMs - ackConfirmMs,
      });
      reply = await inAckTime(handling, byMs);
    } catch (error) {
      const reference = logFailure(w.log, 'error', { event: 'form_not_taken', outcome: 'told_in_form' }, error);
      const problem = isInDoubt(error) ? say.modals.inDoubt() : form.failed(say);
      reply = { kind: 'errors', errors: { [form.errorField]: problemWith(say, problem, reference) } };
    }
    if (reply.kind === 'errors') return ack({ response_action: 'errors', errors: reply.errors });
    if (reply.kind === 'view') return ack({ response_action: 'update', view: reply.view });
    await ack();
    reply.after?.();
  });
}

/** The modal that replaces a form with unreadable content. */
export function unreadableForm(w: WorkspaceContext, locale: string | undefined): ModalView {
  const reference = logFailure(w.log, 'warn', { event: 'form_unreadable' });
  return renderWords((say) => say.modals.unreadable(), locale, reference);
}

/** The error text of a failure, with its reference in the log. Slack shows the errors of forms as plain text. */
export function problemWith(say: Say, problem: string, reference: string): string {
  return `${problem} ${say.failures.referencePlain(reference)}`;
}

/** The modal about a question that is gone. */
export function expiredView(w: WorkspaceContext, questionId: string, locale: string | undefined): ModalView {
  const reference = logFailure(w.log, 'info', { event: 'form_expired', questionId });
  return renderWords((say) => say.modals.expired(), locale, reference);
}

/** The error text of a form about a question that is gone. */
export function expiredProblem({ log }: { log: Log }, questionId: string | undefined, say: Say): string {
  return problemWith(say, say.modals.expired(), logFailure(log, 'info', { event: 'form_expired', questionId }));
}

/** The error text of a form whose question was not taken; undefined when it was taken. */
export function problemOf(result: Acceptance, text: string, say: Say): string | undefined {
  switch (result.kind) {
    case 'empty':
      return say.modals.empty();
    case 'tooLong':
      return say.modals.tooLong(text.length, maxQuestionLength);
    case 'queueFull':
      return problemWith(say, say.notices.queueFull(result.limit), referenceOf(result.questionId));
    case 'duplicate':
      return result.question.cancel === undefined ? undefined : say.modals.takenBefore();
    case 'accepted':
      return undefined;
  }
}

function createEntered(entered: z.infer<typeof values>): Entered {
  const at = (id: string, actionId = id) => (Object.hasOwn(entered, id) ? entered[id]?.[actionId] : undefined);
  return {
    text: (id) => at(id)?.value?.trim() ?? '',
    isUntouched: (id) => at(id)?.value == null,
    isSent: (id) => at(id) !== undefined,
    choice: (id) => at(id)?.selected_option?.value,
    choices: (id) => at(id)?.selected_options?.map(({ value }) => value) ?? [],
    conversation: (id, actionId) => at(id, actionId)?.selected_conversation ?? undefined,
    isTicked: (id) => (at(id)?.selected_options?.length ?? 0) > 0,
  };
}

/** What is read of a `block_actions` payload. */
const blockActionsPayload = z.object({
  user: z.object({ id: slackId, team_id: slackId.optional() }),
  trigger_id: slackId.optional(),
  response_url: z.string().optional(),
  channel: z.object({ id: slackId }).optional(),
  container: z
    .object({ channel_id: slackId.optional(), thread_ts: timestamp.optional(), message_ts: timestamp.optional() })
    .optional(),
  message: z.object({ ts: timestamp, thread_ts: timestamp.optional() }).optional(),
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
  /** A question must be stored by then, in epoch milliseconds. */
  byMs: number;
}

/** The result of a press. */
export interface Handled {
  /** The private message for the person who pressed. */
  notice?: Notice;
  /** The notice takes the place of the private message with the button, which has no further use. */
  replacesPressed?: boolean;
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

/**
 * Handles the presses of a button or the choices of a menu on messages. A press is acknowledged after `handle`, and
 * before a modal opens. A press that is not handled in time is acknowledged too: the person is told that it may have been
 * done, and that a second press can't do it twice.
 */
export function onBlockAction(
  app: App,
  w: WorkspaceContext,
  actionId: string | RegExp,
  handle: (action: BlockAction) => Promise<Handled>,
  rule: ActionRule = 'place',
): void {
  app.action(actionId, async ({ ack, body, context }) => {
    const byMs = Date.now() + ackBudgetMs;
    const action = readBlockAction(body, context.teamId ?? w.slack.identity.teamId, byMs - ackConfirmMs);
    if (action === undefined) {
      w.log.warn({ event: 'button_unreadable' });
      return ack();
    }
    let handled: Handled;
    try {
      const refusal = rule === 'later' ? undefined : await refusalOfAction(w, action, rule);
      handled = refusal === undefined ? await inAckTime(handle(action), byMs) : { notice: refusal };
    } catch (error) {
      const failure = { event: 'button_not_taken', questionId: action.value.questionId };
      const kind = isInDoubt(error) ? 'actionInDoubt' : 'actionNotTaken';
      handled = { notice: { kind, reference: logFailure(w.log, 'error', failure, error) } };
    }
    await ack();
    const { notice, replacesPressed, after, modal } = handled;
    const recipient = replacesPressed === true ? { ...action.recipient, replacesPressed } : action.recipient;
    if (notice !== undefined) notify(w, recipient, addressed(notice, action.requester.userId));
    if (modal !== undefined) openInOwnTime(w, { ...action, questionId: action.value.questionId }, modal);
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
  w: WorkspaceContext,
  { requester, named, value }: Pick<BlockAction, 'requester' | 'named'> & Partial<Pick<BlockAction, 'value'>>,
  rule: Exclude<ActionRule, 'later'>,
): Promise<RefusedAction | undefined> {
  const { userId, teamId, channelId } = requester;
  try {
    const checking = w.access.admit(userId, { teamId, channelId }, { ...named, personOnly: rule === 'person' });
    const admission = await withTimeout(checking, actionCheckMs, () => {
      throw new AppError('unavailable', 'Slack did not say in time who the person is');
    });
    if (admission.may) return undefined;
    const { reason } = admission;
    const reference = logRefusal(w, { userId, channelId, reason, questionId: value?.questionId });
    return { kind: 'actionNotAllowed', reason, reference };
  } catch (error) {
    if (!isAppError(error)) throw error;
    const failure = { event: 'action_not_checked', kind: error.kind, questionId: value?.questionId };
    const reference = logFailure(w.log, 'warn', failure, error);
    return { kind: error.kind === 'storage' ? 'actionNotTaken' : 'actionNotChecked', reference };
  }
}

/** The result of a press on a button that asks. When the question was stored, there is no notice. */
export function handledResult(
  w: WorkspaceContext,
  result: ButtonResult,
  { value }: Pick<BlockAction, 'value'>,
): Handled {
  if (result.kind === 'expired') return expired(w, value);
  if (result.kind === 'duplicate') return { notice: { kind: 'alreadyAsked', byUserId: result.question.askerId } };
  return { notice: noticeOfAcceptance(result, '') };
}

/** The result of a press on a button whose question is gone, or belongs to another place. */
export function expired(w: WorkspaceContext, { questionId }: ButtonValue): Handled {
  const reference = logFailure(w.log, 'info', { event: 'button_expired', questionId });
  return { notice: { kind: 'expiredButton', reference } };
}

/** Tells the asker "you asked it", instead of naming them. */
function addressed(notice: Notice, userId: string): Notice {
  return notice.kind === 'alreadyAsked' && notice.byUserId === userId ? { kind: 'alreadyAskedByYou' } : notice;
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
      threadTs,
      responseUrl,
    },
    named: { teamId: user.team_id },
    value,
    triggerId,
    messageTs: message?.ts ?? container?.message_ts,
    byMs,
  };
}
