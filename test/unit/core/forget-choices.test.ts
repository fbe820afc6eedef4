import { expect, it } from 'vitest';
import type { AccountStatus } from '../../../src/core/accounts/accounts.ts';
import { createForgetChoices } from '../../../src/core/accounts/connecting.ts';
import type { ReaderChoices } from '../../../src/core/question/reader-choices.ts';

const connected = { kind: 'token', username: 'ada', connectedMs: 1 } as const;
const chosen: ReaderChoices = { version: 1, threads: [{ channelId: 'C1', threadTs: '1.1' }], channels: ['C2'] };

it.each<[string, AccountStatus, ReaderChoices | undefined, ReaderChoices | undefined]>([
  [
    'forgets the choices of a person without an account',
    { state: 'none' },
    chosen,
    { version: 1, threads: [], channels: [] },
  ],
  ['stores nothing for a person without choices', { state: 'none' }, undefined, undefined],
  ['keeps the choices of a connected person', { ...connected, state: 'connected' }, chosen, chosen],
  ['keeps the choices of a person whom the service refuses', { ...connected, state: 'refused' }, chosen, chosen],
])('%s', async (_, status, before, after) => {
  let stored = before;
  const forgetChoices = createForgetChoices({
    accounts: { statusOf: async () => status },
    readerChoices: {
      get: async (name) => (name === 'T1:U1' ? stored : undefined),
      update: async (_name, change) => {
        stored = change(stored);
        return stored;
      },
    },
  });
  await forgetChoices({ teamId: 'T1', userId: 'U1' });
  expect(stored).toEqual(after);
});
