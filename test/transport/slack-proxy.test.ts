import { App } from '@slack/bolt';
import { WebSocket } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { people, team } from '../../src/local-slack/people.ts';
import { createOutbound, type Outbound } from '../../src/service/outbound.ts';
import type { ProxySettings } from '../../src/service/proxy.ts';
import { clientFetch, createLibraryLogger, webClientOptions } from '../../src/slack/api/web-client.ts';
import { createSocketReceiver } from '../../src/slack/receivers/socket-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { serviceToken, startFakeService } from '../support/fake-service/fake-service.ts';
import { openProxy } from '../support/fake-service/http-proxy.ts';
import { startSocketSlack } from '../support/fake-slack/socket-mode-server.ts';
import { mentionOf, pressOf } from '../support/local-slack/payloads.ts';
import { nowhere } from '../support/nowhere.ts';
import { one } from '../support/one.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { startWorld, type World } from '../support/world/world.ts';
import { selfSigned } from './self-signed.ts';
import { openServer } from './setup.ts';

/** An address without a listener. */

function openOutbound(proxy: ProxySettings): Outbound {
  const outbound = createOutbound(proxy);
  onTestFinished(() => outbound.close());
  return outbound;
}

async function openWorld(settings: Record<string, string>) {
  const service = await startFakeService();
  onTestFinished(() => service.stop());
  const world = await startWorld({ service: { url: service.url, token: serviceToken }, settings });
  onTestFinished(async () => {
    await world.stop();
    expect(world.slack.violations).toEqual([]);
  });
  return { service, world };
}

/** Makes the app call Slack in every way: methods, reading a file, sending a file, and a response URL. */
async function callInEveryWay({ service, world }: Awaited<ReturnType<typeof openWorld>>): Promise<void> {
  const root = world.slack.say('C0GENERAL', people.ada, 'look at this');
  world.slack.addFile(root, { name: 'error.log', text: 'TypeError: x is undefined' });
  await world.mention('what is wrong?', { threadTs: root });
  const question = await eventually(() => one(service.questions()));
  expect(question.question).toContain('TypeError: x is undefined');
  const paragraph = 'The retry policy counts the attempts and waits longer after each of them. '.repeat(6);
  service.answer(question, { answer: Array.from({ length: 100 }, () => paragraph).join('\n\n') });
  await eventually(() => expect(world.slack.inThread(root).some(isOurFile)).toBe(true));
  const value = 'q000000000000000000000000';
  const place = { user: people.ada, channel: 'C0GENERAL', messageTs: root };
  const responseUrl = world.slack.responseUrl('press');
  await world.deliver(pressOf({ actionId: 'deepsearch:cancel', value, ...place, responseUrl }));
  await eventually(() => expect(world.slack.responses).toHaveLength(1));
}

function isOurFile({ files = [], bot_id: botId }: World['slack']['messages'][number]): boolean {
  return botId !== undefined && files.length > 0;
}

