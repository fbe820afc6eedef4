import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MessageFile } from '../../src/core/question/thread-notes.ts';
import { createOutbound } from '../../src/deepsearch/outbound.ts';
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

function file(url: string, type = 'text/plain'): MessageFile {
  return { id: 'F1', name: 'a.txt', type, bytes: 3, url };
}

function sends(body: string | Buffer, contentType = 'text/plain', status = 200): typeof respond {
  return (_, response) => void response.writeHead(status, { 'content-type': contentType }).end(body);
}

describe('the content of a file', () => {
  test('is read with the token', async () => {
    respond = sends('höm');
    expect(await readFile(file(`${base}/files-pri/T1-F1/a.txt`))).toBe('höm');
    expect(seen).toEqual([{ path: '/files-pri/T1-F1/a.txt', authorization: 'Bearer xoxb-secret' }]);
  });

  test('is read up to a limit, also where that cuts a character', async () => {
    respond = sends(`a${'ö'.repeat(80_000)}`);
    const text = await readFile(file(`${base}/a`));
    expect(text).toBe(`a${'ö'.repeat(49_999)}`);
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
    expect(await readFile(file(`${base}/a`))).toHaveLength(100_000);
  });

  test('may be HTML where the file is', async () => {
    respond = sends('<p>', 'text/html; charset=utf-8');
    expect(await readFile(file(`${base}/a`, 'text/html'))).toBe('<p>');
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

  test('is not read after a redirect', async () => {
    respond = (_, response) => void response.writeHead(302, { location: `${base}/elsewhere` }).end();
    expect(await readFile(file(`${base}/a`))).toBeUndefined();
    expect(seen).toHaveLength(1);
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
