import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver } from '@slack/bolt';
import { team } from '../../src/local-slack/people.ts';
import { signingSecret } from '../../test/support/storm/slack-deliveries.ts';

// A separate process with a minimal Bolt app that acknowledges mentions. Prints its address as one line of JSON.

const receiver = new HTTPReceiver({ signingSecret, endpoints: ['/slack/events'] });
const app = new App({
  receiver,
  authorize: async () => ({ botToken: team.botToken, botUserId: team.botUserId, botId: team.botId }),
});
app.event('app_mention', async () => {});
const server = await receiver.start(0);
const { port } = server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
