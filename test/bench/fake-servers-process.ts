import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startFakeService } from '../support/fake-service/fake-service.ts';
import { startFakeSlack } from '../support/fake-slack/fake-slack.ts';
import { usualDuration } from './pacing-simulation.ts';
import { seededRandom } from './statistics.ts';

// A separate process with the fake servers, so that they do not use the measured process's time. Prints its addresses as
// one line of JSON and runs until SIGTERM. `GET /watched` returns how many conversations were seen since the last
// `POST /watched`, in reads or in lists, and the numbers of reads and lists. After `POST /answers`, new questions are
// answered after times like those of real answers. `GET /answers` returns when each question was answered.

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

const readCounter = createServer((request, response) => {
  if (request.method === 'POST' && request.url === '/answers') service.answerAfter(() => usualDuration(random));
  else if (request.method === 'POST') {
    watched = new Set();
    reads = 0;
    lists = 0;
  }
  const body = request.url === '/answers' ? answered() : { watched: watched.size, reads, lists };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
await new Promise<void>((resolve) => readCounter.listen(0, '127.0.0.1', resolve));
const { port } = readCounter.address() as AddressInfo;
process.stdout.write(
  `${JSON.stringify({ slackUrl: slack.url, serviceUrl: service.url, deskUrl: `http://127.0.0.1:${port}` })}\n`,
);

function answered(): [number, number][] {
  return service.conversations
    .flatMap(({ questions }) => questions)
    .filter(({ status }) => status === 'completed')
    .map(({ id, updated_at }) => [id, Date.parse(updated_at)]);
}
