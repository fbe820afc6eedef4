import { afterAll, describe, expect, test } from 'vitest';
import { createHarbourRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

const repository = createHarbourRepository();
afterAll(() => repository.remove());

const tokens = [
  { username: 'alice', token: 'test-token' },
  { username: 'bob', token: 'bob-token' },
];

describe('the page of a conversation, /deepsearch/<read token>', () => {
  test.each([
    [false, { alice: 200, bob: 404, 'a local reader': 404 }],
    [true, { alice: 200, bob: 200, 'a local reader': 200 }],
  ])('with sharing %s answers %j to a conversation of alice', async (sharing, expected) => {
    const service = await startTestService({ repos: [repository.path], tokens, sharing });
    try {
      const { id, share_url } = await service.create('Where is retryDelay?');
      await service.finished(id);
      const open = async (authorization?: string) =>
        (await fetch(share_url, authorization === undefined ? {} : { headers: { Authorization: authorization } }))
          .status;
      expect({
        alice: await open('token test-token'),
        bob: await open('token bob-token'),
        'a local reader': await open(),
      }).toEqual(expected);
      expect((await fetch(`${service.url}/deepsearch/${'0'.repeat(36)}`)).status).toBe(404);
    } finally {
      await service.stop();
    }
  });

  test('opens to no reader who may not read a repository it cites, although sharing is on', async () => {
    const service = await startTestService({
      repos: [repository.path],
      tokens,
      sharing: true,
      repoAccess: { '*': ['alice'] },
    });
    try {
      const { id, share_url } = await service.create('Where is retryDelay?');
      await service.finished(id);
      const open = async (token: string) =>
        (await fetch(share_url, { headers: { Authorization: `token ${token}` } })).status;
      expect([await open('test-token'), await open('bob-token'), (await fetch(share_url)).status]).toEqual([
        200, 404, 404,
      ]);
    } finally {
      await service.stop();
    }
  });
});
