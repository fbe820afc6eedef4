import type { MessageFile } from '../../core/question/thread-notes.ts';
import type { Outbound } from '../api/web-client.ts';
import { downloadTimeoutMs, headBytes, mostFileBytes, mostRedirects, tailBytes } from '../settings.ts';

/** What was read of a text file. `gap`: about how many characters are left out of it, and at which index of `text`. */
export interface FileText {
  text: string;
  gap?: { at: number; characters: number };
}

/** Reads a text file: all of it, or its beginning and its end. Undefined when it can't be read or is not text. Never throws. */
export type ReadFile = (file: MessageFile) => Promise<FileText | undefined>;

/** Hosts from which Slack serves the files of messages, including those of GovSlack. */
const fileHosts = /^(?:(?:[a-z0-9-]+\.)*slack(?:-gov)?\.com|(?:[a-z0-9-]+\.)*slack-files\.com)$/;

/** The path of files on those hosts. They also serve the Web API, where a link with our token would make a call. */
const filePath = /^\/files-pri\/./;

/** Codes that a server may read as a path separator, or decode twice. The rules here would not see the real path. */
const hiddenSeparator = /%(?:2f|5c|00|25[0-9a-f]{2})/i;

/** A percent-encoded ASCII character. */
const encoded = /%([2-7][0-9a-f])/gi;

/** The path of the Web API on those hosts. */
const webApiPath = '/api';

/**
 * Reads files of messages. The token is sent only to addresses where Slack keeps files, and never to its Web API. The
 * server of `slackApiUrl` is allowed too, outside the path of its Web API.
 */
export function createFileReader(deps: {
  botToken: () => Promise<string>;
  slackApiUrl: string;
  outbound: Outbound;
}): ReadFile {
  const { botToken, slackApiUrl, outbound } = deps;
  const api = new URL(slackApiUrl);

  return async function readFile({ url, type, bytes }) {
    if (url === undefined || !URL.canParse(url)) return undefined;
    const address = new URL(url);
    if (!isFileAddress(address, api)) return undefined;
    const signal = AbortSignal.timeout(downloadTimeoutMs);
    try {
      return decode(await read(address, type, bytes, signal));
    } catch {
      return undefined;
    }
  };

  /** Of a large file only the ends are asked for. A server that returns all of it is read to its end, up to a limit. */
  async function read(address: URL, type: string, bytes: number, signal: AbortSignal): Promise<Ends | undefined> {
    const isLarge = bytes > headBytes + tailBytes;
    const first = await get(address, type, signal, isLarge ? `bytes=0-${headBytes - 1}` : undefined);
    if (first === undefined) return undefined;
    const whole = sizeIn(first);
    const ends = await endsOf(first.body);
    if (whole === undefined || whole <= ends.size) return ends;
    const last = await get(address, type, signal, `bytes=${Math.max(ends.size, whole - tailBytes)}-${whole - 1}`);
    if (last?.status !== 206) {
      await last?.body.cancel();
      return { ...ends, size: whole };
    }
    const { head, tail } = await endsOf(last.body);
    return { head: ends.head, tail: Buffer.concat([head, tail]), size: whole };
  }

  /** Undefined when there is no such file for the token. Slack may redirect to another of its hosts. */
  async function get(address: URL, type: string, signal: AbortSignal, range?: string): Promise<Found | undefined> {
    let at = address;
    for (let hops = 0; hops <= mostRedirects; hops += 1) {
      const response = await outbound.fetch(at, {
        headers: { authorization: `Bearer ${await botToken()}`, ...(range === undefined ? {} : { range }) },
        redirect: 'manual',
        signal,
      });
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null;
      // When the token may not read a file, Slack returns a sign-in page and no error.
      const isPage = /^text\/html\b/i.test(response.headers.get('content-type') ?? '') && !/html/i.test(type);
      const { body, status, headers } = response;
      if (location === null && response.ok && !isPage && body !== null) return { body, status, headers };
      await body?.cancel();
      if (location === null || !URL.canParse(location, at.href)) return undefined;
      at = new URL(location, at);
      if (!isRedirectAddress(at, api)) return undefined;
    }
    return undefined;
  }
}

