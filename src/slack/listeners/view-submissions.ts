import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { Acceptance } from '../../core/intake/accept.ts';
import type { ButtonResult } from '../../core/intake/find-question.ts';
import type { Log } from '../../core/ports.ts';
import { referenceOf } from '../../core/question/reference.ts';
import { ackConfirmMs, maxQuestionLength } from '../../core/settings.ts';
import { renderWords } from '../../render/modals.ts';
import { refusalSentence } from '../../render/notices.ts';
import { type Say, sayIn } from '../../render/say.ts';
import type { Named } from '../access/policy.ts';
import { localeOf, type Users } from '../access/users.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { logFailure } from '../failure-log.ts';
import { ackBudgetMs } from '../settings.ts';
import { inAckTime } from './ack-time.ts';
import { type WithdrawDeps, withdraw } from './withdraw.ts';

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
  user: z.object({ id: z.string(), team_id: z.string().optional() }),
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
  /** A question must be stored by then, in epoch milliseconds. Otherwise it is withdrawn. */
  byMs: number;
}

/**
 * The reply to a form: it closes, shows errors at its fields, or becomes another form. `result` is what the form
 * started; it is withdrawn when it came too late. `after` runs after the reply.
 */
export type Reply =
  | { kind: 'done'; result?: ButtonResult; after?: () => void }
  | { kind: 'errors'; errors: Record<string, string> }
  | { kind: 'view'; view: ModalView };

/** What every form needs. */
export type ViewSubmissionDeps = WithdrawDeps & {
  slack: Pick<SlackApi, 'identity'>;
  people: Pick<Users, 'person'>;
};

/**
 * Replies to forms of this callback id within Slack's time limit. When that fails, nothing is done, and the form shows
 * an error at `errorField` and keeps what was entered.
 */
export function onViewSubmission(
  app: App,
  deps: ViewSubmissionDeps,
  callbackId: string,
  form: { errorField: string; failed: (say: Say) => string; handle: (sent: Sent) => Promise<Reply> },
): void {
  app.view(callbackId, async ({ ack, body, context }) => {
    const byMs = Date.now() + ackBudgetMs;
    const parsed = submission.safeParse(body);
    if (!parsed.success) {
      return ack({ response_action: 'update', view: unreadableForm(deps, undefined) });
    }
    const { user, view } = parsed.data;
    const locale = await localeOf(deps.people, user.id);
    const say = sayIn(locale);
    let reply: Reply;
    try {
      const handling = form.handle({
        userId: user.id,
        teamId: context.teamId ?? deps.slack.identity.teamId,
        named: { teamId: user.team_id },
        viewId: view.id,
        metadata: view.private_metadata,
        entered: view.state,
        locale,
        say,
        byMs: byMs - ackConfirmMs,
      });
      reply = await inAckTime(handling, byMs, async (late) => {
        if (late.kind === 'done' && late.result !== undefined) await withdraw(deps, late.result);
      });
    } catch (error) {
      const reference = logFailure(deps.log, 'error', { event: 'form_not_taken', outcome: 'told_in_form' }, error);
      reply = { kind: 'errors', errors: { [form.errorField]: problemWith(say, form.failed(say), reference) } };
    }
    if (reply.kind === 'errors') return ack({ response_action: 'errors', errors: reply.errors });
    if (reply.kind === 'view') return ack({ response_action: 'update', view: reply.view });
    await ack();
    reply.after?.();
  });
}

/** The modal that replaces a form with unreadable content. */
export function unreadableForm(deps: { log: Log }, locale: string | undefined): ModalView {
  const reference = logFailure(deps.log, 'warn', { event: 'form_unreadable' });
  return renderWords((say) => say.modals.unreadable(), locale, reference);
}

/** The error text of a failure, with its reference in the log. Slack shows the errors of forms as plain text. */
export function problemWith(say: Say, problem: string, reference: string): string {
  return `${problem} ${say.failures.referencePlain(reference)}`;
}

/** The modal about a question that is gone. */
export function expiredView(deps: { log: Log }, questionId: string, locale: string | undefined): ModalView {
  const reference = logFailure(deps.log, 'info', { event: 'form_expired', questionId });
  return renderWords((say) => say.modals.expired(), locale, reference);
}

/** The error text of a form about a question that is gone. */
export function expiredProblem({ log }: { log: Log }, questionId: string | undefined, say: Say): string {
  const about = questionId === undefined ? {} : { questionId };
  return problemWith(say, say.modals.expired(), logFailure(log, 'info', { event: 'form_expired', ...about }));
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
    case 'refused':
      return problemWith(say, refusalSentence(say, result.reason, undefined), referenceOf(result.questionId));
    case 'duplicate':
      // The question may also have been withdrawn because it was stored too late.
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
