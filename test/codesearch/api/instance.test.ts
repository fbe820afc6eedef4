import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { finished, firstGeneration, secondGeneration } from '../support/conversation-drivers.ts';
import { type Instance, type InstanceFault, startInstance } from '../support/instance.ts';

// The instance stands in for real ones in the tests of an upgrade, so it has to answer like them.

let instance: Instance;

beforeAll(async () => {
  instance = await startInstance({ release: '7.2.0' });
});

afterAll(() => instance.stop());

beforeEach(() => {
  instance.become('7.2.0');
  instance.scriptFaults(() => undefined);
});

const list = (token = instance.token) =>
  fetch(`${instance.url}/.api/deepsearch/v1?page_first=1`, { headers: { Authorization: `token ${token}` } });
const summaries = (token = instance.token) =>
  fetch(`${instance.url}/api/deepsearch.v1.Service/ListConversationSummaries`, {
    method: 'POST',
    headers: { Authorization: `token ${token}`, 'Content-Type': 'application/json' },
    body: '{"parent":"users/~self","pageSize":1}',
  });

async function seen(reply: Promise<Response>): Promise<[number, string]> {
  const { status, headers, ...response } = await reply.then(async (each) => ({
    status: each.status,
    headers: each.headers,
    text: await each.text(),
  }));
  return [status, headers.get('content-type')?.includes('json') ? 'JSON' : response.text];
}

describe('an instance that changes its version', () => {
  test('claims its version as plain text', async () => {
    for (const release of ['6.12.0', '7.2.0', '8.0.0'] as const) {
      instance.become(release);
      expect(await seen(fetch(`${instance.url}/__version`))).toEqual([200, release]);
    }
  });

  test('offers both generations as 7.x', async () => {
    expect(await seen(list())).toEqual([200, 'JSON']);
    expect(await seen(summaries())).toEqual([200, 'JSON']);
  });

  test('knows no second generation as 6.12', async () => {
    instance.become('6.12.0');
    expect(await seen(list())).toEqual([200, 'JSON']);
    expect(await seen(summaries())).toEqual([405, '']);
    expect(await seen(summaries('wrong'))).toEqual([405, '']);
  });

  test('has no route for the first generation later, but still refuses a wrong token first', async () => {
    instance.become('8.0.0');
    expect(await seen(list())).toEqual([404, 'no route']);
    expect((await seen(list('wrong')))[0]).toBe(401);
    expect(await seen(summaries())).toEqual([200, 'JSON']);
  });

  test('keeps a conversation through every version, and has no effect where it has no route', async () => {
    instance.become('6.12.0');
    const { id } = await firstGeneration(instance.url).create('before?');
    instance.become('8.0.0');
    expect(await finished(secondGeneration(instance.url), id)).toMatchObject({ id, state: 'completed' });
    expect(await secondGeneration(instance.url).followUp(id, 'after?')).toBe('accepted');
    const tried = await fetch(`${instance.url}/.api/deepsearch/v1`, {
      method: 'POST',
      headers: { Authorization: `token ${instance.token}`, 'X-Requested-With': 'test 1', 'Content-Type': 'text/json' },
      body: '{"question":"never?"}',
    });
    expect(tried.status).toBe(404);
    expect(instance.find('never?')).toEqual([]);
    expect(instance.conversations).toContainEqual({ questions: [{ question: 'before?' }, { question: 'after?' }] });
    expect(instance.requests.filter(({ question }) => question === 'after?')).toEqual([
      {
        generation: 2,
        path: '/api/deepsearch.v1.Service/AddConversationQuestion',
        question: 'after?',
        status: 200,
      },
    ]);
  });

  test.each<[InstanceFault, number, string]>([
    ['unavailable', 503, 'upstream'],
    ['htmlPage', 200, '<!doctype html>'],
    ['htmlBadGateway', 502, '<!doctype html>'],
  ])('says nothing about its generations while it is %s', async (fault, status, beginning) => {
    instance.scriptFaults(() => fault);
    for (const reply of [list(), summaries(), fetch(`${instance.url}/__version`)]) {
      const [code, body] = await seen(reply);
      expect([code, body.startsWith(beginning)]).toEqual([status, true]);
    }
  });

  test.each([
    ['breakBeforeEffect', 0],
    ['breakAfterEffect', 1],
  ] as const)('breaks a connection with %s', async (fault, asked) => {
    instance.scriptFaults(() => fault);
    const text = `${fault}?`;
    await expect(secondGeneration(instance.url).create(text)).rejects.toThrow();
    expect(instance.find(text)).toHaveLength(asked);
  });
});
