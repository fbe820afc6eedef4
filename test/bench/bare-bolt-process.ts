import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver } from '@slack/bolt';
import { team } from '../support/fake-slack/fake-slack.ts';
import { signingSecret } from '../support/storm/slack-deliveries.ts';

// Run as a process of its own: the least that a Bolt app can do with a mention. Says its address in one line of JSON.

const receiver = new HTTPReceiver({ signingSecret, endpoints: ['/slack/events'] });
const app = new App({
  receiver,
  authorize: async () => ({ botToken: team.botToken, botUserId: team.botUserId, botId: team.botId }),
});
app.event('app_mention', async () => {});
const server = await receiver.start(0);
const { port } = server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
