import type { Button, HeaderBlock, HomeView, KnownBlock } from '@slack/types';
import type { Overview, OverviewEntry } from '../core/history/overview.ts';
import type { RecentUsage } from '../core/history/usage.ts';
import { isOverCap } from '../core/question/daily-caps.ts';
import { isBetweenTwo, type Question, type Quota, type Refusal } from '../core/question/question.ts';
import { accessLine, accountBlocks, type ShownAccount } from './accounts.ts';
import { actions, button, context, type RenderedMessage, section } from './blocks.ts';
import { privateContact } from './contact.ts';
import { repositoryLines } from './help.ts';
import { ACTIONS, COMMAND } from './ids.ts';
import { LIMITS } from './limits.ts';
import { type Say, sayIn } from './say.ts';
import { inertCut, mrkdwnLink, permalink, shownText, slackDayTime, slackTime } from './text.ts';

/** Whether the code search service accepts questions, as the app saw it last. */
export type ServiceState = 'fine' | 'refused' | 'unreachable';

/** The content of a person's Home tab. */
export type HomeContent =
  /** The app does not know yet who the person is. */
  | { kind: 'checking' }
  | { kind: 'refused'; reason: Refusal; reference: string }
  | (ReadOverview & {
      kind: 'shown';
      service: ServiceState;
      /** Absent: everyone asks with the app's account. */
      account?: ShownAccount;
      /** The channels of the app that the person may see. Absent if Slack did not say. */
      channels?: ShownChannel[];
      /** What the person's questions can search. Absent if that is not known. */
      repositories?: readonly string[];
      /** The channels in which the person chose to show all answers that they ask with their own access. */
      alwaysHere?: readonly string[];
      /** Only for the people in `ADMINS`. */
      usage?: ShownUsage;
      /** The reference of a press of **Cancel** that failed. */
      notCancelled?: string;
    });

/** A person's questions, or the reference of the failure to read them. */
export type ReadOverview = { overview: Overview } | { unreadable: string };

/** What lists of questions need besides the questions. */
interface ListOptions {
  locale: string | undefined;
  /** The workspace's address, which ends with a slash: `https://acme.slack.com/`. */
  workspaceUrl: string;
}

interface HomeOptions extends ListOptions {
  botUserId: string;
  /** The contact that the operator set, if any. */
  contact?: string;
}

/**
 * Most questions of each kind on Home, and in total in `history`. With the blocks around them they stay within 100
 * blocks.
 */
const mostOpen = 50;
const mostEnded = 20;
const mostAlwaysHere = 5;
const mostInHistory = 20;

/** Most characters, as written, of a question in a list. */
const maxQuestion = 150;
const DAY_MS = 24 * 60 * 60 * 1000;
const everyones: ShownAccount = { kind: 'shared' };
/** Ids of channels that can be named. A direct message has no useful name. */
const channelIds = /^[CG][A-Z0-9]+$/;

/** Renders the Home tab of one person, within Slack's 100 blocks and 250 KB. */
export function renderHome(content: HomeContent, options: HomeOptions): HomeView {
  return { type: 'home', blocks: homeBlocks(content, options).slice(0, LIMITS.homeBlocks) };
}

function homeBlocks(content: HomeContent, options: HomeOptions): KnownBlock[] {
  const say = sayIn(options.locale);
  switch (content.kind) {
    case 'checking':
      return [header(say.home.heading()), context(say.home.checking())];
    case 'refused':
      return [
        header(say.home.heading()),
        section(whyNot(say, content.reason, options.contact)),
        referenceLine(content.reference, say),
      ];
    case 'shown': {
      const questions = [
        header(say.home.heading()),
        section(say.home.intro()),
        actions([askButton(say)]),
        ...notCancelledBlocks(content.notCancelled, say),
        ...questionBlocks(content, say, options),
      ];
      const access = [
        header(say.home.accessHeading()),
        section(accessLines(content, say, options.contact)),
        ...accountBlocks(content.account ?? everyones, say, options.contact),
        ...alwaysHereBlocks(content.alwaysHere, say),
        ...(content.usage === undefined ? [] : [header(say.usage.heading()), ...usageBlocks(content.usage, say)]),
        header(say.home.canHeading()),
        section(say.home.can(COMMAND, `<@${options.botUserId}>`)),
        ...repositoryLines(content.repositories, say).map((line) => section(line)),
      ];
      const room = LIMITS.homeBlocks - questions.length - access.length;
      return [...questions, ...channelBlocks(content.channels, room, say), ...access];
    }
  }
}

