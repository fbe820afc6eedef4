import { LRUCache } from 'lru-cache';
import {
  type ChannelRuleSet,
  type ChannelRules,
  type ChannelSettings,
  noRules,
  settingsName,
  unreadableRules,
  usualRules,
} from '../../core/channels/channel-settings.ts';
import { AppError, isAppError, isTransient } from '../../core/errors.ts';
import { withTimeout } from '../../core/pacing.ts';
import type { AccessPolicy, Admission, Clock, Log, Records } from '../../core/ports.ts';
import { isBetweenTwo, type Place, type Refusal } from '../../core/question/question.ts';
import { isTokenRefused } from '../api/errors.ts';
import type { Identity } from '../api/slack-api.ts';
import { mostSettingsRenewed, settingsRenewedMs, storedRulesPatienceMs } from '../settings.ts';
import type { Audience, Audiences } from './audience.ts';
import type { ChannelKind, Channels } from './channels.ts';
import type { SlackUser, Users } from './users.ts';

/** Channel ids of the settings. */
export interface AccessSettings {
  /** Channels in which everybody may ask. */
  open: readonly string[];
  /** When not empty, people may ask only in these channels, in open channels and in direct messages. */
  allowed: readonly string[];
}

/** What a payload says of a person beside their id. */
export interface Named {
  /** The person's workspace, according to the payload. */
  teamId?: string;
  /** As in the access policy of the core. */
  confirmed?: readonly string[];
  /** As in the access policy of the core. */
  sinceMs?: number;
  /** The channel is not checked, because nothing new is shown there. */
  personOnly?: boolean;
}

export interface SlackAccessPolicy extends AccessPolicy {
  /** `named`: also what the payload of a press or a form says of the person, which can only make the answer a no. */
  admit(userId: string, place: Place, named?: Named): Promise<Admission>;
  /** What the operator's settings say about a channel, whatever an admin chooses for it. */
  limitOf(channelId: string): OperatorLimit;
  /** Whether some channel with other organizations can be one to share an answer into. */
  readonly sharesWithOthers: boolean;
}

/** `refused`: no one may ask there. `open`: everyone may, unless an admin restricts it. */
type OperatorLimit = 'refused' | 'open' | 'none';

/** Who may ask and read in one place. */
interface Rules {
  isOn: boolean;
  guestsMayAsk: boolean;
  guestsMayRead: boolean;
  outsidersMayAsk: boolean;
  othersMayRead: boolean;
}

/**
 * Decides who may ask where: full members of the workspace, in places where only full members see the answer, unless
 * the operator's settings or those of the channel say otherwise. When Slack does not tell enough, the answer is no. In a channel that Slack hides from the
 * app, the app cannot post, so the person is asked to invite it.
 */
