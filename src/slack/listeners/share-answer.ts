import { createHash } from 'node:crypto';
import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { isAppError } from '../../core/errors.ts';
import { findOwnAnswered, shareAnswer } from '../../core/intake/follow-ups.ts';
import { isBetweenTwo, type Place, type Question, type Refusal } from '../../core/question/question.ts';
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
import type { Audience } from '../access/audience.ts';
import { localeOf } from '../access/users.ts';
import { slackId } from '../content/incoming-text.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import { notify } from '../messages/private-messages.ts';
import {
  type BlockAction,
  expiredProblem,
  expiredView,
  logRefusal,
  onBlockAction,
  onViewSubmission,
  problemOf,
  problemWith,
  type Reply,
  type Sent,
  unreadableForm,
  updateModal,
  viewState,
} from './frame.ts';

/** What is read of a choice in the menu of channels. */
const chosenChannel = z.object({
  user: z.object({ id: slackId }),
  view: z.object({ id: z.string().min(1), private_metadata: z.string(), state: viewState }),
  actions: z.array(z.object({ selected_conversation: z.string().regex(/^[A-Z0-9]{2,30}$/) })).min(1),
});

/** The audience of a channel when Slack does not tell it. */
const unknownAudience: Audience = { members: 0, guests: 0, outsiders: 0, organizations: 0, isKnown: false };

