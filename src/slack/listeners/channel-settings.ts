import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import {
  type ChangeResult,
  type ChannelRuleSet,
  type ChannelSettings,
  changeSettings,
  settingsName,
  unreadableRules,
  usualRules,
} from '../../core/channels/channel-settings.ts';
import { AppError, isAppError } from '../../core/errors.ts';
import { within } from '../../core/pacing.ts';
import { isBetweenTwo, type Place } from '../../core/question/question.ts';
import { isRepositoryName } from '../../core/question/scope.ts';
import { mostRepositories } from '../../core/settings.ts';
import {
  PEOPLE,
  parseSettingsMetadata,
  renderSettings,
  renderSettingsForm,
  SETTINGS_FIELDS,
  type ShownSettings,
} from '../../render/channel-settings.ts';
import { privateContact } from '../../render/contact.ts';
import { ACTIONS, FORMS } from '../../render/ids.ts';
import { renderWords } from '../../render/modals.ts';
import type { Say } from '../../render/say.ts';
import { oneLine } from '../../render/text.ts';
import { localeOf } from '../access/users.ts';
import { slackId } from '../content/incoming-text.ts';
import type { WorkspaceContext } from '../context.ts';
import { logFailure } from '../failure-log.ts';
import type { Recipient } from '../messages/private-messages.ts';
import { repositoryCheckMs } from '../settings.ts';
import { type Entered, onViewSubmission, openInOwnTime, type Reply, type Sent, unreadableForm } from './frame.ts';

/** What is read of a press on Home, which has no channel. */
const homeAction = z.object({
  user: z.object({ id: slackId }),
  trigger_id: slackId.optional(),
  actions: z.array(z.object({ value: z.string().regex(/^[CG][A-Z0-9]{1,29}$/) })).min(1),
});

/** Most characters of names in the error of a field. */
const longestNamesInError = 200;

/** The form of a channel's settings, and the button on Home that opens it. */
export function registerChannelSettings(app: App, w: WorkspaceContext): void {
  app.action(ACTIONS.channelSettings, async ({ ack, body, context }) => {
    await ack();
    const parsed = homeAction.safeParse(body);
    if (!parsed.success) return w.log.warn({ event: 'button_unreadable' });
    const { user, trigger_id: triggerId, actions } = parsed.data;
    const teamId = context.teamId ?? w.slack.identity.teamId;
    const recipient = { channelId: user.id, userId: user.id };
    openChannelSettings(w, { triggerId, recipient, teamId, channelId: actions[0]?.value ?? '' });
  });
  onViewSubmission(app, w, FORMS.channelSettings, {
    errorField: SETTINGS_FIELDS.switch,
    failed: (say) => say.channels.notSaved(),
    handle: (sent) => save(w, sent),
  });
}

/** Opens the settings of a channel for a person: as a form, or to read. Returns at once. */
export function openChannelSettings(
  w: WorkspaceContext,
  opener: {
    triggerId: string | undefined;
    recipient: Recipient;
    teamId: string;
    /** Default: the recipient's. */
    channelId?: string;
  },
): void {
  const { recipient, teamId, channelId = recipient.channelId } = opener;
  openInOwnTime(w, opener, () => view(w, recipient.userId, { teamId, channelId }));
}

async function view(w: WorkspaceContext, userId: string, place: Place): Promise<ModalView> {
  const locale = await localeOf(w.people, userId);
  const { contact, botUserId } = w.slack.identity;
  const { stored, unreadable } = await readStored(w, place);
  const limit = w.access.limitOf(place.channelId);
  const rules = stored ?? usualRules(limit === 'open');
  const membership = await w.memberships.of(userId, place.channelId);
  if (membership === 'hidden') return renderWords((say) => say.channels.hidden(`<@${botUserId}>`), locale);
  if (membership === 'none' || !(await maySee(w, userId, unreadable === undefined ? rules : unreadableRules))) {
    return renderWords((say) => say.channels.notYours(), locale);
  }
  const isAdmin = await w.admins.isAdmin(userId);
  if (unreadable !== undefined && !isAdmin) {
    return renderWords((say) => say.channels.unreadable(), locale, unreadable);
  }
  const shown: ShownSettings = {
    channelId: place.channelId,
    rules,
    limit,
    contact: privateContact(contact),
    ...(stored === undefined ? {} : { changed: { byUserId: stored.changedBy, atMs: stored.changedMs } }),
    unreadable,
  };
  return isAdmin ? renderSettingsForm(shown, locale) : renderSettings(shown, locale);
}

/** `unreadable`: the reference of the logged failure, if the record can't be read. */
async function readStored(
  w: WorkspaceContext,
  place: Place,
): Promise<{ stored?: ChannelSettings; unreadable?: string }> {
  try {
    return { stored: await w.channelSettings.get(settingsName(place)) };
  } catch (error) {
    if (!isAppError(error, 'corrupt')) throw error;
    return { unreadable: logFailure(w.log, 'error', { event: 'channel_settings_unreadable', ...place }, error) };
  }
}

/** The names of repositories are not for everyone who reads in a channel. */
async function maySee(w: WorkspaceContext, userId: string, rules: ChannelRuleSet): Promise<boolean> {
  const { kind } = await w.people.person(userId);
  return kind === 'member' || (kind === 'guest' && (rules.guestsMayRead || rules.asking === 'guests'));
}

