import { expect, it } from 'vitest';
import { createBoltApp } from '../../../src/slack/bolt-app.ts';
import { createListenerDeps } from '../../support/fake-slack/listener-deps.ts';
import { mentionOf } from '../../support/local-slack/payloads.ts';

it('an event counts as a delivery under way until its listeners have ended', async () => {
  const { deps, clientOptions, logger } = createListenerDeps();
  const happened: string[] = [];
  const app = createBoltApp({
    clientOptions,
    logger,
    deps: {
      ...deps,
      deliveryPriority: {
        async during(handle) {
          happened.push('begun');
          await handle();
          happened.push('ended');
        },
      },
      messageLog: { note: () => void happened.push('listener') },
    },
  });
  const body = mentionOf({ user: 'U1', text: '<@UBOT> Where is it?', ts: '1700000000.000100' });
  await app.processEvent({ body: { ...body }, ack: async () => undefined });
  expect(happened).toEqual(['begun', 'listener', 'ended']);
});
