import { expect, test } from 'vitest';
import { createDeepSearch } from '../../src/service/generation-1/deep-search.ts';
import { json, type Reply, status, text } from '../support/fake-service/scripted-server.ts';
import { connect, conversation, errorOf, question } from './setup.ts';

const token = '0b7e9c1a-3d52-4f6e-9a10-c0ffee000001';

async function connectPort() {
  const { client, server } = await connect();
  return { server, codeSearch: createDeepSearch(client, server.origin) };
}

function shared(fields: Record<string, unknown> = {}) {
  return conversation({ read_token: token, share_url: `/deepsearch/${token}`, ...fields });
}

const envelopes: [string, (each: object[]) => unknown][] = [
  ['an array', (each) => each],
  ['conversations', (conversations) => ({ conversations })],
  ['nodes', (nodes) => ({ nodes })],
];

test.each(envelopes)('a shared conversation is found in %s', async (_name, wrap) => {
  const { codeSearch, server } = await connectPort();
  const answered = question({ status: 'completed', title: 'Where it is', answer: 'In [a.go](/o/r/-/blob/a.go).' });
  server.script(json(wrap([shared({ questions: [answered] })])));
  await expect(codeSearch.byReadToken(token)).resolves.toMatchObject({
    id: 7,
    shareUrl: `${server.origin}/deepsearch/${token}`,
    questions: [{ title: 'Where it is', answer: `In [a.go](${server.origin}/o/r/-/blob/a.go).` }],
  });
  expect(server.requests.map(({ url }) => url)).toEqual([`/.api/deepsearch/v1?filter_read_token=${token}`]);
});

test.each([
  ['by its share URL where the token is missing', shared({ read_token: null })],
  ['by a token in other letter case', shared({ read_token: token.toUpperCase() })],
])('a conversation is recognized %s', async (_name, found) => {
  const { codeSearch, server } = await connectPort();
  server.script(json([found]));
  await expect(codeSearch.byReadToken(token)).resolves.toMatchObject({ id: 7 });
});

const nothing: [string, unknown][] = [
  ['an empty list', []],
  ['no list', { conversations: null }],
  ['other people’s conversations', [shared({ id: 8, read_token: 'another', share_url: '/deepsearch/another' })]],
  ['conversations without any token', [conversation({ id: 8 })]],
];

test.each(nothing)('a reply with %s contains no conversation', async (_name, reply) => {
  const { codeSearch, server } = await connectPort();
  server.script(json(reply));
  expect(await errorOf(codeSearch.byReadToken(token))).toMatchObject({ kind: 'notFound' });
});

const failures: [string, Reply, string][] = [
  ['401', status(401), 'unauthorized'],
  ['403', status(403), 'unauthorized'],
  ['404', status(404), 'notFound'],
  ['400', status(400), 'refused'],
  ['429', status(429), 'rateLimited'],
  ['an envelope without a list', json({ count: 1 }), 'badReply'],
  ['a conversation without an id', json([{ questions: [] }]), 'badReply'],
  ['a page of HTML', text('<html></html>', 'text/html'), 'badReply'],
];

test.each(failures)('the error says what %s means, and never the token', async (_name, reply, kind) => {
  const { codeSearch, server } = await connectPort();
  server.script(reply, reply, reply);
  const error = await errorOf(codeSearch.byReadToken(token));
  expect(error).toMatchObject({ kind });
  expect(`${error.message} ${String(error.cause)}`).not.toContain(token);
});
