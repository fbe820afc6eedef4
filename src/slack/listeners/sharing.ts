import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { isAppError } from '../../core/errors.ts';
import { isBetweenTwo } from '../../core/question.ts';
import { ACTIONS, FORMS } from '../../render/ids.ts';
import {
  confirmField,
  FIELDS,
  parseShareMetadata,
  renderShareForm,
  renderWords,
  type ShownAudience,
} from '../../render/modals.ts';
import { type Say, sayIn } from '../../render/say.ts';
import { localeOf } from '../people/people.ts';
import type { Desk } from './desk.ts';
import { onForm, problemOf, type Reply, type Sent, viewState } from './forms.ts';
import { updateModal } from './opening.ts';
import { onPress, type Pressed } from './presses.ts';

/** What is read of a choice in the menu of channels. */
const chosenChannel = z.object({
  user: z.object({ id: z.string() }),
  view: z.object({ id: z.string().min(1), private_metadata: z.string(), state: viewState }),
  actions: z.array(z.object({ selected_conversation: z.string().regex(/^[A-Z0-9]{2,30}$/) })).min(1),
});

/** Counts that are not known. */
const unknownAudience: ShownAudience = { members: 0, guests: 0, outsiders: 0, organisations: 0, isKnown: false };

/** Shows the answer to a person's own private question in a channel, once they have seen who would read it there. */
export function registerSharing(app: App, desk: Desk): void {
  const { requests } = desk;

  onPress(app, desk, ACTIONS.share, async (pressed) => ({ modal: () => emptyForm(pressed) }), 'later');
  app.action(ACTIONS.shareChannel, async ({ ack, body, context }) => {
    await ack();
    // Nobody waits for Slack to say who is there.
    showAudience(body, context.teamId ?? desk.identity.teamId).catch((error: unknown) => {
      desk.journal.warn({ event: 'audience_not_shown' }, error);
    });
  });
  onForm(app, desk, FORMS.share, {
    errorField: FIELDS.channel,
    failed: (say) => say.sharing.notShared(),
    handle: share,
  });

  async function emptyForm({ value, press }: Pressed): Promise<ModalView> {
    // Not by the place of the press: where sharing failed, the question is of another one.
    const [question, own, locale] = await Promise.all([
      desk.questions.get(value.questionId),
      requests.findOwnAnswered(value.questionId, press),
      localeOf(desk.people, press.userId),
    ]);
    if (own !== undefined) return renderShareForm({ questionId: own.id }, locale);
    const isKnown = question?.place.teamId === press.teamId;
    return renderWords((say) => (isKnown ? say.sharing.notYours() : say.modals.expired()), locale);
  }

  async function showAudience(body: unknown, teamId: string): Promise<void> {
    const parsed = chosenChannel.safeParse(body);
    const metadata = parsed.success ? parseShareMetadata(parsed.data.view.private_metadata) : undefined;
    if (!parsed.success || metadata === undefined) return desk.journal.warn({ event: 'choice_unreadable' });
    const { user, view, actions } = parsed.data;
    const channelId = actions[0]?.selected_conversation ?? '';
    const { questionId } = metadata;
    if ((await requests.findOwnAnswered(questionId, { userId: user.id, teamId })) === undefined) return;
    const withLink = view.state.isTicked(FIELDS.withLink);
    const [locale, problem] = await Promise.all([localeOf(desk.people, user.id), problemWith(user.id, channelId)]);
    const shown =
      problem === undefined
        ? { chosen: { channelId, audience: await audienceOf(channelId) } }
        : { problem: problem(sayIn(locale)) };
    await updateModal(desk, view.id, renderShareForm({ questionId, ...shown, withLink }, locale));
  }

  async function share(sent: Sent): Promise<Reply> {
    const { userId, teamId, named, say, locale, entered } = sent;
    const metadata = parseShareMetadata(sent.metadata);
    if (metadata === undefined) {
      return { kind: 'view', view: renderWords((words) => words.modals.unreadable(), locale) };
    }
    const { questionId } = metadata;
    const channelId = entered.conversation(FIELDS.channel, ACTIONS.shareChannel);
    if (channelId === undefined || isBetweenTwo({ channelId })) return wrong(say.sharing.choose());
    const question = await requests.findOwnAnswered(questionId, { userId, teamId });
    if (question === undefined) return wrong(say.sharing.notYours());
    const place = { teamId, channelId };
    const [reach, audience] = await Promise.all([desk.reaches.membership(userId, channelId), audienceOf(channelId)]);
    const { guests, outsiders, organisations, isKnown } = audience;
    const confirmed = { guests, outsiders, organisations, isKnown };
    if (reach === 'hidden') return wrong(say.sharing.hiddenChannel());
    if (reach !== 'member') return wrong(say.modals.notMember());
    const admission = await desk.access.admit(userId, place, { ...named, confirmed });
    if (!admission.may) {
      return wrong(admission.reason === 'channelRefused' ? say.sharing.refusedChannel() : say.sharing.mayNot());
    }
    const withLink = entered.isTicked(FIELDS.withLink);
    const confirm = confirmField(channelId, audience);
    const wasShown = metadata.shownChannelId === channelId;
    // Shown first, and again whenever there is more to confirm than was confirmed: people may have come since.
    if (!wasShown || (confirm !== undefined && !entered.isTicked(confirm))) {
      return { kind: 'view', view: renderShareForm({ questionId, chosen: { channelId, audience }, withLink }, locale) };
    }
    const sharing = { key: `share:${sent.viewId}`, userId, place, withLink, confirmed };
    const result = await requests.share(questionId, sharing, sent.byMs);
    const problem = problemOf(result, question.text, say);
    if (problem !== undefined) return wrong(problem);
    const after = (): void => desk.tell({ ...question.place, userId }, { kind: 'sharing', channelId });
    return { kind: 'done', result, after };
  }

  /** Why it can't be shared there; who is in a channel is nobody's business who is not. */
  async function problemWith(userId: string, channelId: string): Promise<((say: Say) => string) | undefined> {
    if (isBetweenTwo({ channelId })) return (say) => say.sharing.choose();
    try {
      const reach = await desk.reaches.membership(userId, channelId);
      if (reach === 'hidden') return (say) => say.sharing.hiddenChannel();
      return reach === 'member' ? undefined : (say) => say.modals.notMember();
    } catch (error) {
      if (!isAppError(error)) throw error;
      desk.journal.warn({ event: 'membership_not_known', channelId, kind: error.kind }, error);
      return (say) => say.sharing.audienceUnknown(`<#${channelId}>`);
    }
  }

  /** What Slack does not say now has to be confirmed as unknown. */
  async function audienceOf(channelId: string): Promise<ShownAudience> {
    try {
      return await desk.audiences.of(channelId);
    } catch (error) {
      if (!isAppError(error)) throw error;
      desk.journal.warn({ event: 'audience_not_known', channelId, kind: error.kind }, error);
      return unknownAudience;
    }
  }
}

function wrong(problem: string): Reply {
  return { kind: 'errors', errors: { [FIELDS.channel]: problem } };
}
