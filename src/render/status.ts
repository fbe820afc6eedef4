import type { OverviewEntry } from '../core/history/overview.ts';
import type { CardView } from '../core/ports.ts';
import type { Quota, Thread } from '../core/question/question.ts';
import { accessWords } from './answer.ts';
import { context, type RenderedMessage, sections } from './blocks.ts';
import { quotaLine, type ServiceState, serviceLine } from './home.ts';
import { type Say, sayIn } from './say.ts';
import { inertCut, mrkdwnLink, shownText, slackDayTime } from './text.ts';

/**
 * What runs and waits in a place. `elsewhere` has the reader's own questions in other places, for the status of a whole
 * channel.
 */
export interface StatusView {
  of: 'thread' | 'channel' | 'direct';
  open: OverviewEntry[];
  elsewhere: OverviewEntry[];
  /** The share URL of the conversation in this place. */
  conversationUrl?: string;
  rule: PlaceRule;
  service: ServiceState;
  /** The quota as the reader's newest answer reported it. */
  quota?: Quota;
}

/** Most questions listed of each kind, and most characters quoted of each. */
const mostListed = 10;
const quotedLength = 100;

/** A longer address would leave no room for the list next to it. */
const longestLink = 500;

/** Renders what runs and waits, for one reader. */
export function renderStatus(
  view: StatusView,
  reader: { userId: string; locale: string | undefined; botUserId: string; contact?: string | undefined },
): RenderedMessage {
  const say = sayIn(reader.locale);
  const here = [heading(view, say), ...listed(view.open, say, ({ question }) => asker(question.askerId, reader, say))];
  const link = view.conversationUrl;
  if (link !== undefined && link.length <= longestLink)
    here.push(say.status.conversation(mrkdwnLink(link, say.words.openInDeepSearch())));
  const elsewhere = [
    say.status.elsewhere(),
    ...listed(view.elsewhere, say, ({ question }) => where(question.place.channelId, say)),
  ];
  return {
    text: heading(view, say),
    blocks: [
      ...sections(here),
      ...(view.elsewhere.length === 0 ? [] : sections(elsewhere)),
      context(sayRule(say, view.rule, `<@${reader.botUserId}>`)),
      context(
        [
          serviceLine(view.service, say, reader.contact),
          ...(hasLimit(view.quota) ? [quotaLine(view.quota, say)] : []),
        ].join('\n'),
      ),
    ],
  };
}

function heading({ of }: StatusView, { status }: Say): string {
  if (of === 'direct') return status.inDirect();
  return of === 'thread' ? status.inThread() : status.inChannel();
}

function listed(entries: OverviewEntry[], say: Say, more: (entry: OverviewEntry) => string): string[] {
  if (entries.length === 0) return [say.status.nothing()];
  const lines = entries.slice(0, mostListed).map((entry) => {
    const text = inertCut(shownText(entry.question.text, say), quotedLength);
    return `• ${[text, state(entry.view, say), more(entry), ...accessWords(entry.question, say)].join(' · ')}`;
  });
  return entries.length > mostListed ? [...lines, say.status.more(entries.length - mostListed)] : lines;
}

function asker(askerId: string, reader: { userId: string }, { status }: Say): string {
  return askerId === reader.userId ? status.askedByYou() : status.askedBy(`<@${askerId}>`);
}

/** Direct messages have no name that Slack would show. */
function where(channelId: string, { status }: Say): string {
  return channelId.startsWith('D') ? status.directMessages() : `<#${channelId}>`;
}

function state(view: CardView, say: Say): string {
  const { status } = say;
  switch (view.kind) {
    case 'queued':
      return status.queued(view.place);
    case 'running':
      return status.running(view.elapsedMs);
    case 'parked':
      return status.parked(slackDayTime(view.untilMs, say));
    case 'waitingForSlot':
    case 'awaitingAccount':
    case 'starting':
    case 'unreachable':
    case 'noReply':
    case 'limited':
    case 'cancelling':
      return status[view.kind]();
    default:
      return status.ending();
  }
}

function hasLimit(quota: Quota | undefined): quota is Quota {
  return quota !== undefined && quota.limit > 0;
}

/** How the app generally handles messages in a place. `channelUnknown`: it is not known whether the app is in the channel. */
export type PlaceRule =
  | 'direct'
  | 'replies'
  | 'muted'
  | 'onlyMentions'
  | 'peoplesThread'
  | 'channel'
  | 'channelUnknown'
  | 'notInChannel';

/**
 * The rule of a place outside direct messages that the app is in. `thread` is the stored record, for a place in a thread. `onlyMentions` is
 * the choice of the channel's settings.
 */
export function ruleOf(isInThread: boolean, thread: Thread | undefined, onlyMentions = false): PlaceRule {
  if (!isInThread) return 'channel';
  if (thread?.followsReplies !== true) return 'peoplesThread';
  if (onlyMentions) return 'onlyMentions';
  return thread.muted === true ? 'muted' : 'replies';
}

/** Says the rule. `bot` is the mention of the app. */
export function sayRule({ why }: Say, rule: PlaceRule, bot: string): string {
  switch (rule) {
    case 'direct':
      return why.ruleDirect();
    case 'replies':
      return why.ruleReplies();
    case 'muted':
      return why.ruleMuted(bot);
    case 'onlyMentions':
      return why.ruleOnlyMentions();
    case 'peoplesThread':
      return why.rulePeoplesThread();
    case 'channel':
      return why.ruleChannel();
    case 'channelUnknown':
      return why.ruleChannelUnknown();
    case 'notInChannel':
      return why.ruleNotInChannel(bot);
  }
}