export function createAccessPolicy(options: {
  people: Pick<Users, 'person'>;
  channels: Pick<Channels, 'channel'>;
  audiences: Pick<Audiences, 'of'>;
  identity: Pick<Identity, 'teamId' | 'enterpriseId'>;
  settings: AccessSettings;
  /** What admins chose for channels. Read at each decision. Errors as of `ChannelRules`. */
  chosen?: { of(place: Place): Promise<ChannelRuleSet | undefined> };
  log: Log;
}): SlackAccessPolicy {
  const { people, channels, audiences, identity, settings, chosen, log } = options;

  return { admit, limitOf, sharesWithOthers: settings.open.length > 0 };

  async function admit(userId: string, place: Place, named: Named = {}): Promise<Admission> {
    const { channelId } = place;
    const { sinceMs } = named;
    const limit = limitOf(channelId);
    const ruleSet = limit === 'refused' ? undefined : await chosenFor(place);
    if (limit === 'open' && ruleSet === undefined) return { may: true, ...localeOf(await known(userId)) };
    const rules = rulesOf(limit, ruleSet);
    if (!rules.outsidersMayAsk && isNamedOutsider(named)) return { may: false, reason: 'outsider' };
    const isRefused = named.personOnly !== true && limit === 'refused';
    const isOff = named.personOnly !== true && !rules.isOn;
    const isDecided = named.personOnly === true || isBetweenTwo({ channelId }) || isRefused || isOff;
    const asking = isDecided ? undefined : settle(channels.channel(channelId, sinceMs));
    // Slack allows fewest calls for the channel. If a new check asked for the others at the same time, their room would be used
    // up for nothing where the channel has none.
    if (asking !== undefined && sinceMs !== undefined) resultOf(await asking);
    const [person, channel, audience] = await Promise.all([
      settle(people.person(userId, sinceMs)),
      asking,
      isDecided ? undefined : settle(audiences.of(channelId, sinceMs)),
    ]);
    // The person is checked first: someone who may ask nowhere is not told to ask elsewhere.
    const { refusal, locale } = judge(userId, person, rules);
    if (refusal !== undefined) return { may: false, reason: refusal, ...locale };
    if (isRefused) return { may: false, reason: 'channelRefused', ...locale };
    if (isOff) return { may: false, reason: 'channelOff', ...locale };
    if (channel === undefined || audience === undefined) return { may: true, ...locale };
    const { kind } = resultOf(channel);
    if (kind === 'hidden') return { may: true, isHidden: true, ...locale };
    const reason =
      named.confirmed === undefined
        ? refusalOfChannel(kind, audience, rules)
        : beyond(kind, resultOf(audience), named.confirmed, rules);
    return reason === undefined ? { may: true, ...locale } : { may: false, reason, ...locale };
  }

  async function chosenFor(place: Place): Promise<ChannelRuleSet | undefined> {
    if (chosen === undefined) return undefined;
    return withTimeout(chosen.of(place), storedRulesPatienceMs, () => {
      throw new AppError('storage', 'the settings of the channel were not read in time');
    });
  }

  /**
   * The readers whom no one confirmed. Guests are compared by id: a new one makes a new audience. No confirmation lets other
   * organizations read.
   */
  function beyond(
    kind: ChannelKind,
    audience: Audience,
    confirmed: readonly string[],
    rules: Rules,
  ): Refusal | undefined {
    const areAllAllowed = rules.guestsMayRead && rules.othersMayRead;
    if (areAllAllowed && kind !== 'unknown') return undefined;
    const hasOthers = kind === 'shared' || audience.outsiders > 0 || audience.organizations > 0;
    if (hasOthers && !rules.othersMayRead) return 'sharedChannel';
    if (kind === 'unknown') return 'unknownChannel';
    if (!audience.isKnown) return unknownReaders(audience);
    if (audience.ids === undefined) return 'unknownChannel';
    return rules.guestsMayRead || isWithin(audience.ids.guests, confirmed) ? undefined : 'guestsInChannel';
  }

  function limitOf(channelId: string): OperatorLimit {
    if (settings.open.includes(channelId)) return 'open';
    if (settings.allowed.length === 0 || isBetweenTwo({ channelId })) return 'none';
    return settings.allowed.includes(channelId) ? 'none' : 'refused';
  }

  /** On Enterprise Grid, another workspace can belong to the same organization, so Slack is asked. */
  function isNamedOutsider({ teamId }: Named): boolean {
    return teamId !== undefined && teamId !== identity.teamId && identity.enterpriseId === undefined;
  }

  function judge(
    userId: string,
    settled: Settled<SlackUser>,
    rules: Rules,
  ): { refusal?: Refusal; locale: { locale?: string } } {
    if ('error' in settled) {
      if (canHelpLater(settled.error)) throw waiting(settled.error);
      log.warn({ event: 'person_not_known', userId, kind: settled.error.kind }, settled.error);
      return { refusal: 'unknownPerson', locale: {} };
    }
    const { kind } = settled.value;
    const locale = localeOf(settled.value);
    const mayAsk =
      kind === 'member' || (kind === 'guest' && rules.guestsMayAsk) || (kind === 'outsider' && rules.outsidersMayAsk);
    if (mayAsk) return { locale };
    return { refusal: kind === 'guest' || kind === 'outsider' ? kind : 'unknownPerson', locale };
  }

  async function known(userId: string): Promise<SlackUser | undefined> {
    const person = await settle(people.person(userId));
    return 'value' in person ? person.value : undefined;
  }
}

/**
 * The operator opens a channel to everyone, also to people of other organizations. An admin's tick lets them read, but
 * not ask.
 */
function rulesOf(limit: OperatorLimit, chosen: ChannelRuleSet | undefined): Rules {
  if (chosen === undefined) return strictRules;
  const { isOn, asking, guestsMayRead, isExternalAllowed } = chosen;
  const guestsMayAsk = asking === 'guests';
  return {
    isOn,
    guestsMayAsk,
    guestsMayRead: guestsMayRead || guestsMayAsk,
    outsidersMayAsk: limit === 'open' && guestsMayAsk && isExternalAllowed,
    othersMayRead: isExternalAllowed,
  };
}

const strictRules: Rules = {
  isOn: true,
  guestsMayAsk: false,
  guestsMayRead: false,
  outsidersMayAsk: false,
  othersMayRead: false,
};

