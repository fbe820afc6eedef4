import { expect, onTestFinished, test } from 'vitest';
import type { SignInTicket } from '../../src/core/accounts/sign-in-ticket.ts';
import { AppError } from '../../src/core/errors.ts';
import { createOperatorServer } from '../../src/observability/http-server.ts';
import { createSignIn } from '../../src/sign-in/sign-in.ts';
import { createPerson } from '../support/codesearch/people.ts';
import { createMemoryRecords } from '../support/memory-records.ts';
import { createRecordingLog } from '../support/recording-log.ts';

test('requests are refused before anything of them is read or stored if all people together come too often', async () => {
  const records = createMemoryRecords<SignInTicket>();
  const refuse = () => Promise.reject(new AppError('refused', 'not here'));
  const signIn = createSignIn({
    publicUrl: 'https://app.example',
    records,
    server: { authorizeUrl: () => 'https://search.example/authorize', exchange: refuse, refresh: refuse },
    usernameOf: refuse,
    storeConnected: refuse,
    createLimiter: (name) => ({ take: async () => (name === 'sign-in' ? 1_000 : 0), block: async () => {} }),
    now: Date.now,
    log: createRecordingLog().log,
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
  const [id = ''] = ticket.split('.');
  const before = await records.get(id);
  const browser = createPerson(base);
  const replies = [
    await browser.open(`/accounts/start?ticket=${ticket}`),
    await browser.submit('/accounts/start', { ticket }, { Origin: 'https://app.example' }),
    await browser.submit('/accounts/start', { ticket }, { Origin: 'https://evil.example' }),
    await browser.open(`/accounts/callback?code=c&state=${ticket}`),
  ];
  expect(replies.map(({ response }) => response.status)).toEqual([429, 429, 429, 429]);
  expect(await records.get(id)).toEqual(before);
});
