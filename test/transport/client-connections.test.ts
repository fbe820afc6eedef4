import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { json, type Reply } from '../support/fake-service/scripted-server.ts';
import { connect, conversation, errorOf } from './setup.ts';

/** A failure with a body of this many bytes, which optionally never ends. */
function failing(bytes: number, { ends = true } = {}): { reply: Reply; isDropped: () => boolean } {
  let isDropped = false;
  return {
    reply(response) {
      response.socket?.once('close', () => {
        isDropped = true;
      });
      response.writeHead(400, { 'content-type': 'text/html' });
      response.write('x'.repeat(bytes));
      if (ends) response.end();
    },
    isDropped: () => isDropped,
  };
}

test('a failure with a short body leaves its connection for the next call', async () => {
  const { client, server } = await connect({ maxConnections: 1 });
  const { reply, isDropped } = failing(60 * 1024);
  server.script(reply, json(conversation()));
  await errorOf(client.get(7));
  await client.get(7);
  expect(server.connections()).toBe(1);
  expect(isDropped()).toBe(false);
});

test.each([
  ['is long', failing(200 * 1024)],
  ['never ends', failing(10, { ends: false })],
])('the body of a failure that %s is not read to its end', async (_, { reply, isDropped }) => {
  const { client, server } = await connect();
  server.script(reply);
  expect(await errorOf(client.get(7))).toMatchObject({ code: 400 });
  await eventually(() => expect(isDropped()).toBe(true));
});

test('a reply that announces too many bytes is refused before any of them arrive', async () => {
  const { client, server } = await connect({ maxResponseBytes: 100 });
  server.script((response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '101' }).flushHeaders();
  });
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'badReply', code: 'tooLarge', outcomeUnknown: false });
});

test('a reply of exactly the limit is read, with or without its announced length', async () => {
  const body = JSON.stringify(conversation());
  const { client, server } = await connect({ maxResponseBytes: body.length });
  server.script(
    (response) => response.writeHead(200, { 'content-length': String(body.length) }).end(body),
    (response) => {
      response.writeHead(200);
      response.write(body.slice(0, 5));
      response.end(body.slice(5));
    },
  );
  expect(await client.get(7)).toMatchObject({ id: 7 });
  expect(await client.get(7)).toMatchObject({ id: 7 });
});

test('closing the client ends idle connections', async () => {
  const { client, server } = await connect();
  let isDropped = false;
  server.script((response, request) => {
    response.socket?.once('close', () => {
      isDropped = true;
    });
    json(conversation())(response, request);
  });
  await client.get(7);
  await client.close();
  await eventually(() => expect(isDropped).toBe(true));
});

test('an unusable proxy address is named in the cause, not in the message', async () => {
  const failure = await connect({ proxy: { http: 'http://[' } }).catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: 'refused', cause: expect.any(Error) });
});
