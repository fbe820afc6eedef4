import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createServiceHttp } from '../../src/service/service-client.ts';
import { openProxy } from '../support/fake-service/http-proxy.ts';
import { hangUp, json, type Reply, silence, status } from '../support/fake-service/scripted-server.ts';
import { nowhere } from '../support/nowhere.ts';
import { selfSigned } from './self-signed.ts';
import { connect, conversation, errorOf, openClient, openServer, question, SECRET } from './setup.ts';

const success = json(conversation());

describe('the address of the service', () => {
  test.each(['', '/', '/code', '/code/', '/code//'])('may end in "%s"', async (path) => {
    const server = await openServer();
    const client = openClient({ baseUrl: server.origin + path });
    server.script(success, status(204));
    await client.get(7);
    expect(server.requests[0]?.url).toBe(`${path.replace(/\/+$/, '')}/.api/deepsearch/v1/7`);
  });

  test.each(['', 'sourcegraph.example.com', 'ftp://host', 'file:///etc'])('may not be "%s"', (baseUrl) => {
    expect(() => openClient({ baseUrl })).toThrow(expect.objectContaining({ kind: 'refused' }));
  });
});

describe('a connection', () => {
  test('is kept for the next call', async () => {
    const { client, server } = await connect();
    for (let round = 0; round < 5; round += 1) {
      server.script(success, status(404), success);
      await client.get(7);
      await errorOf(client.get(7));
      await client.get(7);
    }
    // After a reply a connection is unavailable until the next event loop iteration, so an immediate call opens a second one.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('that the server closes between calls causes no failure, even of a creation', async () => {
    const { client, server } = await connect();
    for (let call = 0; call < 5; call += 1) {
      const closed = new Promise<void>((resolve) => {
        server.script((response, request) => {
          const { socket } = response;
          socket?.once('close', () => resolve());
          response.on('finish', () => socket?.destroy());
          success(response, request);
        });
      });
      await client.create('where?');
      await closed;
    }
    expect(server.requests).toHaveLength(5);
    expect(server.connections()).toBe(5);
  });

  test('is never an idle one for a call that creates, and closed after it', async () => {
    const { client, server } = await connect();
    server.script(success, json(conversation(), 202), json(question(), 202), success);
    await client.get(7);
    await client.create('where?');
    await client.addQuestion(7, 'and?');
    await client.get(7);
    expect(server.requests.map(({ headers }) => headers.connection)).toEqual([
      'keep-alive',
      'close',
      'close',
      'keep-alive',
    ]);
    expect(server.connections()).toBe(3);
  });

  test('is one of a limited number', async () => {
    const { client, server } = await connect({ maxConnections: 2 });
    const warnings: string[] = [];
    const warn = ({ name }: Error) => warnings.push(name);
    process.on('warning', warn);
    onTestFinished(() => void process.off('warning', warn));
    for (let call = 0; call < 30; call += 1) server.script(success);
    await Promise.all(Array.from({ length: 30 }, () => client.get(7)));
    expect(server.connections()).toBe(2);
    expect(warnings).toEqual([]);
  });

  test('that a call never got means that nothing was done', async () => {
    const server = await openServer();
    const shared = { baseUrl: server.origin, userAgentVersion: '1.2.3', maxConnections: 1 };
    const http = createServiceHttp(shared);
    onTestFinished(() => http.close());
    server.script(silence);
    const first = openClient({ ...shared, http, createTimeoutMs: 2_000 });
    const running = errorOf(first.create('first?'));
    await server.received(1);
    const second = openClient({ ...shared, http, createTimeoutMs: 100 });
    expect(await errorOf(second.create('where?'))).toMatchObject({ code: 'timeout', outcomeUnknown: false });
    await first.close();
    await running;
    expect(server.requests).toHaveLength(1);
  });

  test('that is refused means that nothing was done', async () => {
    const client = openClient({ baseUrl: nowhere });
    expect(await errorOf(client.create('where?'))).toMatchObject({
      kind: 'unavailable',
      code: 'ECONNREFUSED',
      outcomeUnknown: false,
    });
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unavailable' });
  });

  test('to an unknown name means that nothing was done', async () => {
    const client = openClient({ baseUrl: 'http://nowhere.invalid', createTimeoutMs: 2_000 });
    expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  });
});

describe('closing the client', () => {
  test('ends the running calls', async () => {
    const { client, server } = await connect();
    server.script(silence, silence);
    const read = errorOf(client.get(7));
    const creation = errorOf(client.create('where?'));
    await server.received(2);
    await client.close();
    expect(await read).toMatchObject({ kind: 'unavailable', code: 'closed', outcomeUnknown: false });
    expect(await creation).toMatchObject({ kind: 'unavailable', code: 'closed', outcomeUnknown: true });
  });

  test('ends a wait before a repetition', async () => {
    const { client, server } = await connect({ timeoutMs: 60_000 });
    server.script(status(503, { 'retry-after': '30' }));
    const read = errorOf(client.get(7));
    await server.received(1);
    await client.close();
    expect(await read).toMatchObject({ kind: 'unavailable' });
  });

  test('refuses later calls, and can be repeated', async () => {
    const { client, server } = await connect();
    await client.close();
    expect(await errorOf(client.create('where?'))).toMatchObject({ code: 'closed', outcomeUnknown: false });
    await client.close();
    expect(server.requests).toHaveLength(0);
  });
});