/** Shows the answer to a person's own private question in a channel, after they saw who can read it there. */
export function registerSharing(app: App, w: WorkspaceContext): void {
  onBlockAction(app, w, ACTIONS.share, async (action) => ({ modal: () => emptyForm(action) }), 'later');
  app.action(ACTIONS.shareChannel, async ({ ack, body, context }) => {
    await ack();
    // The press is acknowledged before Slack says who is in the channel.
    void w.tasks.run({ event: 'audience_not_shown' }, () =>
      showAudience(body, context.teamId ?? w.slack.identity.teamId),
    );
  });
  onViewSubmission(app, w, FORMS.share, {
    errorField: FIELDS.channel,
    failed: (say) => say.sharing.notShared(),
    handle: share,
  });

  async function emptyForm({ value, requester }: BlockAction): Promise<ModalView> {
    // Found by the asker and not by the place of the press, because after a failed share the places differ.
    const [question, own, locale] = await Promise.all([
      w.questions.get(value.questionId),
      findOwnAnswered(w, value.questionId, requester),
      localeOf(w.people, requester.userId),
    ]);
    if (own !== undefined) return formOf({ questionId: own.id, ...accessOf(own) }, locale);
    const isKnown = question?.place.teamId === requester.teamId;
    if (isKnown && question.access === 'own') {
      return renderWords((say) => say.sharing.notYoursOwn(`<@${question.askerId}>`), locale);
    }
    return isKnown ? renderWords((say) => say.sharing.notYours(), locale) : expiredView(w, value.questionId, locale);
  }

  async function showAudience(body: unknown, teamId: string): Promise<void> {
    const parsed = chosenChannel.safeParse(body);
    const metadata = parsed.success ? parseShareMetadata(parsed.data.view.private_metadata) : undefined;
    if (!parsed.success || metadata === undefined) return w.log.warn({ event: 'choice_unreadable' });
    const { user, view, actions } = parsed.data;
    const place = { teamId, channelId: actions[0]?.selected_conversation ?? '' };
    const { questionId } = metadata;
    const own = await findOwnAnswered(w, questionId, { userId: user.id, teamId });
    if (own === undefined) return;
    const withLink = view.state.isTicked(FIELDS.withLink);
    const [locale, shown] = await Promise.all([localeOf(w.people, user.id), shownOf(user.id, place, questionId)]);
    const problem = typeof shown === 'function' ? { problem: shown(sayIn(locale)) } : { chosen: shown };
    await updateModal(w, view.id, formOf({ questionId, ...problem, withLink, ...accessOf(own) }, locale));
  }

  function formOf(form: Parameters<typeof renderShareForm>[0], locale: string | undefined): ModalView {
    return renderShareForm({ ...form, withOthers: w.access.sharesWithOthers }, locale);
  }

  async function share(sent: Sent): Promise<Reply> {
    const { userId, teamId, named, say, locale, entered } = sent;
    const metadata = parseShareMetadata(sent.metadata);
    if (metadata === undefined) {
      return { kind: 'view', view: unreadableForm(w, locale) };
    }
    const { questionId } = metadata;
    const channelId = entered.conversation(FIELDS.channel, ACTIONS.shareChannel);
    if (channelId === undefined || isBetweenTwo({ channelId })) return wrong(say.sharing.choose());
    const question = await findOwnAnswered(w, questionId, { userId, teamId });
    if (question === undefined) return wrong(await notYours(questionId, teamId, say));
    const place = { teamId, channelId };
    const [membership, audience] = await Promise.all([
      w.memberships.inChannel(userId, channelId),
      audienceOf(channelId),
    ]);
    const confirmed = confirmedOf(audience);
    if (membership === 'hidden') return wrong(say.sharing.hiddenChannel());
    if (membership !== 'member') return wrong(say.modals.notMember());
    const admission = await w.access.admit(userId, place, { ...named, confirmed });
    if (!admission.may) {
      const { reason } = admission;
      const reference = logRefusal(w, { userId, channelId, reason, questionId });
      return wrong(problemWith(say, refusalOfShare(say, reason), reference));
    }
    const withLink = entered.isTicked(FIELDS.withLink);
    const chosen = { channelId, audience: shownAudience(audience) };
    const confirm = confirmField(channelId, chosen.audience);
    const wasShown = metadata.shownChannelId === channelId;
    // The audience is shown first, and shown again when it differs from the confirmed one, because people may have
    // joined.
    if (!wasShown || (confirm !== undefined && !entered.isTicked(confirm))) {
      return { kind: 'view', view: formOf({ questionId, chosen, withLink, ...accessOf(question) }, locale) };
    }
    const sharing = { key: `share:${teamId}:${sent.viewId}`, userId, place, withLink, confirmed };
    const result = await shareAnswer(w, questionId, sharing, sent.byMs);
    const problem =
      result.kind === 'expired' ? expiredProblem(w, questionId, say) : problemOf(result, question.text, say);
    if (problem !== undefined) return wrong(problem);
    const after = (): void => notify(w, { ...question.place, userId }, { kind: 'sharing', channelId });
    return { kind: 'done', after };
  }

  /** Names the asker of an answer that was asked with their own access. Errors in forms are plain text, without mentions. */
  async function notYours(questionId: string, teamId: string, { sharing }: Say): Promise<string> {
    const question = await w.questions.get(questionId);
    if (question?.place.teamId !== teamId || question.access !== 'own') return sharing.notYours();
    const name = await w.people.person(question.askerId).then(
      (person) => person.name,
      () => undefined,
    );
    return name === undefined ? sharing.notYours() : sharing.notYoursOwn(name);
  }

  /** The readers there, or why it can't be shared there. Only members of a channel learn who else is in it. */
  async function shownOf(userId: string, place: Place, questionId: string): Promise<Chosen | ((say: Say) => string)> {
    const { channelId } = place;
    if (isBetweenTwo({ channelId })) return (say) => say.sharing.choose();
    try {
      const membership = await w.memberships.inChannel(userId, channelId);
      if (membership === 'hidden') return (say) => say.sharing.hiddenChannel();
      if (membership !== 'member') return (say) => say.modals.notMember();
      const audience = await audienceOf(channelId);
      const admission = await w.access.admit(userId, place, { confirmed: confirmedOf(audience) });
      if (!admission.may) {
        const { reason } = admission;
        const reference = logRefusal(w, { userId, channelId, reason, questionId });
        return (say) => problemWith(say, refusalOfShare(say, reason), reference);
      }
      return { channelId, audience: shownAudience(audience) };
    } catch (error) {
      if (!isAppError(error)) throw error;
      const failure = { event: 'membership_not_known', channelId, kind: error.kind, questionId };
      const reference = logFailure(w.log, 'warn', failure, error);
      return (say) => problemWith(say, say.sharing.audienceUnknown(`<#${channelId}>`), reference);
    }
  }

  /** When Slack does not tell the audience, the person has to confirm an unknown one. */
  async function audienceOf(channelId: string): Promise<Audience> {
    try {
      return await w.audiences.of(channelId);
    } catch (error) {
      if (!isAppError(error)) throw error;
      w.log.warn({ event: 'audience_not_known', channelId, kind: error.kind }, error);
      return unknownAudience;
    }
  }
}

function accessOf({ access }: Question): { isOwnAccess?: boolean } {
  return access === 'own' ? { isOwnAccess: true } : {};
}

interface Chosen {
  channelId: string;
  audience: ShownAudience;
}

function shownAudience({ ids, isTooLarge: _, ...counts }: Audience): ShownAudience {
  const { guests = [], outsiders = [], organizations = [] } = ids ?? {};
  const readers = JSON.stringify([guests, outsiders, organizations].map((each) => each.toSorted()));
  return { ...counts, fingerprint: createHash('sha256').update(readers).digest('hex').slice(0, 32) };
}

function confirmedOf({ ids }: Audience): string[] {
  return ids?.guests ?? [];
}

function refusalOfShare({ sharing }: Say, reason: Refusal): string {
  switch (reason) {
    case 'channelRefused':
    case 'channelOff':
      return sharing.refusedChannel();
    case 'sharedChannel':
      return sharing.otherOrganizations();
    case 'unknownChannel':
    case 'channelTooLarge':
    case 'guestsInChannel':
      return sharing.notCheckable();
    default:
      return sharing.mayNot();
  }
}

function wrong(problem: string): Reply {
  return { kind: 'errors', errors: { [FIELDS.channel]: problem } };
}