interface Found {
  body: ReadableStream<Uint8Array>;
  status: number;
  headers: Headers;
}

/** The beginning and the end of a file. `size`: its bytes; `tail` is empty for what comes after a limit. */
interface Ends {
  head: Buffer;
  tail: Buffer;
  size: number;
}

/** The size of a file of which a server sent a part. Undefined if it sent all of it. */
function sizeIn({ status, headers }: Found): number | undefined {
  const [, size] = (status === 206 && /\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')) || [];
  return size === undefined ? undefined : Number(size);
}

/** Whether the token may be sent to where Slack's servers redirect a file. */
function isRedirectAddress(address: URL, api: URL): boolean {
  if (isFileAddress(address, api)) return true;
  const { protocol, host, hostname, username, password, pathname } = address;
  if (username !== '' || password !== '' || hiddenSeparator.test(pathname)) return false;
  return protocol === 'https:' && host === hostname && fileHosts.test(hostname) && !isBelow(webApiPath, pathname);
}

/** Whether the token may be sent to an address. `api` is the address of the Web API. */
export function isFileAddress({ protocol, host, hostname, username, password, pathname }: URL, api: URL): boolean {
  if (username !== '' || password !== '' || hiddenSeparator.test(pathname)) return false;
  if (fileHosts.test(hostname)) return protocol === 'https:' && host === hostname && filePath.test(pathname);
  return protocol === api.protocol && host === api.host && !isBelow(api.pathname, pathname);
}

/** Ignores case, encoding and repeated slashes, because servers differ in whether these make another path. */
function isBelow(parent: string, path: string): boolean {
  const decode = (each: string): string =>
    each.replace(encoded, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const plain = (each: string): string => `${decode(each).toLowerCase().replace(/\/+/g, '/').replace(/\/$/, '')}/`;
  return plain(path).startsWith(plain(parent));
}

/** Keeps the first bytes and the last ones, and reads no further than a limit. */
async function endsOf(body: ReadableStream<Uint8Array>): Promise<Ends> {
  const first: Uint8Array[] = [];
  let last: Uint8Array[] = [];
  let [size, kept, head] = [0, 0, 0];
  // Leaving the loop cancels the rest of the download.
  for await (const chunk of body) {
    size += chunk.byteLength;
    const begun = chunk.subarray(0, headBytes - head);
    if (begun.byteLength > 0) first.push(begun);
    head += begun.byteLength;
    const rest = chunk.subarray(begun.byteLength);
    last.push(rest);
    kept += rest.byteLength;
    // Joined only now and then, so that many small chunks cost no more than a few large ones.
    if (kept > 4 * tailBytes) {
      last = [Buffer.concat(last).subarray(-tailBytes)];
      kept = tailBytes;
    }
    // The end is not known.
    if (size > mostFileBytes) return { head: Buffer.concat(first), tail: Buffer.alloc(0), size };
  }
  return { head: Buffer.concat(first), tail: Buffer.concat(last).subarray(-tailBytes), size };
}

/** Undefined when the content is not text, even if Slack says that it is. */
function decode(ends: Ends | undefined): FileText | undefined {
  if (ends === undefined) return undefined;
  const { head, tail, size } = ends;
  const isWide = head[0] === 0xff && head[1] === 0xfe;
  const missing = size - head.byteLength - tail.byteLength;
  // The first and the last character of a part may be incomplete. They are left out.
  const decoder = new TextDecoder(isWide ? 'utf-16le' : 'utf-8');
  if (missing <= 0) {
    const text = decoder.decode(Buffer.concat([head, tail]), { stream: true });
    return text.includes('\0') ? undefined : { text };
  }
  const begun = decoder.decode(head, { stream: true });
  const from = isWide
    ? (size - tail.byteLength) % 2
    : Math.max(
        0,
        tail.findIndex((byte) => (byte & 0xc0) !== 0x80),
      );
  const ended = new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(tail.subarray(from), { stream: true });
  if (begun.includes('\0') || ended.includes('\0')) return undefined;
  return { text: begun + ended, gap: { at: begun.length, characters: isWide ? Math.ceil(missing / 2) : missing } };
}
