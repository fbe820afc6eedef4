import type { App } from '@slack/bolt';
import { z } from 'zod';
import { personName } from '../../core/accounts/accounts.ts';
import type { Requests } from '../../core/intake/requests.ts';
import type { Log, Records } from '../../core/ports.ts';
import { type ReaderChoices, withoutChannel } from '../../core/question/reader-choices.ts';
import { ackConfirmMs } from '../../core/settings.ts';
import { ACTIONS, parseButtonValue } from '../../render/ids.ts';
import type { Prompts } from '../agent-sessions/suggested-prompts.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { logFailure } from '../failure-log.ts';
import type { Home } from '../home/home.ts';
import type { PrivateNotifier } from '../messages/private-notifier.ts';
import { ackBudgetMs } from '../settings.ts';
import { inAckTime } from './ack-time.ts';

/** What is read of `app_home_opened` events. Old clients name no tab. */
const openedEvent = z.object({
  user: z.string(),
  channel: z.string(),
  tab: z.enum(['home', 'messages']).catch('home').default('home'),
});

/** What is read of a button press on Home, which has no channel. */
const homeAction = z.object({
  user: z.object({ id: z.string() }),
  actions: z.array(z.object({ value: z.string().optional() })).min(1),
});

export interface AppHomeDeps {
  slack: Pick<SlackApi, 'identity'>;
  requests: Pick<Requests, 'cancelOwn'>;
  home: Pick<Home, 'show' | 'showAction'>;
  readerChoices: Pick<Records<ReaderChoices>, 'update'>;
  prompts: Prompts;
  notify: PrivateNotifier['notify'];
  log: Log;
}

/** The app's own tabs: Home is published when it is opened, and Messages gets suggested prompts. */
export function registerHome(app: App, deps: AppHomeDeps): void {
  app.event('app_home_opened', async ({ event, context }) => {
    const parsed = openedEvent.safeParse(event);
    if (!parsed.success) return deps.log.debug({ event: 'home_ignored', reason: 'unreadable' });
    const { user: userId, channel: channelId, tab } = parsed.data;
    const visitor = { teamId: context.teamId ?? deps.slack.identity.teamId, userId, channelId };
    if (tab === 'home') deps.home.show(visitor);
    else deps.prompts.suggest(visitor);
  });

  /** Home has no private messages, so Home itself or a direct message shows the result of the press. */
  app.action(ACTIONS.cancelOwn, async ({ ack, body, context }) => {
    const parsed = homeAction.safeParse(body);
    const value = parsed.success ? parseButtonValue(parsed.data.actions[0]?.value) : undefined;
    if (!parsed.success || value === undefined) {
      deps.log.warn({ event: 'button_unreadable' });
      return ack();
    }
    const userId = parsed.data.user.id;
    const teamId = context.teamId ?? deps.slack.identity.teamId;
    let failure: string | undefined;
    try {
      const byMs = Date.now() + ackBudgetMs;
      const cancelling = deps.requests.cancelOwn(value.questionId, { userId, teamId }, byMs - ackConfirmMs);
      await inAckTime(cancelling, byMs, async () => {});
    } catch (error) {
      const about = { event: 'button_not_taken', questionId: value.questionId };
      failure = logFailure(deps.log, 'error', about, error);
    }
    await ack();
    const reference = failure;
    deps.home.showAction({ teamId, userId }, reference, () => {
      if (reference !== undefined) deps.notify({ channelId: userId, userId }, { kind: 'actionNotTaken', reference });
    });
  });

  app.action(ACTIONS.undoAlwaysHere, async ({ ack, body, context }) => {
    const parsed = homeAction.safeParse(body);
    const channelId = parsed.success ? parsed.data.actions[0]?.value : undefined;
    if (!parsed.success || channelId === undefined) {
      deps.log.warn({ event: 'button_unreadable' });
      return ack();
    }
    const person = { teamId: context.teamId ?? deps.slack.identity.teamId, userId: parsed.data.user.id };
    try {
      await deps.readerChoices.update(personName(person), (choices) => withoutChannel(choices, channelId));
      deps.home.showAction(person, undefined, () => {});
    } catch (error) {
      const reference = logFailure(deps.log, 'error', { event: 'choice_not_undone' }, error);
      deps.notify({ channelId: person.userId, userId: person.userId }, { kind: 'actionNotTaken', reference });
    }
    await ack();
  });
}
