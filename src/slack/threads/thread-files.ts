import type { MessageFile } from '../../core/question/thread-notes.ts';
import type { Outbound } from '../api/outbound-fetch.ts';

/** Longest time one download may take, in milliseconds, and most bytes that are read of a file. */
const downloadTimeoutMs = 10_000;
const mostBytes = 100_000;

/** Reads the beginning of a text file; undefined where it can't be read or is no text. Never throws. */
export type ReadFile = (file: MessageFile) => Promise<string | undefined>;

/** Hosts that Slack serves the files of messages from, those of its cloud for governments included. */
const fileHosts = /^(?:(?:[a-z0-9-]+\.)*slack(?:-gov)?\.com|(?:[a-z0-9-]+\.)*slack-files\.com)$/;

/** Where files are on those hosts; the same hosts serve the Web API, which does what a link says with the token it gets. */
const filePath = /^\/files-pri\/./;

/** What a server may take for a separator of a path, or decode twice, though it is neither to the rules here. */
const hiddenSeparator = /%(?:2f|5c|00|25[0-9a-f]{2})/i;

/** A character of ASCII, written as its code. */
const encoded = /%([2-7][0-9a-f])/gi;

/**
 * Reads files of messages. The token goes to where Slack keeps files, and never to its Web API; redirects are not
 * followed. Beside Slack's own hosts that is only the server of `slackApiUrl`, outside the path of its Web API.
 */
export function createFileReader(deps: { botToken: string; slackApiUrl: string; outbound: Outbound }): ReadFile {
  const { botToken, slackApiUrl, outbound } = deps;
  const api = new URL(slackApiUrl);

  return async function readFile({ url, type }) {
    if (url === undefined || !URL.canParse(url)) return undefined;
    const address = new URL(url);
    if (!isFileAddress(address, api)) return undefined;
    try {
      const response = await outbound.fetch(address, {
        headers: { authorization: `Bearer ${botToken}` },
        redirect: 'error',
        signal: AbortSignal.timeout(downloadTimeoutMs),
      });
      // Whoever may not read a file gets a page to sign in at, and no error.
      const isPage = /^text\/html\b/i.test(response.headers.get('content-type') ?? '') && !/html/i.test(type);
      if (!response.ok || isPage || response.body === null) {
        await response.body?.cancel();
        return undefined;
      }
      return decode(await beginning(response.body));
    } catch {
      return undefined;
    }
  };
}

/** Whether the token may go there, where `api` is the address of the Web API. */
export function isFileAddress({ protocol, host, hostname, username, password, pathname }: URL, api: URL): boolean {
  if (username !== '' || password !== '' || hiddenSeparator.test(pathname)) return false;
  if (fileHosts.test(hostname)) return protocol === 'https:' && host === hostname && filePath.test(pathname);
  return protocol === api.protocol && host === api.host && !isBelow(api.pathname, pathname);
}

/** Servers differ in whether capitals, encoded letters and doubled slashes make another path, so none of them does here. */
function isBelow(parent: string, path: string): boolean {
  const decode = (each: string): string =>
    each.replace(encoded, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const plain = (each: string): string => `${decode(each).toLowerCase().replace(/\/+/g, '/').replace(/\/$/, '')}/`;
  return plain(path).startsWith(plain(parent));
}

async function beginning(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the download.
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= mostBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostBytes);
}

/** Undefined for what is no text, whatever Slack called it. */
function decode(bytes: Buffer): string | undefined {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  // A character at the cap may be incomplete: `stream` keeps it back.
  const text = new TextDecoder(encoding).decode(bytes, { stream: true });
  return text.includes('\0') ? undefined : text;
}
