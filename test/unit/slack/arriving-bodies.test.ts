import { createServer, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createArrivingBodies } from '../../../src/slack/receivers/http-receiver.ts';
import { eventually } from '../../support/eventually.ts';

/** A server that reads bodies, and clients that send them in pieces. */
async function open(mostBytes: number) {
  const count = createArrivingBodies(mostBytes);
  let began = 0;
  const server = createServer((incoming, response) => {
    began += 1;
    count(incoming, async () => {
      let bytes = 0;
      for await (const chunk of incoming) bytes += Buffer.from(chunk).length;
      return bytes;
    }).then(
      (bytes) => response.end(String(bytes)),
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Sends a first piece. `end` sends the rest and returns what the server read, or that it cut the connection. */
  async function begin(bytes: number) {
    const before = began;
    const outgoing = request({ port, host: '127.0.0.1', method: 'POST', agent: false });
    const outcome = new Promise<string>((resolve) => {
      outgoing.on('response', (reply) => reply.setEncoding('utf8').on('data', resolve));
      outgoing.on('error', () => resolve('cut off'));
    });
    outgoing.write(Buffer.alloc(bytes));
    await eventually(() => expect(began).toBe(before + 1));
    return {
      outcome,
      end: (more: number) => {
        outgoing.end(Buffer.alloc(more));
        return outcome;
      },
    };
  }
  return { begin };
}

test('the body that began first is cut off once all that arrive take too much, and the others are read', async () => {
  const { begin } = await open(1_000);
  const slow = await begin(600);
  const quick = await begin(300);
  expect(await quick.end(50)).toBe('350');
  const later = await begin(300);
  const latest = await begin(300);
  expect(await slow.outcome).toBe('cut off');
  expect(await later.end(10)).toBe('310');
  expect(await latest.end(10)).toBe('310');
});

test('a body alone is cut off where it is too large, and a read one no longer counts', async () => {
  const { begin } = await open(1_000);
  expect(await (await begin(10)).end(2_000)).toBe('cut off');
  for (const _ of [1, 2, 3]) expect(await (await begin(10)).end(900)).toBe('910');
});