/** Nothing in the form proves that its sender may change this channel, so all of that is checked again. */
async function save(w: WorkspaceContext, sent: Sent): Promise<Reply> {
  const { userId, teamId, say, locale, entered, byMs } = sent;
  const metadata = parseSettingsMetadata(sent.metadata);
  const chosen = readRules(entered);
  if (metadata === undefined || chosen === undefined || isBetweenTwo(metadata)) {
    return { kind: 'view', view: unreadableForm(w, locale) };
  }
  const { channelId, shownMs } = metadata;
  const place = { teamId, channelId };
  const [isAdmin, membership] = await Promise.all([w.admins.isAdmin(userId), w.memberships.of(userId, channelId)]);
  if (!isAdmin || (membership !== 'open' && membership !== 'member')) {
    const reference = logFailure(w.log, 'warn', { event: 'channel_settings_refused', userId, channelId });
    return said((to) => to.channels.notAdmin(), locale, reference);
  }
  const names = entered.isSent(SETTINGS_FIELDS.repositories)
    ? readNames(entered.text(SETTINGS_FIELDS.repositories))
    : ((await readStored(w, place)).stored?.repositories ?? []);
  const problem = problemOfNames(names, say);
  if (problem !== undefined) return wrong(problem);
  const check = await checkNames(w, names);
  if (check.unknown.length > 0 && w.refusesUnknownRepositories) {
    return wrong(say.channels.unknownNames(listed(check.unknown)));
  }
  if (Date.now() > byMs) throw new AppError('unavailable', 'the form was checked too late to be saved');
  const rules: ChannelRuleSet = { ...chosen, repositories: check.names };
  const result = await store(w, place, { rules, userId, shownMs });
  switch (result.kind) {
    case 'meanwhile':
      return said((to) => to.channels.changedMeanwhile(`<@${result.byUserId}>`), locale);
    case 'unchanged':
      return said((to) => to.channels.unchanged(), locale);
    case 'changed':
      if (!check.isChecked) return said((to) => to.channels.savedUnchecked(), locale);
      if (check.unknown.length > 0) {
        return said((to) => to.channels.savedUnknown(listed(check.unknown)), locale);
      }
      return said((to) => to.channels.saved(), locale);
  }
}

async function store(
  w: WorkspaceContext,
  place: Place,
  chosen: { rules: ChannelRuleSet; userId: string; shownMs: number },
): Promise<ChangeResult> {
  const { unreadable } = await readStored(w, place);
  const isOpen = w.access.limitOf(place.channelId) === 'open';
  const before = unreadable === undefined ? usualRules(isOpen) : unreadableRules;
  const ports = { records: w.channelSettings, audit: w.audit, now: Date.now };
  return changeSettings(ports, place, { ...chosen, before });
}

/** Undefined if a choice is missing or is none of the form's. The repositories are read separately. */
function readRules(entered: Entered): Omit<ChannelRuleSet, 'repositories'> | undefined {
  const isOn = entered.choice(SETTINGS_FIELDS.switch);
  const people = entered.choice(SETTINGS_FIELDS.people);
  const replies = entered.choice(SETTINGS_FIELDS.replies);
  const answers = entered.choice(SETTINGS_FIELDS.answers);
  if (isOn !== 'on' && isOn !== 'off') return undefined;
  if (people !== PEOPLE.members && people !== PEOPLE.guestsRead && people !== PEOPLE.guestsAsk) return undefined;
  if (replies !== 'followUps' && replies !== 'mentions') return undefined;
  if (answers !== 'thread' && answers !== 'private') return undefined;
  return {
    isOn: isOn === 'on',
    asking: people === PEOPLE.guestsAsk ? 'guests' : 'members',
    guestsMayRead: people !== PEOPLE.members,
    isExternalAllowed: entered.isTicked(SETTINGS_FIELDS.external),
    replies,
    answers,
  };
}

function readNames(text: string): string[] {
  const names = text.split(/[\r\n,]+/).map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ''))];
}

function problemOfNames(names: readonly string[], { channels }: Say): string | undefined {
  if (names.length > mostRepositories) return channels.tooMany(names.length, mostRepositories);
  const bad = names.filter((name) => !isRepositoryName(name));
  return bad.length === 0 ? undefined : channels.badNames(listed(bad));
}

/** `names` are written as the service writes them, as far as it knows them. */
interface CheckedNames {
  names: string[];
  unknown: string[];
  isChecked: boolean;
}

async function checkNames(w: WorkspaceContext, names: readonly string[]): Promise<CheckedNames> {
  const unchecked = { names: [...names], unknown: [], isChecked: names.length === 0 };
  if (names.length === 0) return unchecked;
  try {
    const known = await within(w.repositories.known(names), repositoryCheckMs);
    if (known === undefined) return unchecked;
    const written = new Map(known.map((name) => [name.toLowerCase(), name]));
    return {
      names: [...new Set(names.map((name) => written.get(name.toLowerCase()) ?? name))],
      unknown: names.filter((name) => !written.has(name.toLowerCase())),
      isChecked: true,
    };
  } catch (error) {
    if (!isAppError(error)) throw error;
    w.log.warn({ event: 'repositories_not_checked', kind: error.kind }, error);
    return unchecked;
  }
}

function listed(names: readonly string[]): string {
  const all = oneLine(names.join(', '));
  return all.length <= longestNamesInError ? all : `${all.slice(0, longestNamesInError)}…`;
}

function said(words: (say: Say) => string, locale: string | undefined, reference?: string): Reply {
  return { kind: 'view', view: renderWords(words, locale, reference) };
}

function wrong(problem: string): Reply {
  return { kind: 'errors', errors: { [SETTINGS_FIELDS.repositories]: problem } };
}
