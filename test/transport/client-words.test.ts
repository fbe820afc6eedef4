import { expect, test } from 'vitest';
import { hangUp, json, type Reply, text } from '../support/fake-service/scripted-server.ts';
import { connect, conversation, errorOf, question } from './setup.ts';

const secret = 'a private answer';

test.each<[string, Reply, RegExp]>([
  ['a page', text(`<p>${secret}</p>`, 'Text/HTML; charset=utf-8'), /an HTML page$/],
  ['a page with JSON in it', text(JSON.stringify(conversation()), 'text/html'), /an HTML page$/],
  ['half an object', text(`{"answer": "${secret}`, 'application/json'), /invalid JSON$/],
  ['a list', json([secret]), /the wrong shape: .* at the top$/],
  ['a question without its id', json(conversation({ questions: [question({ id: secret })] })), /at questions\.0\.id$/],
])('the log names the problem of %s and its place, and nothing of the content', async (_, reply, words) => {
  const { client, server } = await connect();
  server.script(reply);
  const error = await errorOf(client.get(7));
  expect(error).toMatchObject({ kind: 'badReply', outcomeUnknown: false });
  expect(error.message).toMatch(words);
  expect(error.message).toMatch(/^GET \/\.api\/deepsearch\/v1\/7 answered with /);
  expect(`${error.message} ${error.cause}`).not.toContain(secret);
});

test('the error of a failure names its request, without the question', async () => {
  const { client, server } = await connect();
  server.script(hangUp);
  const error = await errorOf(client.create(secret));
  expect(error.message).toMatch(/^POST \/\.api\/deepsearch\/v1: /);
  expect(error.message).not.toContain(secret);
});

test('creating and following up request a reply before the answer is ready', async () => {
  const { client, server } = await connect();
  server.script(json(conversation(), 202), json(question(), 202), json(conversation()));
  await client.create('where?');
  await client.addQuestion(7, 'and?');
  await client.get(7);
  expect(server.requests.map(({ headers }) => headers.prefer)).toEqual(['respond-async', 'respond-async', undefined]);
});

test('the GraphQL queries request the fields that are read', async () => {
  const { client, server } = await connect();
  server.script(json({ data: { currentUser: { username: 'ada' } } }));
  await client.currentUser();
  const queries = server.requests.map(({ body }) => (JSON.parse(body) as { query: string }).query.replace(/\s+/g, ' '));
  expect(queries).toEqual([expect.stringContaining('{ currentUser { username } }')]);
});

test('errors of a query are a refusal with a separate code, and data of another shape is a bad reply', async () => {
  const { client, server } = await connect();
  server.script(json({ errors: [{ message: secret }, {}] }), json({ data: { currentUser: {} } }));
  const refused = await errorOf(client.currentUser());
  expect(refused).toMatchObject({ kind: 'refused', code: 'graphql', outcomeUnknown: false });
  expect(refused.message).not.toContain(secret);
  const bad = await errorOf(client.currentUser());
  expect(bad).toMatchObject({ kind: 'badReply' });
  expect(bad.message).toMatch(/the wrong shape: .* at currentUser\.username$/);
});