describe('a proxy from the environment', () => {
  test('carries every call to Slack: methods, response URLs, files read and files sent', async () => {
    const proxy = await openProxy();
    const { service, world } = await openWorld({ HTTP_PROXY: proxy.address('user:pass@') });
    await callInEveryWay({ service, world });
    await world.stopApp();
    const { origin } = new URL(world.slack.url);
    const carried = proxy.seen.map((line) => line.split(' ')).filter(([, address = '']) => address.startsWith(origin));
    const paths = carried.map(([method, address = '']) => `${method} ${address.slice(origin.length)}`);
    const calls = paths.filter((path) => path.startsWith('POST /api/')).map((path) => path.slice('POST /api/'.length));
    // Calls that are made at the same time arrive in any order.
    expect(calls.toSorted()).toEqual(world.slack.calls.toSorted());
    expect(paths).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^GET \/files-pri\//),
        expect.stringMatching(/^POST \/upload\//),
        expect.stringMatching(/^POST \/response\/press/),
      ]),
    );
    expect(new Set(carried.map(([, , ...credentials]) => credentials.join(' ')))).toEqual(
      new Set(['Basic dXNlcjpwYXNz']),
    );
  });

  test('is not used for the excepted hosts', async () => {
    const { service, world } = await openWorld({ HTTP_PROXY: nowhere, HTTPS_PROXY: nowhere, NO_PROXY: '127.0.0.1' });
    await callInEveryWay({ service, world });
  });

  test('tunnels calls to an https address, where it is a proxy for https', async () => {
    const proxy = await openProxy({ refuse: true });
    const server = await openServer(selfSigned);
    const outbound = openOutbound({ https: proxy.address('user:pass@'), http: nowhere });
    await expect(outbound.fetch(`${server.origin}/api/auth.test`)).rejects.toThrow();
    expect(proxy.seen).toEqual([`CONNECT 127.0.0.1:${server.port} Basic dXNlcjpwYXNz`]);
    expect(server.requests).toEqual([]);
  });

  test('is not used for https, where it is a proxy for http only', async () => {
    const server = await openServer(selfSigned);
    const failure = openOutbound({ http: nowhere }).fetch(`${server.origin}/api/auth.test`);
    // The request reached the server, whose certificate is self-signed.
    await expect(failure).rejects.toMatchObject({ cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  });
});

describe('Socket Mode', () => {
  test.each(['through a proxy', 'without the proxy, for an excepted host'])('receives events %s', async (way) => {
    const slack = await startSocketSlack();
    onTestFinished(() => slack.stop());
    const proxy = await openProxy();
    const excepted = way.startsWith('past');
    const outbound = openOutbound({ http: proxy.address('user:pass@'), noProxy: excepted ? '127.0.0.1' : '' });
    const { log } = createRecordingLog();
    const logger = createLibraryLogger(log);
    const clientOptions = { ...webClientOptions(slack.apiUrl, logger), fetch: clientFetch(outbound) };
    const receiver = createSocketReceiver({
      appToken: team.appToken,
      clientOptions,
      outbound,
      logger,
      log,
      random: () => 0,
    });
    const app = new App({ receiver, logger, convoStore: false, authorize: async () => ({ botToken: 'xoxb-fake' }) });
    const texts: string[] = [];
    app.event('app_mention', async ({ event }) => void texts.push(event.text));
    await app.start();
    onTestFinished(async () => void (await app.stop()));
    const event = await slack.send('events_api', mentionOf({ user: 'U0ADA', text: 'hello', ts: '1.1' }));
    await eventually(() => expect(slack.acknowledged.map(({ envelopeId }) => envelopeId)).toEqual([event]));
    expect(texts).toEqual(['<@U0BOT> hello']);
    const { host } = new URL(slack.apiUrl);
    expect(proxy.seen).toEqual(
      excepted
        ? []
        : [`POST http://${host}/api/apps.connections.open Basic dXNlcjpwYXNz`, `CONNECT ${host} Basic dXNlcjpwYXNz`],
    );
  });

  test.each(['directly', 'through a proxy'])(
    'closes the socket of a server that went silent, connected %s',
    async (way) => {
      const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
      onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
      await new Promise((resolve) => server.once('listening', resolve));
      const closed: number[] = [];
      server.on('connection', (socket) => {
        const number = server.clients.size;
        socket.on('close', () => closed.push(number));
      });
      const address = server.address();
      const url = `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
      const outbound = openOutbound(way === 'directly' ? {} : { http: (await openProxy()).address() });
      const connect = async (): Promise<() => void> => {
        const { dispatcher, destroy } = outbound.socketDispatcher();
        const socket = new WebSocket(url, { dispatcher });
        socket.addEventListener('error', () => undefined);
        await eventually(() => expect(socket.readyState).toBe(WebSocket.OPEN));
        return destroy;
      };
      const destroy = await connect();
      await connect();
      expect(closed).toEqual([]);
      destroy();
      await eventually(() => expect(closed).toEqual([1]));
      await eventually(() => expect(server.clients.size).toBe(1));
      await outbound.close();
      await eventually(() => expect(server.clients.size).toBe(0));
    },
  );
});