/** The newest choices, each with a button that takes it back. */
function alwaysHereBlocks(channels: readonly string[] = [], say: Say): KnownBlock[] {
  const rows = channels.slice(-mostAlwaysHere).map(
    (id): KnownBlock => ({
      ...section(say.home.alwaysHere(`<#${id}>`)),
      accessory: {
        type: 'button',
        action_id: ACTIONS.undoAlwaysHere,
        text: { type: 'plain_text', text: say.home.undo(), emoji: false },
        value: id,
      },
    }),
  );
  const left = channels.length - rows.length;
  return left > 0 ? [...rows, context(say.home.moreAlwaysHere(left))] : rows;
}

function channelBlocks(channels: ShownChannel[] = [], room: number, say: Say): KnownBlock[] {
  const rows = channelRows(channels, room - 1, say);
  return rows.length === 0 ? [] : [header(say.channels.heading()), ...rows];
}

/** Renders a person's newest questions as a private message. */
export function renderHistory(read: ReadOverview, options: ListOptions): RenderedMessage {
  const say = sayIn(options.locale);
  if ('unreadable' in read) {
    const { text, blocks } = said(say.home.historyUnreadable());
    return { text, blocks: [...blocks, referenceLine(read.unreadable, say)] };
  }
  const { overview } = read;
  const entries = [...overview.open, ...overview.ended]
    .toSorted((one, other) => other.question.acceptedMs - one.question.acceptedMs)
    .slice(0, mostInHistory);
  if (entries.length === 0) return said(say.home.historyEmpty(COMMAND));
  const rows = entries.map((entry) => section(rowText(entry, say, options)));
  return { text: say.home.history(), blocks: [section(say.home.history()), ...rows] };
}

function said(text: string): RenderedMessage & { blocks: KnownBlock[] } {
  return { text, blocks: [section(text)] };
}

function referenceLine(reference: string, say: Say): KnownBlock {
  return context(say.failures.reference(reference));
}

function notCancelledBlocks(reference: string | undefined, say: Say): KnownBlock[] {
  return reference === undefined ? [] : [section(say.home.notCancelled()), referenceLine(reference, say)];
}

function questionBlocks(read: ReadOverview, say: Say, options: ListOptions): KnownBlock[] {
  if ('unreadable' in read) {
    return [header(say.home.endedHeading()), section(say.home.unreadable()), referenceLine(read.unreadable, say)];
  }
  const { open, ended } = read.overview;
  const left = open.length - mostOpen;
  const openBlocks = open.slice(0, mostOpen).map((entry) => {
    const stop = stopButton(entry, say);
    const row = section(rowText(entry, say, options));
    return stop === undefined ? row : { ...row, accessory: stop };
  });
  const endedBlocks = ended.slice(0, mostEnded).map((entry) => section(rowText(entry, say, options)));
  const none = open.length === 0 ? say.home.nothingYet() : say.home.nothingEnded();
  return [
    ...(open.length === 0 ? [] : [header(say.home.openHeading())]),
    ...openBlocks,
    ...(left > 0 ? [context(say.home.more(left))] : []),
    header(say.home.endedHeading()),
    ...(ended.length === 0 ? [context(none)] : endedBlocks),
  ];
}

