import type { App } from '@slack/bolt';
import { z } from 'zod';
import { accept, type NewQuestion } from '../../core/intake/accept.ts';
import { ACTIONS, FORMS, SHORTCUTS } from '../../render/ids.ts';
import { FIELDS, PLACES, renderAskForm } from '../../render/modals.ts';
import { mayReadThread } from '../access/membership.ts';
import { localeOf } from '../access/users.ts';
import { slackId, timestamp } from '../content/incoming-text.ts';
import { readContent, wholeText } from '../content/message-content.ts';
import type { WorkspaceContext } from '../context.ts';
import { openDirect } from '../messages/private-messages.ts';
import {
  onViewSubmission,
  openInOwnTime,
  problemOf,
  type Reply,
  refusedProblem,
  type Sent,
  unreadableForm,
} from './frame.ts';

/** What is read of a shortcut from anywhere, and of the button that opens the same form. */
const opened = z.object({ user: z.object({ id: slackId }), trigger_id: slackId.optional() });

/** What is read of a shortcut on a message. */
const openedOnMessage = opened.extend({
  response_url: z.string().optional(),
  channel: z.object({ id: slackId }),
  message: z.looseObject({ ts: timestamp, thread_ts: timestamp.optional() }),
});

/** The metadata of a form that is about a thread: its channel and timestamp. */
const aboutPattern = /^([A-Z0-9]{2,30}) (\d{1,12}\.\d{1,8})$/;

type Asked = Pick<NewQuestion, 'place' | 'beginsThread' | 'readsThread' | 'readsFrom'>;

/** The shortcuts, Home's button to ask, and the form all of them open. */
export function registerShortcuts(app: App, w: WorkspaceContext): void {
  app.shortcut(SHORTCUTS.askAbout, async ({ ack, body }) => {
    await ack();
    const parsed = openedOnMessage.safeParse(body);
    if (!parsed.success) return w.log.warn({ event: 'shortcut_unreadable' });
    const { user, trigger_id: triggerId, channel, message, response_url: responseUrl } = parsed.data;
    const threadTs = message.thread_ts ?? message.ts;
    const recipient = {
      channelId: channel.id,
      threadTs,
      userId: user.id,
      responseUrl,
    };
    openInOwnTime(w, { triggerId, recipient }, async () => {
      const content = readContent(message, w.slack.identity);
      const [text, locale] = await Promise.all([
        w.read(content === undefined ? '' : wholeText(content)),
        localeOf(w.people, user.id),
      ]);
      return renderAskForm({ text, about: `${channel.id} ${threadTs}` }, locale);
    });
  });
  app.shortcut(SHORTCUTS.ask, async ({ ack, body }) => {
    await ack();
    openEmpty(body, false);
  });
  app.action(ACTIONS.askForm, async ({ ack, body }) => {
    await ack();
    openEmpty(body, true);
  });
  onViewSubmission(app, w, FORMS.ask, {
    errorField: FIELDS.question,
    failed: (say) => say.modals.notTaken(),
    handle: ask,
  });

  function openEmpty(body: unknown, startsPrivately: boolean): void {
    const parsed = opened.safeParse(body);
    if (!parsed.success) {
      w.log.warn({ event: 'shortcut_unreadable' });
      return;
    }
    const { user, trigger_id: triggerId } = parsed.data;
    // There is no channel here, so failures are told in direct messages.
    openInOwnTime(w, { triggerId, recipient: { channelId: user.id, userId: user.id } }, async () =>
      renderAskForm({ startsPrivately }, await localeOf(w.people, user.id)),
    );
  }

  async function ask(sent: Sent): Promise<Reply> {
    const { userId, teamId, named, say, locale, entered } = sent;
    const about = aboutPattern.exec(sent.metadata);
    if (about === null && sent.metadata !== '') {
      return { kind: 'view', view: unreadableForm(w, locale) };
    }
    const text = entered.text(FIELDS.question);
    if (text === '') return wrong(FIELDS.question, say.modals.empty());
    const asked = await whereOf(
      sent,
      about === null ? undefined : { channelId: about[1] ?? '', threadTs: about[2] ?? '' },
    );
    if ('kind' in asked) return asked;
    const admission = await w.access.admit(userId, asked.place, named);
    if (!admission.may) {
      const { channelId } = asked.place;
      return wrong(FIELDS.where, refusedProblem(w, { userId, channelId, reason: admission.reason }, say));
    }
    const result = await accept(
      w,
      { key: `view:${teamId}:${sent.viewId}`, askerId: userId, text, origin: 'shortcut', ...asked },
      sent.byMs,
    );
    const problem = problemOf(result, text, say);
    return problem === undefined ? { kind: 'done' } : wrong(FIELDS.question, problem);
  }

  /** The thread that a private question is about. It is read only when its asker may read it and may ask in it. */
  async function readsFromOf(
    { userId, teamId, named }: Sent,
    about: { channelId: string; threadTs: string } | undefined,
  ): Promise<NewQuestion['readsFrom'] | undefined> {
    if (about === undefined) return undefined;
    const readsFrom = { teamId, ...about };
    return (await mayReadThread(w, userId, readsFrom, named)) ? readsFrom : { ...readsFrom, isRefused: true };
  }

  /** The place of the question, if the person may read there. The ids in a form come from the person's client. */
  async function whereOf(
    sent: Sent,
    about: { channelId: string; threadTs: string } | undefined,
  ): Promise<Asked | Reply> {
    const { userId, teamId, say, entered } = sent;
    if (entered.choice(FIELDS.where) === PLACES.privately) {
      const [channelId, readsFrom] = await Promise.all([openDirect(w, userId, sent.byMs), readsFromOf(sent, about)]);
      return {
        place: { teamId, channelId },
        beginsThread: true,
        ...(readsFrom === undefined ? {} : { readsThread: true, readsFrom }),
      };
    }
    const channelId = about?.channelId ?? entered.conversation(FIELDS.channel);
    if (channelId === undefined) return wrong(FIELDS.channel, say.modals.noChannel());
    const field = about === undefined ? FIELDS.channel : FIELDS.where;
    switch (await w.memberships.of(userId, channelId)) {
      case 'hidden':
        return wrong(field, about === undefined ? say.modals.hiddenChannel() : say.modals.hiddenThread());
      case 'none':
        return wrong(field, say.modals.notMember());
      case 'open':
      case 'member':
        return about === undefined
          ? { place: { teamId, channelId }, beginsThread: true }
          : { place: { teamId, ...about }, readsThread: true };
    }
  }
}

function wrong(field: string, problem: string): Reply {
  return { kind: 'errors', errors: { [field]: problem } };
}