/** A person that Slack says too little about may be anyone, so they count as what the rules do not allow. */
function refusalOfChannel(kind: ChannelKind, settled: Settled<Audience>, rules: Rules): Refusal | undefined {
  const { guestsMayRead, othersMayRead } = rules;
  if (kind === 'unknown') return 'unknownChannel';
  if (guestsMayRead && othersMayRead) return undefined;
  if (kind === 'shared' && !othersMayRead) return 'sharedChannel';
  const audience = resultOf(settled);
  if (!othersMayRead && (audience.outsiders > 0 || audience.organizations > 0)) return 'sharedChannel';
  if (!guestsMayRead && audience.guests > 0) return 'guestsInChannel';
  return audience.isKnown ? undefined : unknownReaders(audience);
}

function unknownReaders({ isTooLarge }: Audience): Refusal {
  return isTooLarge === true ? 'channelTooLarge' : 'unknownChannel';
}

function isWithin(ids: readonly string[], confirmed: readonly string[]): boolean {
  const known = new Set(confirmed);
  return ids.every((id) => known.has(id));
}

function localeOf(person: SlackUser | undefined): { locale?: string } {
  return person?.locale === undefined ? {} : { locale: person.locale };
}

type Settled<Value> = { value: Value } | { error: AppError };

async function settle<Value>(work: Promise<Value>): Promise<Settled<Value>> {
  try {
    return { value: await work };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { error };
  }
}

function resultOf<Value>(settled: Settled<Value>): Value {
  if ('error' in settled) throw waiting(settled.error);
  return settled.value;
}

/** A refused token says nothing about the person. The question waits until the operator fixes the token. */
function canHelpLater(error: AppError): boolean {
  return isTransient(error) || isTokenRefused(error);
}

function waiting(error: AppError): AppError {
  if (isTransient(error)) return error;
  return new AppError('unavailable', 'Slack refuses the token of this app', { cause: error, code: error.code });
}

/** Reads what admins chose for channels. */
export interface ChosenRules {
  /** Undefined for a place without settings. Throws `AppError` of kind `storage`. */
  of(place: Place): Promise<ChannelRuleSet | undefined>;
}

/** Whether plain replies in the place are no questions, whatever its threads say. Errors as of `ChosenRules`. */
export async function takesOnlyMentions(chosen: ChosenRules, place: Place): Promise<boolean> {
  return (await chosen.of(place))?.replies === 'mentions';
}

/** Reads the stored settings at each call, so that a change by any process holds at once. */
export function createChosenRules({
  records,
  log,
}: {
  records: Pick<Records<ChannelSettings>, 'get'>;
  log: Log;
}): ChosenRules {
  return {
    async of(place) {
      if (isBetweenTwo(place)) return undefined;
      try {
        return await records.get(settingsName(place));
      } catch (error) {
        if (!isAppError(error, 'corrupt')) throw error;
        log.error({ event: 'channel_settings_unreadable', channelId: place.channelId }, error);
        return unreadableRules;
      }
    },
  };
}

/** What the settings of a channel decide about its questions. */
export function createChannelRules(options: {
  chosen: ChosenRules;
  records: Pick<Records<ChannelSettings>, 'update'>;
  log: Log;
  now: Clock;
}): ChannelRules {
  const { chosen, records, log, now } = options;
  const renewedMs = new LRUCache<string, number>({ max: mostSettingsRenewed });

  return {
    async forQuestion({ place }) {
      if (isBetweenTwo(place)) return noRules;
      const stored = await chosen.of(place);
      if (stored !== undefined && stored !== unreadableRules) await renew(place);
      const rules = stored ?? usualRules(false);
      return {
        repositories: rules.repositories,
        answersPrivately: rules.answers === 'private',
      };
    },
  };

  /** Begins the settings' lifetime again from time to time, so that those of a channel in use never end. */
  async function renew(place: Place): Promise<void> {
    const name = settingsName(place);
    if (now() - (renewedMs.get(name) ?? 0) < settingsRenewedMs) return;
    renewedMs.set(name, now());
    try {
      await records.update(name, (stored) => ({ ...present(stored) }));
    } catch (error) {
      if (!isAppError(error)) throw error;
      log.debug({ event: 'channel_settings_not_renewed', channelId: place.channelId, kind: error.kind });
    }
  }
}

/** Settings that were removed meanwhile stay removed. */
function present(stored: ChannelSettings | undefined): ChannelSettings {
  if (stored === undefined) throw new AppError('notFound', 'the settings of the channel are gone');
  return stored;
}
