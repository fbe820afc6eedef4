import { expect, it } from 'vitest';
import type { AccountStatus } from '../../../src/core/accounts/accounts.ts';
import { forgetChoices } from '../../../src/core/accounts/connecting.ts';
import type { Core } from '../../../src/core/context.ts';
import type { ReaderChoices } from '../../../src/core/question/reader-choices.ts';
import { only } from '../../support/only.ts';

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
  const w = only<Core>({
    accounts: only({ statusOf: async () => status }),
    readerChoices: {
      get: async (name) => (name === 'T1:U1' ? stored : undefined),
      update: async (_name, change) => {
        stored = change(stored);
        return stored;
      },
    },
  });
  await forgetChoices(w, { teamId: 'T1', userId: 'U1' });
  expect(stored).toEqual(after);
});
