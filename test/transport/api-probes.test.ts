import { expect, onTestFinished, test } from 'vitest';
import type { Offers } from '../../src/deepsearch/probes.ts';
import { createProbes } from '../../src/deepsearch/probes.ts';
import {
  hangUp,
  json,
  type Reply,
  type ScriptedServer,
  status,
  text,
} from '../support/fake-service/scripted-server.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { openServer, SECRET } from './setup.ts';

interface Instance {
  version: Reply;
  generation1: Reply;
  generation2: Reply;
}

const noRoute = text('no route\n', 'text/plain', 404);
const noMethod = status(405, { allow: 'GET, HEAD' });
const page = text('<html></html>', 'text/html', 200);
const list1 = json({ conversations: [], page_info: { has_next_page: false } });
const list2 = json({});

/** Replies to the three requests of one round by their path, because their order is not known. */
function scriptRound(server: ScriptedServer, { version, generation1, generation2 }: Instance): void {
  const reply: Reply = (response, request) => {
    if (request.url.includes('__version')) version(response, request);
    else if (request.url.includes('/.api/')) generation1(response, request);
    else generation2(response, request);
  };
  server.script(reply, reply, reply);
}

async function connect(path = '') {
  const server = await openServer();
  const { log, lines } = createRecordingLog();
  const baseUrl = server.origin + path;
  const probes = createProbes({ baseUrl, auth: { kind: 'token', token: SECRET }, userAgentVersion: '1.2.3' }, log);
  onTestFinished(() => probes.close());
  return { server, probes, lines };
}

function version(value: string): Reply {
  return text(`${value}\n`, 'text/plain; charset=utf-8');
}

test('a round is three reads: the version without a token, and one conversation of each generation', async () => {
  const { server, probes } = await connect('/code');
  scriptRound(server, { version: version('7.0.0'), generation1: list1, generation2: list2 });
  expect(await probes.all()).toEqual({ offers: { 1: 'yes', 2: 'yes' }, version: '7.0.0' });
  const sent = new Map(
    server.requests.map(({ method, url, headers, body }) => [
      `${method} ${url}`,
      {
        authorization: headers.authorization,
        requestedWith: headers['x-requested-with'],
        connect: headers['connect-protocol-version'],
        type: headers['content-type'],
        body,
      },
    ]),
  );
  const bare = { requestedWith: 'deepsearch-slack 1.2.3', connect: undefined, type: undefined, body: '' };
  const authorization = `token ${SECRET}`;
  expect([...sent.keys()].toSorted()).toEqual([
    'GET /code/.api/deepsearch/v1?page_first=1',
    'GET /code/__version',
    'POST /code/api/deepsearch.v1.Service/ListConversationSummaries',
  ]);
  expect(sent.get('GET /code/__version')).toEqual({ ...bare, authorization: undefined });
  expect(sent.get('GET /code/.api/deepsearch/v1?page_first=1')).toEqual({ ...bare, authorization });
  expect(sent.get('POST /code/api/deepsearch.v1.Service/ListConversationSummaries')).toEqual({
    ...bare,
    authorization,
    connect: '1',
    type: 'application/json',
    body: '{"parent":"users/~self","pageSize":1}',
  });
});

test.each<[string, Instance, Offers]>([
  ['6.12', { version: version('6.12.0'), generation1: list1, generation2: noMethod }, { 1: 'yes', 2: 'no' }],
  [
    '6.12 with a page for unknown paths',
    { version: version('6.12.0'), generation1: list1, generation2: page },
    { 1: 'yes', 2: 'no' },
  ],
  ['7.x', { version: version('7.2.0'), generation1: list1, generation2: list2 }, { 1: 'yes', 2: 'yes' }],
  [
    '7.x without the feature',
    { version: version('7.2.0'), generation1: noRoute, generation2: list2 },
    { 1: 'no', 2: 'yes' },
  ],
  ['a future version', { version: version('9.0.0'), generation1: noRoute, generation2: list2 }, { 1: 'no', 2: 'yes' }],
  [
    'a build of the cloud',
    { version: version('298437_2026-03-30_7.0-abc'), generation1: list1, generation2: list2 },
    { 1: 'yes', 2: 'yes' },
  ],
  [
    'a refused token',
    { version: version('7.2.0'), generation1: status(401), generation2: status(401) },
    { 1: 'unknown', 2: 'unknown' },
  ],
  [
    'a token with new scopes only',
    { version: status(404), generation1: status(403), generation2: list2 },
    { 1: 'unknown', 2: 'yes' },
  ],
  [
    'an outage',
    { version: status(503), generation1: status(503), generation2: status(503) },
    { 1: 'unknown', 2: 'unknown' },
  ],
  [
    'an instance that hangs up',
    { version: hangUp, generation1: hangUp, generation2: hangUp },
    { 1: 'unknown', 2: 'unknown' },
  ],
])('%s', async (_name, instance, offers) => {
  const { server, probes } = await connect();
  scriptRound(server, instance);
  expect((await probes.all()).offers).toEqual(offers);
  expect(server.requests).toHaveLength(3);
});

test.each<[string, Partial<Instance>, boolean]>([
  ['both refuse the token', {}, true],
  ['unknown paths have a page', { generation2: page }, true],
  ['one of them does not answer', { generation2: hangUp }, true],
  ['generation 2 says so in its own words', { generation2: json({ code: 'unauthenticated' }, 401) }, true],
  ['one of them takes it', { generation2: list2 }, false],
  ['it lacks only a right', { generation1: status(403), generation2: status(403) }, false],
])('a token counts as refused or not, if %s', async (_name, instance, isRefused) => {
  const { server, probes } = await connect();
  scriptRound(server, { version: version('7.2.0'), generation1: status(401), generation2: status(401), ...instance });
  expect((await probes.all()).isRefused === true).toBe(isRefused);
});

test('no probe follows a redirect, and one to the same path elsewhere is named in the log', async () => {
  const { server, probes, lines } = await connect();
  const moved: Reply = (response, { url }) => response.writeHead(301, { location: `https://code.example${url}` }).end();
  scriptRound(server, { version: moved, generation1: moved, generation2: moved });
  expect(await probes.all()).toEqual({ offers: { 1: 'unknown', 2: 'unknown' }, version: undefined });
  expect(server.requests).toHaveLength(3);
  expect(lines.filter(({ event }) => event === 'deepsearch.address')).toContainEqual(
    expect.objectContaining({ outcome: 'redirected', origin: 'https://code.example' }),
  );
});

test('reading the version is one request', async () => {
  const { server, probes } = await connect();
  server.script(version('7.0.1'));
  expect(await probes.version()).toBe('7.0.1');
  expect(server.requests.map(({ url }) => url)).toEqual(['/__version']);
});

test('closed probes prove nothing', async () => {
  const { probes } = await connect();
  await probes.close();
  expect(await probes.all()).toEqual({ offers: { 1: 'unknown', 2: 'unknown' }, version: undefined });
});
