import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { people } from '../../src/local-slack/people.ts';
import { startFakeService } from '../../test/support/fake-service/fake-service.ts';
import { startFakeSlack } from '../../test/support/fake-slack/fake-slack.ts';
import { visibleText } from '../../test/support/world/world.ts';
import { createSoakDesk } from './soak-desk.ts';
import { seededRandom } from './statistics.ts';

// A separate process with the fake servers, so that they do not use the measured process's time. Prints its addresses as
// one line of JSON and runs until SIGTERM. `GET /watched` returns how many conversations were seen since the last
// `POST /watched`, in reads or in lists, and the numbers of reads and lists. After `POST /answers`, new questions are
// answered after times like those of real answers, or after a `share` of them. `GET /answers` returns when each question was answered. `POST /say` says
// messages with mentions in Slack, `POST /answer-all` answers all open questions, and `GET /crowd` returns how many questions
// the service has and what the threads of these messages show. `POST /soak-ask` says one message of the soak, and `GET /soak`
// returns what became of all of them.

const [slack, service] = await Promise.all([startFakeSlack(), startFakeService()]);
let watched = new Set<number>();
let reads = 0;
let lists = 0;
const random = seededRandom(3);
service.scriptFaults((call, conversationId) => {
  if (call === 'read') {
    watched.add(conversationId);
    reads += 1;
  }
  if (call === 'list') lists += 1;
  return undefined;
});
service.onListed((ids) => {
  for (const id of ids) watched.add(id);
});

const sayings = z.object({ mentions: z.number(), channels: z.number() });
const answering = z.object({ share: z.number().optional() });
const soaking = z.object({ n: z.number(), channels: z.number() });
const soakDesk = createSoakDesk(slack, service);
let soaked: object = {};
let roots: { channel: string; ts: string; text: string }[] = [];

const readCounter = createServer(async (request, response) => {
  if (request.method === 'POST' && request.url === '/answers') {
    const { share = 1 } = answering.parse(await json(request));
    service.answerAfter(() => usualDuration() * share);
  } else if (request.url === '/soak-ask') {
    const { n, channels } = soaking.parse(await json(request));
    soaked = soakDesk.ask(n, channels);
  } else if (request.url === '/say') roots = say(sayings.parse(await json(request)));
  else if (request.url === '/answer-all') for (const question of service.questions()) service.answer(question);
  else if (request.method === 'POST') {
    watched = new Set();
    reads = 0;
    lists = 0;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(replyTo(request.url)));
});
await new Promise<void>((resolve) => readCounter.listen(0, '127.0.0.1', resolve));
const { port } = readCounter.address() as AddressInfo;
process.stdout.write(
  `${JSON.stringify({ slackUrl: slack.url, serviceUrl: service.url, deskUrl: `http://127.0.0.1:${port}` })}\n`,
);

function replyTo(path: string | undefined): unknown {
  if (path === '/answers') return answered();
  if (path === '/say') return roots;
  if (path === '/soak-ask') return soaked;
  if (path === '/soak') return soakDesk.tally();
  return path === '/crowd' ? crowd() : { watched: watched.size, reads, lists };
}

function say({ mentions, channels }: z.infer<typeof sayings>): typeof roots {
  return Array.from({ length: mentions }, (_, n) => {
    const channel = `C0CROWD${n % channels}`;
    slack.channels.set(channel, { isPrivate: false, botIsMember: true, isArchived: false });
    const text = `How does part ${n} of the crowd work?`;
    return { channel, text, ts: slack.say(channel, people.ada, text) };
  });
}

function crowd(): object {
  return {
    asked: service.questions().length,
    threads: roots.map(({ ts }) => {
      const shown = slack.inThread(ts).map(visibleText);
      return {
        hasCard: shown.some((text) => /Starting|Searching|Answered in|waiting|running/.test(text)),
        isWorking: shown.some((text) => /Starting|Searching/.test(text)),
        isAnswered: shown.some((text) => text.includes('The answer to')),
      };
    }),
  };
}

async function json(request: IncomingMessage): Promise<unknown> {
  let body = '';
  for await (const chunk of request) body += chunk;
  return JSON.parse(body || '{}');
}

function answered(): [number, number][] {
  return service.conversations
    .flatMap(({ questions }) => questions)
    .filter(({ status }) => status === 'completed')
    .map(({ id, updated_at }) => [id, Date.parse(updated_at)]);
}

/** How long one answer takes, in ms: log-normal, median 35 s, 95th percentile 120 s, at most 300 s (Box-Muller method). */
function usualDuration(): number {
  // 1.6449 is the 95th percentile of the standard normal distribution.
  const deviation = Math.log(120 / 35) / 1.6449;
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.min(300_000, 35_000 * Math.exp(deviation * normal));
}
