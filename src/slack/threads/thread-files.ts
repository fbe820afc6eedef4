import type { MessageFile } from '../../core/question/thread-notes.ts';
import type { Outbound } from '../api/outbound-fetch.ts';
import { downloadTimeoutMs, mostFileBytes } from '../settings.ts';

/** Reads the beginning of a text file. Undefined when it can't be read or is not text. Never throws. */
export type ReadFile = (file: MessageFile) => Promise<string | undefined>;

/** Hosts from which Slack serves the files of messages, including those of GovSlack. */
const fileHosts = /^(?:(?:[a-z0-9-]+\.)*slack(?:-gov)?\.com|(?:[a-z0-9-]+\.)*slack-files\.com)$/;

/** The path of files on those hosts. They also serve the Web API, where a link with our token would make a call. */
const filePath = /^\/files-pri\/./;

/** Codes that a server may read as a path separator, or decode twice. The rules here would not see the real path. */
const hiddenSeparator = /%(?:2f|5c|00|25[0-9a-f]{2})/i;

/** A percent-encoded ASCII character. */
const encoded = /%([2-7][0-9a-f])/gi;

/**
 * Reads files of messages. The token is sent only to addresses where Slack keeps files, and never to its Web API.
 * Redirects are not followed. The server of `slackApiUrl` is allowed too, outside the path of its Web API.
 */
export function createFileReader(deps: {
  botToken: () => Promise<string>;
  slackApiUrl: string;
  outbound: Outbound;
}): ReadFile {
  const { botToken, slackApiUrl, outbound } = deps;
  const api = new URL(slackApiUrl);

  return async function readFile({ url, type }) {
    if (url === undefined || !URL.canParse(url)) return undefined;
    const address = new URL(url);
    if (!isFileAddress(address, api)) return undefined;
    try {
      const response = await outbound.fetch(address, {
        headers: { authorization: `Bearer ${await botToken()}` },
        redirect: 'error',
        signal: AbortSignal.timeout(downloadTimeoutMs),
      });
      // When the token may not read a file, Slack returns a sign-in page and no error.
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

async function beginning(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the download.
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes >= mostFileBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, mostFileBytes);
}

/** Undefined when the content is not text, even if Slack says that it is. */
function decode(bytes: Buffer): string | undefined {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  // The last character may be incomplete. With `stream` it is left out.
  const text = new TextDecoder(encoding).decode(bytes, { stream: true });
  return text.includes('\0') ? undefined : text;
}
