import { describe, expect, test } from 'vitest';
import { createGeneration2 } from '../../src/service/generation-2/deep-search.ts';
import { createGraphql, createQuotaReader } from '../../src/service/graphql.ts';
import { json, status } from '../support/fake-service/scripted-server.ts';
import { conversation2, markdown, question2 } from './second-generation.ts';
import { connectService, errorOf } from './setup.ts';

const usage = (fields: object | null) => json({ data: { deepSearchQuotaUsage: fields } });
const resetTime = '2026-03-06T00:00:00Z';
const known = { used: 40, limit: 100, resetAtMs: Date.UTC(2026, 2, 6) };
const ended = json(
  conversation2({ state: { completed: {} }, questions: [question2('Where?', { answer: [markdown('There.')] })] }),
);

async function connect() {
  const { service, server } = await connectService();
  const clock = { nowMs: 1_000 };
  const graphql = createGraphql(service);
  const readQuota = createQuotaReader(graphql, () => clock.nowMs);
  const { deepSearch } = createGeneration2(service, server.origin, undefined, undefined, readQuota);
  return { server, clock, graphql, readQuota, deepSearch, paths: () => server.requests.map(({ url }) => url) };
}

describe('the quota that GraphQL tells', () => {
  test.each([
    ['numbers', { limit: 100, consumed: 40, resetTime }, known],
    ['texts', { limit: '100', consumed: '40', resetTime }, known],
    ['no time', { limit: '100', consumed: 40, resetTime: null }, { used: 40, limit: 100 }],
    ['no limit', { limit: -1, consumed: 40, resetTime }, undefined],
    ['nothing', null, undefined],
  ])('is read from %s', async (_, fields, expected) => {
    const { server, graphql } = await connect();
    server.script(usage(fields));
    expect(await graphql.quota()).toEqual(expected);
  });

  test('is refused by a service that does not know it', async () => {
    const { server, graphql } = await connect();
    server.script(json({ errors: [{ message: 'Cannot query field' }] }));
    expect(await errorOf(graphql.quota())).toMatchObject({ kind: 'refused' });
  });
});

describe('an answer of the second generation', () => {
  test('comes with the quota, which is read once for all answers of half a minute', async () => {
    const { server, deepSearch, clock, paths } = await connect();
    server.script(ended, usage({ limit: 100, consumed: 40, resetTime }), ended);
    expect((await deepSearch.read(140)).quota).toEqual(known);
    clock.nowMs += 29_999;
    expect((await deepSearch.read(140)).quota).toEqual(known);
    expect(paths()).toHaveLength(3);
    clock.nowMs += 2;
    server.script(ended, usage({ limit: 100, consumed: 41, resetTime }));
    expect((await deepSearch.read(140)).quota?.used).toBe(41);
  });

  test('is not asked for while a question runs', async () => {
    const { server, deepSearch, paths } = await connect();
    server.script(json(conversation2()));
    expect(await deepSearch.read(140)).not.toHaveProperty('quota');
    expect(paths()).toHaveLength(1);
  });

  test.each([
    ['refused', status(403)],
    ['no GraphQL', status(404)],
    ['without a limit', usage(null)],
  ])('comes without it where it is %s, and the service is not asked again for ten minutes', async (_, reply) => {
    const { server, deepSearch, clock, paths } = await connect();
    server.script(ended, reply, ended);
    for (let reads = 0; reads < 2; reads += 1) expect(await deepSearch.read(140)).not.toHaveProperty('quota');
    expect(paths()).toHaveLength(3);
    clock.nowMs += 10 * 60_000 + 1;
    server.script(ended, usage({ limit: 100, consumed: 40, resetTime }));
    expect((await deepSearch.read(140)).quota).toEqual(known);
  });
});
