import type { SlackMessage } from '../../src/local-slack/messages.ts';
import { people } from '../../src/local-slack/people.ts';
import type { FakeService } from '../../test/support/fake-service/fake-service.ts';
import type { FakeSlack } from '../../test/support/fake-slack/fake-slack.ts';

const scanEveryMs = 50;
/** More than the app posts between two scans. */
const newestScanned = 300;

/** What became of one question of the soak. Times are epoch milliseconds, as exact as the scans. */
export interface SoakedQuestion {
  text: string;
  /** How often the service has it. */
  asked: number;
  cards: number;
  answers: number;
  cardMs?: number | undefined;
  /** When the service had the answer, and when Slack showed it. */
  completedMs?: number | undefined;
  answerMs?: number | undefined;
  /** Whether a card says that the app works. */
  isWorking: boolean;
}

/** Says messages with questions in Slack, and notes what the app does with them. Scans for new messages until `stop`. */
export function createSoakDesk(slack: FakeSlack, service: FakeService) {
  const texts = new Map<string, string>();
  const seenMs = new Map<string, number>();
  const timer = setInterval(scan, scanEveryMs);

  return { ask, tally, stop: () => clearInterval(timer) };

  function ask(n: number, channels: number): { channel: string; ts: string; text: string } {
    const channel = `C0SOAK${n % channels}`;
    slack.channels.set(channel, { isPrivate: false, botIsMember: true, isArchived: false });
    const text = `How does part ${n} of the soak work?`;
    const ts = slack.say(channel, people.ada, text);
    texts.set(ts, text);
    return { channel, ts, text };
  }

  function scan(): void {
    const nowMs = Date.now();
    for (const { ts } of slack.messages.slice(-newestScanned)) if (!seenMs.has(ts)) seenMs.set(ts, nowMs);
  }

  function tally(): SoakedQuestion[] {
    const threads = new Map<string, SlackMessage[]>();
    for (const message of slack.messages) {
      const { thread_ts: at, bot_id: bot } = message;
      if (at !== undefined && bot !== undefined) threads.set(at, [...(threads.get(at) ?? []), message]);
    }
    const asked = new Map<string, ReturnType<FakeService['questions']>>();
    for (const each of service.questions()) asked.set(each.question, [...(asked.get(each.question) ?? []), each]);
    return [...texts].map(([ts, text]) => {
      const messages = threads.get(ts) ?? [];
      const cards = messages.filter((message) => markerOf(message) === 'card');
      const answers = messages.filter((message) => markerOf(message) === 'answer');
      const known = asked.get(text) ?? [];
      const completed = known.find(({ status }) => status === 'completed');
      return {
        text,
        asked: known.length,
        cards: cards.length,
        answers: answers.length,
        cardMs: seenMs.get(cards[0]?.ts ?? ''),
        completedMs: completed && Date.parse(completed.updated_at),
        answerMs: seenMs.get(answers[0]?.ts ?? ''),
        isWorking: cards.some(({ blocks }) => /Starting|Searching/.test(JSON.stringify(blocks))),
      };
    });
  }
}

/** The first part of an answer counts as the answer. */
function markerOf({ blocks = [] }: SlackMessage): 'card' | 'answer' | undefined {
  const ids = blocks.map(({ block_id: id = '' }) => id);
  if (ids.some((id) => /^ds:q[0-9a-f]{24}:card/.test(id))) return 'card';
  return ids.some((id) => /^ds:q[0-9a-f]{24}:0:0/.test(id)) ? 'answer' : undefined;
}
