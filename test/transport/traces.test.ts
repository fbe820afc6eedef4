import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/core/secret.ts';
import { createConversationApi } from '../../src/service/generation-1/deep-search.ts';
import { createOAuthClient } from '../../src/service/oauth.ts';
import { createOutbound } from '../../src/service/outbound.ts';
import { traceOutbound } from '../../src/slack/api/web-client.ts';
import { json, status } from '../support/fake-service/scripted-server.ts';
import { createRecordingTracer } from '../support/otlp/recording-tracer.ts';
import { connectService, errorOf, openServer } from './setup.ts';

test('each try of a call of the service has its span, and carries it as traceparent', async () => {
  const { tracer, requests } = createRecordingTracer();
  const { service, server } = await connectService({ tracer });
  server.script(status(503), status(404));
  await errorOf(createConversationApi(service).get(140));
  const path = '/.api/deepsearch/v1/{id}';
  expect(requests).toMatchObject([
    { method: 'GET', origin: server.origin, path, noted: { status: 503 } },
    { method: 'GET', origin: server.origin, path, noted: { status: 404 } },
  ]);
  expect(server.requests.map(({ headers }) => headers.traceparent)).toEqual(requests.map(({ context }) => context));
});

test('the path of a traced call has neither ids nor a query', async () => {
  const { tracer, requests } = createRecordingTracer();
  const { service, server } = await connectService({ tracer });
  const api = createConversationApi(service);
  server.script(...Array.from({ length: 5 }, () => status(403)));
  await errorOf(api.readByToken('2b1c9a52-6c1e-4a51-9a55-0f4ce4a4f4f1'));
  await errorOf(api.addQuestion(140, 'the text'));
  await errorOf(api.cancelQuestion(140, 150));
  await errorOf(api.delete(140));
  await errorOf(service.send({ method: 'GET', path: '/search', query: new URLSearchParams({ q: 'x' }), safe: true }));
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /.api/deepsearch/v1',
    'POST /.api/deepsearch/v1/{id}/questions',
    'POST /.api/deepsearch/v1/{id}/questions/{questionId}/cancel',
    'DELETE /.api/deepsearch/v1/{id}',
    'GET /search',
  ]);
});

test('the token endpoint of OAuth gets no traceparent, because it may belong to someone else', async () => {
  const { tracer, requests } = createRecordingTracer();
  const server = await openServer();
  const client = createOAuthClient({
    clientId: 'the app',
    authorizeUrl: `${server.origin}/authorize`,
    tokenUrl: `${server.origin}/token?tenant=acme`,
    tracer,
  });
  onTestFinished(() => client.close());
  server.script(json({ access_token: 'access', token_type: 'Bearer', expires_in: 600 }));
  await client.refresh(new Secret('old'));
  expect(requests).toMatchObject([{ method: 'POST', origin: server.origin, path: '/token', noted: { status: 200 } }]);
  expect(server.requests.map(({ headers }) => headers.traceparent)).toEqual([undefined]);
});

test('a request to an address that Slack named is traced without its path, and carries no traceparent', async () => {
  const { tracer, requests } = createRecordingTracer();
  const server = await openServer();
  const outbound = createOutbound({});
  onTestFinished(() => outbound.close());
  server.script(status(200));
  await traceOutbound(outbound, tracer).fetch(`${server.origin}/commands/T1/2/secret`, { method: 'POST', body: '{}' });
  expect(requests).toMatchObject([{ method: 'POST', origin: server.origin, noted: { status: 200 } }]);
  expect(requests[0]).not.toHaveProperty('path');
  expect(server.requests.map(({ headers }) => headers.traceparent)).toEqual([undefined]);
});
