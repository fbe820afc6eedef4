import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { ButtonResult } from '../../core/intake/requests.ts';
import { maxQuestionLength } from '../../core/settings.ts';
import { renderWords } from '../../render/modals.ts';
import { type Say, sayIn } from '../../render/say.ts';
import type { Named } from '../access/policy.ts';
import { localeOf } from '../access/users.ts';
import { ackBudgetMs, confirmMs, inAckTime } from './ack-time.ts';
import { type Desk, withdraw } from './desk.ts';

/** What is read of one field of a form, whatever its kind. */
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
  /** Whether nothing was sent for the field: some clients do not send what was filled in and left alone. */
  isUntouched(id: string): boolean;
  choice(id: string): string | undefined;
  choices(id: string): string[];
  conversation(id: string, actionId?: string): string | undefined;
  isTicked(id: string): boolean;
}

/** A form that was sent off. All of it came through the person's client. */
export interface Sent {
  userId: string;
  teamId: string;
  /** What the payload says of the person. */
  named: Named;
  viewId: string;
  metadata: string;
  entered: Entered;
  /** The person's language. */
  locale: string | undefined;
  say: Say;
  /** A question that is not stored by then is not taken. Epoch milliseconds. */
  byMs: number;
}

/**
 * What becomes of a form: it closes, shows errors at its fields, or becomes another. `result` is what it started, to be
 * withdrawn where that came too late; `after` is done once the form was answered.
 */
export type Reply =
  | { kind: 'done'; result?: ButtonResult; after?: () => void }
  | { kind: 'errors'; errors: Record<string, string> }
  | { kind: 'view'; view: ModalView };

/**
 * Answers a form of this callback id within the time Slack gives. What can't be done by then is not done, and said in the
 * form, at `errorField`, with what was entered still there.
 */
export function onViewSubmission(
  app: App,
  desk: Desk,
  callbackId: string,
  form: { errorField: string; failed: (say: Say) => string; handle: (sent: Sent) => Promise<Reply> },
): void {
  app.view(callbackId, async ({ ack, body, context }) => {
    const byMs = Date.now() + ackBudgetMs;
    const parsed = submission.safeParse(body);
    if (!parsed.success) {
      desk.log.warn({ event: 'form_unreadable' });
      return ack({ response_action: 'update', view: renderWords((say) => say.modals.unreadable(), undefined) });
    }
    const { user, view } = parsed.data;
    const locale = await localeOf(desk.people, user.id);
    const say = sayIn(locale);
    let reply: Reply;
    try {
      const handling = form.handle({
        userId: user.id,
        teamId: context.teamId ?? desk.identity.teamId,
        named: { teamId: user.team_id },
        viewId: view.id,
        metadata: view.private_metadata,
        entered: view.state,
        locale,
        say,
        byMs: byMs - confirmMs,
      });
      reply = await inAckTime(handling, byMs, async (late) => {
        if (late.kind === 'done' && late.result !== undefined) await withdraw(desk, late.result, user.id);
      });
    } catch (error) {
      desk.log.error({ event: 'form_not_taken', outcome: 'told_in_form' }, error);
      reply = { kind: 'errors', errors: { [form.errorField]: form.failed(say) } };
    }
    if (reply.kind === 'errors') return ack({ response_action: 'errors', errors: reply.errors });
    if (reply.kind === 'view') return ack({ response_action: 'update', view: reply.view });
    await ack();
    reply.after?.();
  });
}

/** What a form says where its question was not taken; undefined where it was. */
export function problemOf(result: ButtonResult, text: string, say: Say): string | undefined {
  switch (result.kind) {
    case 'empty':
      return say.modals.empty();
    case 'tooLong':
      return say.modals.tooLong(text.length, maxQuestionLength);
    case 'queueFull':
      return say.notices.queueFull(result.limit);
    case 'expired':
      return say.modals.expired();
    case 'duplicate':
      // Also one that was withdrawn because it had been called not taken.
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
    choice: (id) => at(id)?.selected_option?.value,
    choices: (id) => at(id)?.selected_options?.map(({ value }) => value) ?? [],
    conversation: (id, actionId) => at(id, actionId)?.selected_conversation ?? undefined,
    isTicked: (id) => (at(id)?.selected_options?.length ?? 0) > 0,
  };
}
