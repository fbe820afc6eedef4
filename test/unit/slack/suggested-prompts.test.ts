import { expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import type { WorkspaceContext } from '../../../src/slack/context.ts';
import { createPrompts } from '../../../src/slack/home/home.ts';
import { createUnlimitedSlackApi, someIdentity } from '../../support/fake-slack/unlimited-slack-api.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const visitor = { teamId: 'T1', userId: 'U1', channelId: 'D1' };

/** Prompts for which `fail` may throw, either when the person is looked up or when Slack is called. */
function setUp(fail: { admit?: () => void; call?: () => void }) {
  const told: string[] = [];
  const { log } = createRecordingLog();
  const fetch = async () => Response.json({ ok: true });
  const options = { ...webClientOptions('http://127.0.0.1:9/api/', createLibraryLogger(log)), fetch };
  const slack = createUnlimitedSlackApi(createWebClient('xoxb-test', options), someIdentity, (method) => {
    told.push(method);
    fail.call?.();
  });
  const admit = async () => {
    fail.admit?.();
    return { may: true, locale: 'en-US' } as const;
  };
  const now = () => 2 * 24 * 60 * 60 * 1_000;
  const prompts = createPrompts(only<WorkspaceContext>({ slack, accessPolicy: only({ admit }), now, log }));
  const suggest = async () => {
    prompts.suggest(visitor);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { told, suggest };
}

it('prompts are suggested once a day', async () => {
  const { told, suggest } = setUp({});
  await suggest();
  await suggest();
  expect(told).toHaveLength(1);
});

it('prompts are suggested at the next visit if the person could not be looked up', async () => {
  const fail = {
    admit: (): void => {
      throw new AppError('unavailable', 'lost');
    },
  };
  const { told, suggest } = setUp(fail);
  await suggest();
  fail.admit = () => {};
  await suggest();
  await suggest();
  expect(told).toHaveLength(1);
});

it('prompts are suggested at the next visit if there was no room for the call', async () => {
  const fail = {
    call: (): void => {
      throw new AppError('rateLimited', 'no room', { retryAfterMs: 1_000 });
    },
  };
  const { told, suggest } = setUp(fail);
  await suggest();
  fail.call = () => {};
  await suggest();
  await suggest();
  expect(told).toHaveLength(2);
});
