import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/processes/free-port.ts';
import { createPerson } from '../support/people.ts';
import { createHarbourRepository } from '../support/repository.ts';
import { startTestService } from '../support/service.ts';

const repository = createHarbourRepository();
const PAGES = ['/', '/github.com/harbour-org/harbour', '/github.com/harbour-org/harbour/-/blob/src/retry.ts'];

afterAll(() => repository.remove());

describe('pages', () => {
  test('are open on a loopback address', async () => {
    const service = await startTestService({ repos: [repository.path] });
    try {
      for (const path of PAGES) {
        expect([path, (await createPerson(service.url).open(path)).response.status]).toEqual([path, 200]);
      }
    } finally {
      await service.stop();
    }
  });

  test('ask for sign-in on other addresses, and then show what was asked for', async () => {
    const service = await startTestService({ repos: [repository.path], host: '0.0.0.0' });
    const url = service.url.replace('0.0.0.0', '127.0.0.1');
    try {
      for (const path of PAGES) {
        const person = createPerson(url);
        const { response } = await person.open(path);
        const location = new URL(response.headers.get('location') ?? '', url);
        expect([response.status, location.pathname, location.searchParams.get('returnTo')]).toEqual([
          303,
          '/sign-in',
          path,
        ]);
        expect((await person.signIn('test-token', path)).response.headers.get('location')).toBe(path);
        expect((await person.open(path)).response.status).toBe(200);
      }
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    } finally {
      await service.stop();
    }
  });

  test('are open on other addresses only when the operator says so', async () => {
    const service = await startTestService({ repos: [repository.path], host: '0.0.0.0', publicPages: true });
    try {
      for (const path of PAGES) {
        const { response } = await createPerson(service.url.replace('0.0.0.0', '127.0.0.1')).open(path);
        expect([path, response.status]).toEqual([path, 200]);
      }
    } finally {
      await service.stop();
    }
  });

  test('ask for sign-in behind a proxy, with a cookie for https only', async () => {
    const port = await freePort();
    const service = await startTestService({ repos: [repository.path], port, baseUrl: 'https://code.example' });
    const local = `http://127.0.0.1:${port}`;
    try {
      const person = createPerson(local);
      expect((await person.open('/github.com/harbour-org/harbour')).response.status).toBe(303);
      const { response } = await person.submit('/sign-in', { token: 'test-token' }, { Origin: 'https://code.example' });
      expect(response.headers.get('set-cookie')).toMatch(/^__Host-codesearch_session=.*; Path=\/; .*; Secure$/);
    } finally {
      await service.stop();
    }
  });

  test('hide a restricted repository from people who are not signed in', async () => {
    const service = await startTestService({
      repos: [repository.path],
      repoAccess: { 'github.com/harbour-org/*': ['*'] },
    });
    try {
      const person = createPerson(service.url);
      expect((await person.open('/')).text).not.toContain('harbour');
      for (const path of PAGES.slice(1)) expect([path, (await person.open(path)).response.status]).toEqual([path, 404]);
      await person.signIn('test-token');
      for (const path of PAGES.slice(1)) expect([path, (await person.open(path)).response.status]).toEqual([path, 200]);
    } finally {
      await service.stop();
    }
  });
});
