import { describe, expect, test } from 'vitest';
import { type DeepSearchAdapter, isApiGone } from '../../src/service/generation.ts';
import { createGeneration1 } from '../../src/service/generation-1/deep-search.ts';
import { type Reply, status, text } from '../support/fake-service/scripted-server.ts';
import { targetOf } from '../support/service/cancel-target.ts';
import { connectService, errorOf } from './setup.ts';

const calls: [string, (deepSearch: DeepSearchAdapter) => Promise<unknown>][] = [
  ['a creation', (deepSearch) => deepSearch.create('where?')],
  ['a follow-up', (deepSearch) => deepSearch.followUp(7, 'and?')],
  ['a read', (deepSearch) => deepSearch.read(7)],
  ['a read by token', (deepSearch) => deepSearch.byReadToken('t')],
  ['a search', (deepSearch) => deepSearch.newest(10, 0)],
  ['a cancellation', (deepSearch) => deepSearch.cancel(7, targetOf({ id: 11 }))],
  ['a deletion', (deepSearch) => deepSearch.delete(7)],
];

async function connectPort() {
  const { service, server } = await connectService();
  return { server, deepSearch: createGeneration1(service, server.origin).deepSearch };
}

describe('the text "no route" with the status 404', () => {
  test.each(calls)('says to %s that the instance has no first generation, and is not retried', async (_name, call) => {
    const { deepSearch, server } = await connectPort();
    server.script(text('no route\n', 'text/plain; charset=utf-8', 404));
    const error = await errorOf(call(deepSearch));
    expect(isApiGone(error)).toBe(true);
    expect(error).toMatchObject({ kind: 'notFound', outcomeUnknown: false });
    expect(server.requests).toHaveLength(1);
  });
});

const others: [string, Reply][] = [
  ['404 without a body', status(404)],
  ['404 with other words', text('no route to this conversation', 'text/plain', 404)],
  ['404 as JSON', text('{"message":"no route"}', 'application/json', 404)],
  ['404 with a page longer than 64 KiB', text('x'.repeat(200_000), 'text/html', 404)],
  ['405', text('no route', 'text/plain', 405)],
  ['a page of HTML', text('<p>no route</p>', 'text/html')],
];

test.each(others)('%s does not say that the first generation is gone', async (_name, reply) => {
  const { deepSearch, server } = await connectPort();
  server.script(reply);
  expect(isApiGone(await errorOf(deepSearch.read(7)))).toBe(false);
});

test('a 404 whose text breaks off is an incomplete reply, which is read again', async () => {
  const { deepSearch, server } = await connectPort();
  const cutOff: Reply = (response) => {
    response.writeHead(404, { 'content-type': 'text/plain', 'content-length': '8' });
    response.write('no', () => response.destroy());
  };
  server.script(cutOff, status(404));
  expect(await errorOf(deepSearch.read(7))).toMatchObject({ kind: 'notFound', code: 404 });
  expect(server.requests).toHaveLength(2);
});
