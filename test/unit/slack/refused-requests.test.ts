import { createHmac } from 'node:crypto';
import { createServer, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createLibraryLogger } from '../../../src/slack/api/web-client.ts';
import { createHttpReceiver } from '../../../src/slack/receivers/http-receiver.ts';
import { mostUnsignedBytes } from '../../../src/slack/settings.ts';
import { eventually } from '../../support/eventually.ts';
import { listenLocally } from '../../support/fake-service/scripted-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

/** Posts to a receiver, and returns the status and what it logs. */
async function startReceiver() {
  const { log, lines } = createRecordingLog();
  const { handle } = createHttpReceiver({ signingSecret: 'secret', logger: createLibraryLogger(log), log });
  const server = createServer(handle);
  const port = await listenLocally(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const post = async (headers: Record<string, string>, body = '{}') =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { ...json, ...headers }, body })).status;
  return { post, lines, port };
}

const json = { 'content-type': 'application/json' };
const nowSeconds = (): number => Math.floor(Date.now() / 1000);
const signedAt = (seconds: number): Record<string, string> => ({
  'x-slack-request-timestamp': String(seconds),
  'x-slack-signature': `v0=${createHmac('sha256', 'secret').update(`v0:${seconds}:{}`).digest('hex')}`,
});

test('requests of strangers write a line to the log now and then, not one each', async () => {
  const { post, lines } = await startReceiver();
  for (let round = 0; round < 200; round += 1) expect(await post({})).toBe(401);
  expect(lines).toHaveLength(1);
});

test.each([
  ['behind', 600],
  ['ahead', -7_200],
])('a clock that is %s is named with the seconds', async (_, offSeconds) => {
  const { post, lines } = await startReceiver();
  for (let round = 0; round < 3; round += 1) expect(await post(signedAt(nowSeconds() + offSeconds))).toBe(401);
  expect(lines).toEqual([
    {
      event: 'slack_request_refused',
      outcome: 'clock',
      clockAheadSeconds: expect.toSatisfy((seconds: number) => Math.abs(seconds + offSeconds) <= 2),
      refused: 1,
    },
  ]);
});

test.each([
  ['no signature', { 'x-slack-request-timestamp': '1' }],
  ['one of another form', { 'x-slack-request-timestamp': String(nowSeconds()), 'x-slack-signature': 'v0=abc' }],
  ['one of another secret', { ...signedAt(nowSeconds()), 'x-slack-signature': `v0=${'0'.repeat(64)}` }],
])('a request with %s is told from one with a wrong clock', async (_, headers) => {
  const { post, lines } = await startReceiver();
  expect(await post(headers)).toBe(401);
  expect(lines).toEqual([{ event: 'slack_request_refused', outcome: 'signature', refused: 1 }]);
});

test('a body that is too long, or breaks off, says nothing about the signature', async () => {
  const { post, lines, port } = await startReceiver();
  expect(await post({}, 'x'.repeat(mostUnsignedBytes + 1))).toBe(413);
  const headers = { ...json, ...signedAt(nowSeconds()), 'content-length': '100' };
  const cut = request({ host: '127.0.0.1', port, method: 'POST', headers }).on('error', () => {});
  cut.write('{', () => setImmediate(() => cut.destroy()));
  await eventually(() => expect(lines.map(({ outcome }) => outcome)).toEqual(['tooLarge', 'aborted']));
});
