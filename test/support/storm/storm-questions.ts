import type { SlackMessage } from '../../../src/local-slack/messages.ts';
import { people } from '../../../src/local-slack/people.ts';
import { eventually } from '../eventually.ts';
import type { FakeSlack } from '../fake-slack/fake-slack.ts';
import { commandOf, mentionOf, messageOf } from '../local-slack/payloads.ts';
import { buttonsOf, visibleText } from '../world/world.ts';
import type { CommandResult, SlackDeliveries } from './slack-deliveries.ts';

/** Slack accepts about one message a second in each channel, so more questions need more channels. */
const questionsPerChannel = 40;
/**
 * A card that Slack had no room for does not come once its answer is there, and each answer needs a read of its channel, of which the
 * app makes 36 a minute. So the last of many cards or answers appears late.
 */
const cardDelayPerQuestionMs = 1_700;
const sameText = 'Where are retries configured?';

/** The questions of one person in one thread, in order. */
interface AskedThread {
  /** Root of the thread; for a command, its card, which is found by its text. */
  rootTs: string | undefined;
  texts: string[];
}

/** What the service was asked, without what it was told about the channel. */
interface AskedAtService {
  find(text: string): unknown[];
  conversations: { questions: { question: string }[] }[];
}

/** The results of the questions, counted in Slack and at the service. */
export interface Tally {
  asked: number;
  answered: number;
  /** Acknowledged questions without an answer. */
  lost: string[];
  /** Questions with several answers or cards, or asked more often at the service than by people. */
  doubled: string[];
  /** Cards that do not show an end, or still have a button. */
  openCards: string[];
  /** Threads whose questions reached the service in another order or in several conversations. */
  disordered: string[];
}