function header(text: string): HeaderBlock {
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

function askButton(say: Say): Button {
  return {
    type: 'button',
    action_id: ACTIONS.askForm,
    text: { type: 'plain_text', text: say.buttons.askQuestion(), emoji: false },
    style: 'primary',
  };
}

/** A question that is already being cancelled has no button. */
function stopButton({ question, view }: OverviewEntry, say: Say): Button | undefined {
  if (view.kind === 'cancelling') return undefined;
  const label = view.kind === 'parked' || view.kind === 'awaitingAccount' ? say.buttons.drop() : say.buttons.cancel();
  return button(label, ACTIONS.cancelOwn, { questionId: question.id });
}

function rowText(entry: OverviewEntry, say: Say, { workspaceUrl }: ListOptions): string {
  const { question } = entry;
  const url = threadUrl(question, workspaceUrl);
  const details = [
    state(entry, say),
    where(question, say),
    slackDayTime(question.acceptedMs, say),
    ...(url === undefined ? [] : [mrkdwnLink(url, say.home.openThread())]),
  ];
  const asked = inertCut(shownText(question.text, say), maxQuestion);
  return [...(asked === '' ? [] : [asked]), details.join(' · ')].join('\n');
}

function state({ question, view }: OverviewEntry, say: Say): string {
  const { home } = say;
  switch (view.kind) {
    case 'queued':
      return home.queued(view.place);
    case 'waitingForSlot':
      return home.waitingForSlot();
    case 'starting':
      return home.starting();
    case 'running':
      return home.running(slackTime(question.upstream.askedMs ?? question.acceptedMs));
    case 'unreachable':
    case 'noReply':
      return home[view.kind]();
    case 'limited':
      return home.limited();
    case 'cancelling':
      return home.cancelling();
    case 'parked':
      // Later than a day after the question, the time alone would suggest the wrong day.
      return home.parked(
        view.untilMs - question.acceptedMs < DAY_MS
          ? say.words.atTime(slackTime(view.untilMs))
          : slackDayTime(view.untilMs, say),
      );
    case 'awaitingAccount':
      return home.awaitingAccount();
    case 'answered':
      return view.isIncomplete === true ? home.answeredInPart(view.durationMs) : home.answered(view.durationMs);
    case 'choosing':
      return home.choosing();
    case 'answeredPrivately':
      return home.answeredPrivately();
    case 'cancelled':
      return home.cancelled();
    case 'failed':
      return question.outcome?.kind === 'undeliverable' ? home.undeliverable() : home.failed();
    case 'gaveUp':
      return home.gaveUp();
    case 'notAllowed':
      return isCapped(question) ? home.overCap() : home.notShown();
    case 'shared':
      return home.shared();
  }
}

function isCapped({ outcome }: Question): boolean {
  return outcome?.kind === 'notAllowed' && isOverCap(outcome.reason);
}

function where({ place }: Question, { home }: Say): string {
  return channelIds.test(place.channelId) ? `<#${place.channelId}>` : home.directMessage();
}

/** Slack's address of the answer, or of the card while there is no answer. */
function threadUrl({ place, card, delivery }: Question, workspaceUrl: string): string | undefined {
  const { channelId, threadTs } = place;
  const ts = delivery.posted[0] ?? card.ts ?? threadTs;
  return ts === undefined ? undefined : permalink(workspaceUrl, { channelId, ts, threadTs });
}

function accessLines(content: Extract<HomeContent, { kind: 'shown' }>, say: Say, contact: string | undefined): string {
  const { service, account = everyones } = content;
  const quota = 'overview' in content ? content.overview.quota : undefined;
  const whose = accessLine(account, say);
  return [
    ...(whose === '' ? [] : [whose]),
    serviceLine(service, say, contact),
    ...(quota === undefined || quota.limit <= 0 ? [] : [quotaLine(quota, say)]),
  ].join('\n');
}

/** Says in one sentence whether the service accepts questions. */
export function serviceLine(service: ServiceState, { home }: Say, contact: string | undefined): string {
  switch (service) {
    case 'fine':
      return home.serviceFine();
    case 'refused':
      return home.serviceRefused(privateContact(contact));
    case 'unreachable':
      return home.serviceUnreachable();
  }
}

/** Says how much of the quota was used when an answer last reported it. */
export function quotaLine({ used, limit, resetAtMs }: Quota, say: Say): string {
  const line = say.home.quota(say.answer.quota(used / limit, used, limit));
  return resetAtMs === undefined ? line : `${line}, ${say.answer.quotaResets(slackDayTime(resetAtMs, say))}`;
}

function whyNot({ home }: Say, reason: Refusal, contact: string | undefined): string {
  const operatorDo = home.operatorDo(privateContact(contact));
  switch (reason) {
    case 'guest':
    case 'outsider':
      return `${home[reason]()} ${operatorDo}`;
    case 'unknownPerson':
    // These are about single questions, never about a person's Home.
    case 'notConnected':
    case 'tooManyWaiting':
    case 'noKeys':
      return home.unknownPerson();
    case 'unknownChannel':
    case 'channelTooLarge':
    case 'sharedChannel':
    case 'guestsInChannel':
    case 'channelRefused':
    case 'personCap':
    case 'channelCap':
    case 'channelOff':
    case 'repositoryRefused':
    case 'repositoryUnknown':
      return `${home.elsewhere()} ${operatorDo}`;
  }
}

/** A channel on Home. `usual`: no admin chose rules for it. */
export interface ShownChannel {
  id: string;
  rules: 'usual' | 'own' | 'off';
}

/** Most channels on Home, so that the tab stays readable. */
const mostChannels = 30;

/** The rows of channels, in at most `room` blocks. Each has a button that opens the channel's settings. */
function channelRows(channels: readonly ShownChannel[], room: number, say: Say): KnownBlock[] {
  const most = Math.min(mostChannels, channels.length <= room ? room : room - 1);
  if (most <= 0) return [];
  const rows = channels.slice(0, most).map(({ id, rules }): KnownBlock => {
    const told = rules === 'usual' ? [] : [rules === 'off' ? say.channels.off() : say.channels.ownRules()];
    return {
      ...section([`<#${id}>`, ...told].join(' · ')),
      accessory: {
        type: 'button',
        action_id: ACTIONS.channelSettings,
        text: { type: 'plain_text', text: say.channels.settings(), emoji: false },
        value: id,
      },
    };
  });
  const left = channels.length - rows.length;
  return left > 0 ? [...rows, context(say.channels.more(left, COMMAND))] : rows;
}

const mostChannelsOfUsage = 3;

/** What an admin sees of the recent use. `counting`: there are no numbers yet. */
export type ShownUsage = RecentUsage | 'counting';

function usageBlocks(usage: ShownUsage, { usage: said }: Say): KnownBlock[] {
  if (usage === 'counting') return [section(said.counting())];
  const { total, channels } = usage;
  const { medianMs, p95Ms, credits, votesUp, votesDown } = total;
  const busiest = channels
    .filter(({ name, questions }) => questions > 0 && !isBetweenTwo({ channelId: name }))
    .slice(0, mostChannelsOfUsage)
    .map(({ name, questions }) => said.channel(`<#${name}>`, questions));
  const more = [...(credits === undefined ? [] : [said.credits(Math.round(credits))]), said.votes(votesUp, votesDown)];
  return [
    section(
      [
        said.counts(total.questions, total.answers, total.failures),
        ...(medianMs === undefined || p95Ms === undefined ? [] : [said.times(medianMs, p95Ms)]),
        more.join(' · '),
        ...(busiest.length === 0 ? [] : [`${said.busiest()} ${busiest.join(', ')}`]),
      ].join('\n'),
    ),
    context(said.onlyAdmins()),
  ];
}
