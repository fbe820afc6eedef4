import type { InputBlock, KnownBlock, ModalView, Option } from '@slack/types';
import type { ChannelRuleSet } from '../core/channels/channel-settings.ts';
import { mostRepositories } from '../core/settings.ts';
import { context, section } from './blocks.ts';
import { FORMS } from './ids.ts';
import { LIMITS } from './limits.ts';
import { input, option, plain } from './modals.ts';
import { type Say, sayIn } from './say.ts';
import { namesOf, slackDayTime } from './text.ts';

/** The fields of the form. Each name is both block id and action id. */
export const SETTINGS_FIELDS = {
  switch: 'settings_switch',
  people: 'settings_people',
  external: 'settings_external',
  repositories: 'settings_repositories',
  replies: 'settings_replies',
  answers: 'settings_answers',
} as const;

/** The values of the choice of who may ask and read. */
export const PEOPLE = { members: 'members', guestsRead: 'guests_read', guestsAsk: 'guests_ask' } as const;

/** Most characters of the names of repositories in a text. */
const MAX_NAMES = 1_500;

/** What is shown of a channel's settings. */
export interface ShownSettings {
  channelId: string;
  rules: ChannelRuleSet;
  /** Who changed them last and when. Absent: no one yet. */
  changed?: { byUserId: string; atMs: number } | undefined;
  /** The stored settings can't be read, and `rules` are the usual ones. The reference of the logged failure. */
  unreadable?: string;
  /** What the operator's settings say about the channel. */
  limit: 'refused' | 'open' | 'none';
  contact: string | undefined;
}

/** Renders the form that changes a channel's settings. */
export function renderSettingsForm(shown: ShownSettings, locale: string | undefined): ModalView {
  const say = sayIn(locale);
  const { channels } = say;
  const { rules, channelId, changed } = shown;
  const text = rules.repositories.join('\n');
  const external = option(channels.externalAllowed(), 'allowed');
  return {
    type: 'modal',
    callback_id: FORMS.channelSettings,
    private_metadata: settingsMetadata({ channelId, shownMs: changed?.atMs ?? 0 }),
    title: plain(channels.title()),
    submit: plain(channels.save()),
    close: plain(say.buttons.cancel()),
    blocks: [
      ...introduction(shown, say),
      radio(SETTINGS_FIELDS.switch, channels.switch(), rules.isOn ? 'on' : 'off', [
        option(channels.isOn(), 'on'),
        option(channels.isOff(), 'off'),
      ]),
      radio(SETTINGS_FIELDS.people, channels.people(), peopleOf(rules), [
        option(channels.members(), PEOPLE.members),
        option(channels.guestsRead(), PEOPLE.guestsRead),
        option(channels.guestsAsk(), PEOPLE.guestsAsk),
      ]),
      {
        ...tick(SETTINGS_FIELDS.external, channels.external(), external, rules.isExternalAllowed),
        hint: plain(channels.externalHint()),
      },
      {
        ...input(SETTINGS_FIELDS.repositories, channels.repositories(), {
          type: 'plain_text_input',
          action_id: SETTINGS_FIELDS.repositories,
          multiline: true,
          max_length: LIMITS.inputText,
          ...(text === '' ? {} : { initial_value: text.slice(0, LIMITS.inputText) }),
        }),
        optional: true,
        hint: plain(channels.repositoriesHint(mostRepositories)),
      },
      radio(SETTINGS_FIELDS.replies, channels.replies(), rules.replies, [
        option(channels.followUps(), 'followUps'),
        option(channels.onlyMentions(), 'mentions'),
      ]),
      radio(SETTINGS_FIELDS.answers, channels.answers(), rules.answers, [
        option(channels.inThread(), 'thread'),
        option(channels.privately(), 'private'),
      ]),
    ],
  };
}

/** Renders the same settings for people who may not change them. */
export function renderSettings(shown: ShownSettings, locale: string | undefined): ModalView {
  const say = sayIn(locale);
  const { channels } = say;
  const { rules } = shown;
  const people = { members: channels.members, guests_read: channels.guestsRead, guests_ask: channels.guestsAsk };
  const lines: [string, string][] = [
    [channels.switch(), rules.isOn ? channels.isOn() : channels.isOff()],
    [channels.people(), people[peopleOf(rules)]()],
    [channels.external(), rules.isExternalAllowed ? channels.externalAllowed() : channels.externalRefused()],
    [
      channels.repositories(),
      rules.repositories.length === 0 ? channels.allRepositories() : namesOf(rules.repositories, MAX_NAMES, say),
    ],
    [channels.replies(), rules.replies === 'mentions' ? channels.onlyMentions() : channels.followUps()],
    [channels.answers(), rules.answers === 'private' ? channels.privately() : channels.inThread()],
  ];
  return {
    type: 'modal',
    title: plain(channels.title()),
    close: plain(say.buttons.close()),
    blocks: [
      ...introduction(shown, say),
      ...lines.map(([label, value]) => section(`*${label}*\n${value}`)),
      context(channels.readOnly()),
    ],
  };
}

/** The metadata of the form: its channel, and when the settings it shows were changed. 0: never. */
export interface SettingsMetadata {
  channelId: string;
  shownMs: number;
}

const METADATA = /^([A-Z0-9]{2,30}) (\d{1,15})$/;

function settingsMetadata({ channelId, shownMs }: SettingsMetadata): string {
  return `${channelId} ${shownMs}`;
}

/** Parses the metadata of a form. Undefined for metadata that this app did not write. */
export function parseSettingsMetadata(raw: string): SettingsMetadata | undefined {
  const [, channelId, shownMs] = METADATA.exec(raw) ?? [];
  return channelId === undefined ? undefined : { channelId, shownMs: Number(shownMs) };
}

function introduction(shown: ShownSettings, say: Say): KnownBlock[] {
  const { channelId, limit, contact } = shown;
  const { channels } = say;
  return [
    section(channels.intro(`<#${channelId}>`)),
    ...history(shown, say),
    ...(limit === 'refused' ? [section(channels.refusedByOperator(contact))] : []),
    ...(limit === 'open' ? [section(channels.openByOperator())] : []),
  ];
}

function history({ changed, unreadable }: ShownSettings, say: Say): KnownBlock[] {
  const { channels } = say;
  if (unreadable !== undefined) {
    return [section(channels.unreadableForm()), context(say.failures.reference(unreadable))];
  }
  if (changed === undefined) return [context(channels.neverChanged())];
  return [context(channels.lastChange(`<@${changed.byUserId}>`, slackDayTime(changed.atMs, say)))];
}

function peopleOf({ asking, guestsMayRead }: ChannelRuleSet): (typeof PEOPLE)[keyof typeof PEOPLE] {
  if (asking === 'guests') return PEOPLE.guestsAsk;
  return guestsMayRead ? PEOPLE.guestsRead : PEOPLE.members;
}

function radio(id: string, label: string, chosen: string, options: (Option & { value: string })[]): InputBlock {
  const initial = options.find(({ value }) => value === chosen);
  return input(id, label, {
    type: 'radio_buttons',
    action_id: id,
    options,
    initial_option: initial,
  });
}

function tick(id: string, label: string, only: Option & { value: string }, isTicked: boolean): InputBlock {
  return {
    ...input(id, label, {
      type: 'checkboxes',
      action_id: id,
      options: [only],
      ...(isTicked ? { initial_options: [only] } : {}),
    }),
    optional: true,
  };
}
