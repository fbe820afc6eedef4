import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MessageFile } from '../../src/core/question/thread-notes.ts';
import { createOutbound } from '../../src/service/outbound.ts';
import { createFileReader, type ReadFile } from '../../src/slack/threads/thread-files.ts';

let base: string;
let seen: { path: string; authorization: string | undefined }[];
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let close: () => Promise<void>;
let readFile: ReadFile;

const outbound = createOutbound({});
afterAll(() => outbound.close());

beforeEach(async () => {
  seen = [];
  const server = createServer((request, response) => {
    seen.push({ path: request.url ?? '', authorization: request.headers.authorization });
    respond(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  readFile = createFileReader({ botToken: async () => 'xoxb-secret', slackApiUrl: `${base}/api/`, outbound });
  close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  };
});
afterEach(() => close());

function file(url: string, type = 'text/plain', bytes = 3): MessageFile {
  return { id: 'F1', name: 'a.txt', type, bytes, url };
}

function sends(body: string | Buffer, contentType = 'text/plain', status = 200): typeof respond {
  return (_, response) => void response.writeHead(status, { 'content-type': contentType }).end(body);
}

describe('the content of a file', () => {
  test('is read with the token', async () => {
    respond = sends('höm');
    expect(await readFile(file(`${base}/files-pri/T1-F1/a.txt`))).toEqual({ text: 'höm' });
    expect(seen).toEqual([{ path: '/files-pri/T1-F1/a.txt', authorization: 'Bearer xoxb-secret' }]);
  });

  const log = Buffer.from(Array.from({ length: 60_000 }, (_, index) => `höm ${index}\n`).join(''));

  /** Answers a request for a part of the log as a server does that can. */
  const inParts: typeof respond = ({ headers }, response) => {
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    const part = log.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${log.length}` }).end(part);
  };

  test.each<[string, typeof respond, number]>([
    ['in parts where the server sends parts', inParts, 2],
    ['to its end where the server sends all of it', (_, response) => void response.end(log), 1],
  ])('is its beginning and its end where it is large, read %s', async (_, how, requests) => {
    respond = how;
    const read = await readFile(file(`${base}/a`, 'text/plain', log.length));
    const { text = '', gap = { at: 0, characters: 0 } } = read ?? {};
    const whole = log.toString();
    expect([whole.startsWith(text.slice(0, gap.at)), whole.endsWith(text.slice(gap.at))]).toEqual([true, true]);
    expect(Buffer.byteLength(text) + gap.characters).toBeGreaterThan(log.length - 8);
    expect(text.length).toBeGreaterThan(100_000);
    expect(seen).toHaveLength(requests);
  });

  test('is whole up to 120,000 bytes, and not larger than that where Slack told a wrong size', async () => {
    respond = sends('x'.repeat(120_000));
    expect(await readFile(file(`${base}/a`))).toEqual({ text: 'x'.repeat(120_000) });
    respond = sends(log);
    const read = await readFile(file(`${base}/a`));
    expect(read?.text.endsWith('höm 59999\n')).toBe(true);
    expect(read?.text.length).toBeLessThanOrEqual(120_000);
  });

  test('is cut off where it never ends', async () => {
    let isOpen = true;
    respond = (_, response) => {
      response.on('close', () => {
        isOpen = false;
      });
      const more = (): void => {
        while (isOpen && response.write('x'.repeat(10_000)));
        if (isOpen) response.once('drain', more);
      };
      more();
    };
    const read = await readFile(file(`${base}/a`));
    expect(read?.text).toHaveLength(40_000);
    expect(read?.gap?.characters).toBeGreaterThan(9_000_000);
  });

  test('may be HTML where the file is', async () => {
    respond = sends('<p>', 'text/html; charset=utf-8');
    expect(await readFile(file(`${base}/a`, 'text/html'))).toEqual({ text: '<p>' });
  });

  test.each([
    ['a page to sign in at', sends('<!DOCTYPE html>', 'text/html')],
    ['a 404', sends('no', 'text/plain', 404)],
    ['bytes that are no text', sends(Buffer.from([80, 75, 0, 0, 3]))],
    ['a broken connection', (request: IncomingMessage) => void request.socket.destroy()],
  ])('is missing where Slack sends %s', async (_, how) => {
    respond = how;
    expect(await readFile(file(`${base}/a`))).toBeUndefined();
  });

  test('is read after a redirect to another address of files, with the token', async () => {
    respond = ({ url }, response) =>
      url === '/moved' ? void response.end('here') : void response.writeHead(302, { location: '/moved' }).end();
    expect(await readFile(file(`${base}/a`))).toEqual({ text: 'here' });
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer xoxb-secret', 'Bearer xoxb-secret']);
  });

  test.each([
    ['the Web API', 'api/users.list', 1],
    ['another host', 'http://localhost:1/a', 1],
    ['a host of Slack in the clear', 'http://files.slack.com/files-pri/T1-F1/a', 1],
    ['itself', '/a', 4],
    ['nowhere', 'http://', 1],
  ])('is missing after a redirect to %s', async (_, location, requests) => {
    respond = (__, response) => void response.writeHead(302, { location }).end();
    expect(await readFile(file(`${base}/a`))).toBeUndefined();
    expect(seen).toHaveLength(requests);
  });
});

describe('the bot token', () => {
  test.each([
    '/api/users.list',
    '/api/chat.delete?channel=C1&ts=1.1',
    '/api',
    '//api/users.list',
    '/API/users.list',
    '/files-pri/../api/users.list',
    '/files-pri/%2e%2e/api/users.list',
    '/files-pri/..%2fapi/users.list',
    '/files-pri/..%5Capi/users.list',
    '\\\\api/users.list',
  ])('is never sent to the Web API, even for a file with the address %s', async (path) => {
    respond = sends('never');
    expect(await readFile(file(`${base}${path}`))).toBeUndefined();
    expect(seen).toEqual([]);
  });

  test.each([
    (port: string) => `http://localhost:${port}/a`,
    (port: string) => `http://user:secret@127.0.0.1:${port}/a`,
    () => 'http://127.0.0.1:1/a',
    () => 'ftp://files.slack.com/a',
    () => 'not a url',
  ])('is sent to no other host, as in the case %#', async (urlOf) => {
    respond = sends('never');
    expect(await readFile(file(urlOf(new URL(base).port)))).toBeUndefined();
    expect(seen).toEqual([]);
  });

  test('is sent nowhere for a file without an address', async () => {
    expect(await readFile({ id: 'F1', name: 'a', type: 'text/plain', bytes: 1 })).toBeUndefined();
  });
});