/** Asks questions like people do: mentions, replies in threads, direct messages and commands. */
export function createStormQuestions(parts: {
  slack: FakeSlack;
  service: AskedAtService;
  deliveries: SlackDeliveries;
  /** Period in which the conversations begin. */
  spreadMs: number;
  /** Number of questions: about half in threads of four, the others alone. */
  count: number;
}) {
  const { slack, service, deliveries, spreadMs, count } = parts;
  const channels = Array.from({ length: Math.ceil(count / questionsPerChannel) }, (_, n) => `C0STORM${n + 1}`);
  const askedThreads: AskedThread[] = [];
  const refusedEvents: string[] = [];
  /** Commands whose acknowledgement was lost: unknown whether the app accepted them. */
  const doubtful: string[] = [];
  const rejected: string[] = [];
  /** Milliseconds from each question that begins a thread to its card, or to its answer if that came first. */
  const cardWaits: number[] = [];
  for (const channel of channels)
    slack.channels.set(channel, { isPrivate: false, botIsMember: true, isArchived: false });

  return { askAll, tally, doubtful, rejected, refusedEvents, cardWaits };

  async function askAll(): Promise<void> {
    const threadCount = Math.floor((count * 12) / 100);
    const directCount = Math.floor((count * 15) / 100);
    const mentionCount = count - 4 * threadCount - 2 * directCount;
    const threads = Array.from({ length: threadCount }, (_, n) => () => askInThread(n));
    const mentions = Array.from(
      { length: mentionCount },
      (_, n) => () => mention(n, n < 12 ? sameText : `Mention ${n}?`, []),
    );
    const directs = Array.from({ length: directCount }, (_, n) => () => direct(n));
    const commands = Array.from({ length: directCount }, (_, n) => () => command(n));
    const beginnings = interleave([threads, mentions, directs, commands]);
    await Promise.all(
      beginnings.map(async (begin, index) => {
        await pause((spreadMs * index) / beginnings.length);
        await begin();
      }),
    );
  }

  function askInThread(n: number): Promise<void> {
    return mention(n, `Thread ${n}, first?`, [`Thread ${n}, second?`, `Thread ${n}, third?`, `Thread ${n}, last?`]);
  }

  async function mention(n: number, text: string, replies: string[]): Promise<void> {
    const channel = channels[n % channels.length] ?? '';
    const user = personOf(n);
    const ts = slack.say(channel, user, text);
    const askedThread: AskedThread = { rootTs: ts, texts: [text] };
    askedThreads.push(askedThread);
    // Slack sends two events for one message.
    await Promise.all([
      deliver(mentionOf({ channel, user, text, ts }), text),
      deliver(messageOf({ channel, user, text: `<@U0BOT> ${text}`, ts }), text),
    ]);
    for (const reply of replies) {
      // People reply once they see the card.
      const sinceMs = performance.now();
      await eventually(
        () => {
          if (!slack.inThread(ts).some(({ bot_id: botId }) => botId !== undefined))
            throw new Error(`no card: ${text}${refusedEvents.includes(text) ? ' (Slack stopped delivering it)' : ''}`);
        },
        { timeoutMs: 60_000 + count * cardDelayPerQuestionMs },
      );
      cardWaits.push(performance.now() - sinceMs);
      const replyTs = slack.say(channel, user, reply, ts);
      askedThread.texts.push(reply);
      await deliver(messageOf({ channel, user, text: reply, ts: replyTs, threadTs: ts }), reply);
    }
  }

  async function direct(n: number): Promise<void> {
    const user = personOf(n);
    const channel = user.replace(/^U/, 'D');
    const text = `Direct ${n}?`;
    const ts = slack.say(channel, user, text);
    askedThreads.push({ rootTs: ts, texts: [text] });
    await deliver(messageOf({ channel, channelType: 'im', user, text, ts }), text);
  }

  /** Slack never repeats a command: the person types it again. */
  async function command(n: number): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const text = `Command ${n}, attempt ${attempt}?`;
      const payload = commandOf({
        text,
        user: personOf(n),
        channel: channels[n % channels.length] ?? '',
        responseUrl: slack.responseUrl(`${n}-${attempt}`),
        triggerId: `${n}.${attempt}.trigger`,
      });
      const result: CommandResult = await deliveries.command(payload);
      if (result === 'accepted') return void askedThreads.push({ rootTs: undefined, texts: [text] });
      (result === 'rejected' ? rejected : doubtful).push(text);
      await pause(1_500);
    }
  }

  async function deliver(body: Record<string, unknown>, text: string): Promise<void> {
    if (!(await deliveries.event(body))) refusedEvents.push(text);
  }

  function tally(): Tally {
    const marked = slack.messages.map((message) => ({ message, marker: markerOf(message) }));
    const counted: Tally = { asked: 0, answered: 0, lost: [], doubled: [], openCards: [], disordered: [] };
    const cards = new Map<string, SlackMessage[]>();
    for (const { message, marker } of marked) {
      if (marker?.isCard === true) cards.set(marker.questionId, [...(cards.get(marker.questionId) ?? []), message]);
    }
    for (const [questionId, [card, ...more]] of cards) {
      if (more.length > 0) counted.doubled.push(`${more.length + 1} cards of ${questionId}`);
      if (card !== undefined && (!visibleText(card).includes('Answered in') || buttonsOf(card.blocks).length > 0)) {
        counted.openCards.push(visibleText(card));
      }
    }
    const answers = marked.filter(({ marker }) => marker?.isCard === false).map(({ message }) => message);
    for (const { rootTs, texts } of askedThreads) {
      for (const text of texts) {
        counted.asked += 1;
        const found = answers.filter(
          (message) =>
            visibleText(message).includes(`"${text}"`) && (rootTs === undefined || message.thread_ts === rootTs),
        );
        if (found.length === 0) counted.lost.push(text);
        else counted.answered += 1;
        if (found.length > 1) counted.doubled.push(`${found.length} answers to ${text}`);
      }
    }
    for (const text of [...doubtful, ...rejected]) {
      const found = answers.filter((message) => visibleText(message).includes(`"${text}"`));
      if (found.length > 1) counted.doubled.push(`${found.length} answers to ${text}`);
      if (found.length === 0 && service.find(text).length > 0) counted.lost.push(text);
      if (rejected.includes(text) && service.find(text).length > 0)
        counted.doubled.push(`${text}, reported as rejected`);
    }
    const texts = askedThreads.flatMap((askedThread) => askedThread.texts);
    for (const text of new Set([...texts, ...doubtful])) {
      const wanted = Math.max(1, texts.filter((other) => other === text).length);
      const asked = service.find(text).length;
      if (asked > wanted) counted.doubled.push(`${text} asked ${asked} times`);
    }
    for (const askedThread of askedThreads.filter((one) => one.texts.length > 1)) {
      const conversation = service.conversations.filter(({ questions }) =>
        questions.some(({ question }) => askedThread.texts.includes(question)),
      );
      const order = conversation.map(({ questions }) => questions.map(({ question }) => question).join(' | '));
      if (order.join(' || ') !== askedThread.texts.join(' | ')) counted.disordered.push(order.join(' || '));
    }
    return counted;
  }
}

function markerOf({ blocks = [] }: SlackMessage): { questionId: string; isCard: boolean } | undefined {
  for (const { block_id: blockId } of blocks) {
    const [, questionId, what] = /^ds:(q[0-9a-f]{24}):(card|\d+:\d+)/.exec(blockId ?? '') ?? [];
    if (questionId !== undefined) return { questionId, isCard: what === 'card' };
  }
  return undefined;
}

function personOf(n: number): string {
  return n % 2 === 0 ? people.ada : people.bob;
}

function interleave<T>(lists: T[][]): T[] {
  return lists
    .flatMap((list) => list.map((item, index) => ({ item, at: index / list.length })))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