describe('a redirect', () => {
  test.each([301, 302, 303, 307, 308])('to another origin is not followed (%i)', async (code) => {
    const elsewhere = await openServer();
    const { client, server } = await connect();
    const redirect = status(code, { location: `${elsewhere.origin}/login?token=${SECRET}` });
    server.script(redirect, redirect);
    for (const call of [client.get(7), client.create('where?')]) {
      const error = await errorOf(call);
      expect(error).toMatchObject({ kind: 'badReply', code: 'signInPage' });
      expect(error.message).toContain(`answered ${code}, a redirect to ${elsewhere.origin}`);
    }
    expect(elsewhere.requests).toEqual([]);
  });

  test('on the same origin is not followed either', async () => {
    const { client, server } = await connect();
    server.script(status(302, { location: '/sign-in' }), status(307, { location: `${server.origin}/sign-in` }));
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'badReply', code: 'signInPage' });
    expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'badReply', outcomeUnknown: true });
    expect(server.requests).toHaveLength(2);
  });

  test('without a location is an error', async () => {
    const { client, server } = await connect();
    server.script(status(302));
    expect(await errorOf(client.get(7))).toMatchObject({ kind: 'badReply', code: 302 });
  });
});

describe('a TLS connection', () => {
  test('trusts a certificate of an authority from the settings', async () => {
    const server = await openServer(selfSigned);
    const client = openClient({ baseUrl: server.origin, ca: selfSigned.cert });
    server.script(success);
    await expect(client.get(7)).resolves.toMatchObject({ id: 7 });
  });

  test('trusts no other certificate, and a failed call did nothing', async () => {
    const server = await openServer(selfSigned);
    const client = openClient({ baseUrl: server.origin });
    expect(await errorOf(client.create('where?'))).toMatchObject({
      kind: 'unavailable',
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
      outcomeUnknown: false,
    });
    expect(server.requests).toEqual([]);
  });
});

describe('a proxy', () => {
  test('receives plain http requests in absolute form', async () => {
    const proxy = await openProxy();
    const server = await openServer();
    const client = openClient({ baseUrl: server.origin, proxy: { http: proxy.address('user:pass@') } });
    server.script(success, json([]));
    await client.create('where?');
    await client.list();
    expect(proxy.seen).toEqual([
      `POST ${server.origin}/.api/deepsearch/v1 Basic dXNlcjpwYXNz`,
      `GET ${server.origin}/.api/deepsearch/v1 Basic dXNlcjpwYXNz`,
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ authorization: `token ${SECRET}` });
    expect(server.requests[0]?.headers['proxy-authorization']).toBeUndefined();
  });

  test('tunnels https and never sees the credential', async () => {
    const proxy = await openProxy();
    const server = await openServer(selfSigned);
    const client = openClient({
      baseUrl: server.origin,
      ca: selfSigned.cert,
      proxy: { https: proxy.address(), http: 'http://127.0.0.1:9' },
    });
    for (let call = 0; call < 5; call += 1) {
      server.script(success);
      await client.get(7);
    }
    expect(new Set(proxy.seen)).toEqual(new Set([`CONNECT 127.0.0.1:${server.port} undefined`]));
    expect(proxy.seen.length).toBeLessThanOrEqual(2);
  });

  test('may be named without its scheme', async () => {
    const proxy = await openProxy();
    const server = await openServer();
    const client = openClient({ baseUrl: server.origin, proxy: { http: proxy.address().replace('http://', '') } });
    server.script(success);
    await client.get(7);
    expect(proxy.seen).toHaveLength(1);
  });

  test('is not used for the excepted hosts', async () => {
    const server = await openServer();
    const client = openClient({
      baseUrl: server.origin,
      proxy: { http: 'http://127.0.0.1:9', noProxy: 'localhost, 127.0.0.1' },
    });
    server.script(success);
    await client.get(7);
  });

  test('is not used for an address in an excepted network', async () => {
    const server = await openServer();
    const proxy = { http: 'http://127.0.0.1:9', noProxy: 'fd00::/8 127.0.0.0/8' };
    const client = openClient({ baseUrl: server.origin, proxy });
    server.script(success, success);
    await client.get(7);
    await client.create('where?');
  });

  test('for http only is not used for https', async () => {
    const server = await openServer(selfSigned);
    const client = openClient({
      baseUrl: server.origin,
      ca: selfSigned.cert,
      proxy: { http: 'http://127.0.0.1:9' },
    });
    server.script(success);
    await client.get(7);
  });

  test('that refuses the tunnel means that a creation did nothing', async () => {
    const proxy = await openProxy({ refuse: true });
    const server = await openServer(selfSigned);
    const client = openClient({ baseUrl: server.origin, ca: selfSigned.cert, proxy: { https: proxy.address() } });
    expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
    expect(server.requests).toEqual([]);
  });

  test('that is down means that a creation did nothing', async () => {
    const { client } = await connect({ proxy: { http: 'http://127.0.0.1:9' } });
    expect(await errorOf(client.create('where?'))).toMatchObject({ kind: 'unavailable', outcomeUnknown: false });
  });

  test('with an unusable address is refused at once', () => {
    expect(() => openClient({ baseUrl: 'http://127.0.0.1', proxy: { http: 'http://' } })).toThrow(
      expect.objectContaining({ kind: 'refused' }),
    );
  });

  test('is taken only from the settings, not from the environment', async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const name of ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'])
      vi.stubEnv(name, 'http://127.0.0.1:9');
    const { client, server } = await connect();
    server.script(success);
    await client.get(7);
  });
});

test('a failing server is not called forever', async () => {
  const { client, server } = await connect();
  const failures: Reply[] = [hangUp, hangUp, hangUp, hangUp];
  server.script(...failures);
  expect(await errorOf(client.get(7))).toMatchObject({ kind: 'unavailable' });
  expect(server.requests).toHaveLength(3);
});
