import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startFakeService } from '../support/fake-service/fake-service.ts';
import { startFakeSlack } from '../support/fake-slack/fake-slack.ts';

// A separate process with the fake servers, so that they do not use the measured process's time. Prints its addresses as
// one line of JSON and runs until SIGTERM. `GET /watched` returns how many conversations were read since the last
// `POST /watched`, and the number of reads.

const [slack, service] = await Promise.all([startFakeSlack(), startFakeService()]);
let watched = new Set<number>();
let reads = 0;
service.scriptFaults((call, conversationId) => {
  if (call === 'read') {
    watched.add(conversationId);
    reads += 1;
  }
  return undefined;
});

const readCounter = createServer((request, response) => {
  if (request.method === 'POST') {
    watched = new Set();
    reads = 0;
  }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ watched: watched.size, reads }));
});
await new Promise<void>((resolve) => readCounter.listen(0, '127.0.0.1', resolve));
const { port } = readCounter.address() as AddressInfo;
process.stdout.write(
  `${JSON.stringify({ slackUrl: slack.url, serviceUrl: service.url, deskUrl: `http://127.0.0.1:${port}` })}\n`,
);
