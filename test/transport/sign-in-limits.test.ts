import { expect, onTestFinished, test } from 'vitest';
import type { SignInTicket } from '../../src/core/accounts/accounts.ts';
import { AppError } from '../../src/core/errors.ts';
import { createOperatorServer } from '../../src/observability/http-server.ts';
import { createSignIn } from '../../src/sign-in/sign-in.ts';
import { createPerson } from '../codesearch/support/people.ts';
import { createMemoryRecords } from '../support/memory-records.ts';
import { createRecordingLog } from '../support/recording-log.ts';

test('requests that name no sign-in are refused if they come too often, and keep out no one who has a link', async () => {
  const records = createMemoryRecords<SignInTicket>();
  const refuse = () => Promise.reject(new AppError('refused', 'not here'));
  const { log, lines } = createRecordingLog();
  const signIn = createSignIn({
    publicUrl: 'https://app.example',
    records,
    server: { authorizeUrl: () => 'https://search.example/authorize', exchange: refuse, refresh: refuse },
    usernameOf: refuse,
    storeConnected: refuse,
    createLimiter: (name) => ({ take: async () => (name === 'sign-in-unknown' ? 1_000 : 0), block: async () => {} }),
    now: Date.now,
    log,
  });
  const server = createOperatorServer({
    port: 0,
    host: '127.0.0.1',
    dependencies: [],
    farSides: [],
    mounts: signIn.mounts,
  });
  const base = `http://127.0.0.1:${await server.start()}`;
  onTestFinished(() => server.stop());
  const ticket = new URL(await signIn.url({ teamId: 'T1', userId: 'UANA' }, 'Ana')).searchParams.get('ticket') ?? '';
  const [id = '', secret = ''] = ticket.split('.');
  const before = await records.get(id);
  const browser = createPerson(base);
  const own = { Origin: 'https://app.example' };
  const junk = ['', 'x', `${id}.${[...secret].reverse().join('')}`, `${'0'.repeat(32)}.${secret}`];
  const refused = [];
  for (const text of junk) {
    refused.push(await browser.open(`/accounts/start?ticket=${text}`));
    refused.push(await browser.submit('/accounts/start', { ticket: text }, own));
    refused.push(await browser.open(`/accounts/callback?code=c&state=${text}`));
  }
  refused.push(await browser.submit('/accounts/start', { ticket }, { Origin: 'https://evil.example' }));
  expect(new Set(refused.map(({ response }) => response.status))).toEqual(new Set([429]));
  expect(await records.get(id)).toEqual(before);
  expect(lines).toEqual([]);
  expect((await browser.open(`/accounts/start?ticket=${ticket}`)).response.status).toBe(200);
  expect((await browser.submit('/accounts/start', { ticket }, own)).response.status).toBe(303);
});
