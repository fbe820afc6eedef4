import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { openPage, type Page } from '../../src/demo/page.ts';
import { listenLocally } from '../support/fake-service/scripted-server.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { rawGet } from '../support/raw-request.ts';

const html = '<p>page</p>';

/** The server behind the page, on a unix socket as in a network namespace. */
let slackServer: Server;
let arrived: IncomingMessage[];
let answer: (response: ServerResponse) => void;
let socketPath: string;
let page: Page;

beforeEach(async () => {
  const temp = await createTempDir();
  socketPath = join(temp.path, 'slack');
  arrived = [];
  answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html);
  slackServer = createServer((request, response) => {
    arrived.push(request);
    answer(response);
  });
  const sockets = new WebSocketServer({ server: slackServer });
  sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`got ${data}`)));
  await new Promise<void>((resolve) => slackServer.listen(socketPath, resolve));
  page = await openPage({ socketPath }, 0);
  return async () => {
    await page.close();
    slackServer.close();
    slackServer.closeAllConnections();
    await temp.remove();
  };
});

/** The first message a WebSocket receives, or the status of its refusal. */
function greet(headers: Record<string, string>): Promise<string | number | undefined> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(page.url.replace('http', 'ws'), { headers });
    socket.on('open', () => socket.send('hello'));
    socket.on('message', (data) => {
      resolve(String(data));
      socket.close();
    });
    socket.on('unexpected-response', (request, { statusCode }) => {
      resolve(statusCode);
      request.destroy();
    });
    socket.on('error', reject);
  });
}

describe('the page of the demo', () => {
  it('passes the requests of programs unchanged, and corrects what a browser opens', async () => {
    expect(await rawGet(page.url)).toEqual({ status: 200, body: html });
    const { body } = await rawGet(page.url, { accept: 'text/html,*/*' });
    expect(body.startsWith(html)).toBe(true);
    expect(body).toContain('<script>');
    expect(await greet({})).toBe('got hello');
  });

  it.each([
    ['a browser at 127.0.0.1', { 'sec-fetch-site': 'same-origin', origin: 'own' }],
    ['a request for an address that was typed', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['another name of this machine', { host: 'localhost:8080', origin: 'http://localhost:8080' }],
    ['IPv6', { host: '[::1]:8080', origin: 'http://[::1]:8080' }],
  ])('admits %s', async (_, headers) => {
    const sent = 'origin' in headers && headers.origin === 'own' ? { ...headers, origin: page.url } : headers;
    expect(await rawGet(page.url, sent)).toMatchObject({ status: 200 });
    expect(await greet(sent)).toBe('got hello');
  });

  it.each([
    ['another name with the address of this machine', { host: 'rebound.example' }],
    ['a name that only begins like this machine', { host: '127.0.0.1.example' }],
    ['another site', { origin: 'https://other.example' }],
    ['another page on this machine', { origin: 'http://127.0.0.1:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['an image of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
  ])('refuses %s with 403 and says why', async (_, headers) => {
    const { status, body } = await rawGet(`${page.url}/api/chat.postMessage`, headers);
    expect(status).toBe(403);
    expect(body).toMatch(/^The .+\.\n$/);
    expect(await greet(headers)).toBe(403);
    expect(arrived).toEqual([]);
  });

  it.each([
    ['/', 200],
    ['/archives/C0GENERAL/p1?thread_ts=1.2', 200],
    ['/api/chat.postMessage?channel=C0GENERAL', 403],
    ['/%61pi/chat.postMessage', 403],
    ['/_control/reset', 403],
  ])('opens %s from a link on another site with status %i', async (path, status) => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect((await rawGet(`${page.url}${path}`, link)).status).toBe(status);
  });

  it('says when the local Slack does not answer', async () => {
    slackServer.close();
    slackServer.closeAllConnections();
    expect(await rawGet(page.url)).toEqual({ status: 502, body: 'The local Slack does not answer.\n' });
  });

  it('breaks off a reply that was cut off, and does not complete it', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '100' });
      response.write('half', () => response.destroy());
    };
    await expect(rawGet(page.url)).rejects.toThrow(/aborted/);
  });

  it('reports when its port is not available', async () => {
    const taken = createTcpServer();
    const port = await listenLocally(taken);
    try {
      await expect(openPage({ socketPath }, port)).rejects.toThrow(`cannot listen on port ${port}`);
    } finally {
      taken.close();
    }
  });
});
