import type { HeardFile } from '../../core/heard.ts';
import type { Outbound } from '../calls/outbound.ts';

/** Longest time one download may take, in milliseconds, and most bytes that are read of a file. */
const downloadTimeoutMs = 10_000;
const mostBytes = 100_000;

/** Reads the beginning of a text file; undefined where it can't be read or is no text. Never throws. */
export type ReadFile = (file: HeardFile) => Promise<string | undefined>;

/**
 * Reads files of messages. The token goes to Slack's own hosts only: that of the Web API and those below it, or below
 * slack.com; redirects are not followed.
 */
export function createFileReader(deps: { botToken: string; slackApiUrl: string; outbound: Outbound }): ReadFile {
  const { botToken, slackApiUrl, outbound } = deps;
  const api = new URL(slackApiUrl);

  return async function readFile({ url, type }) {
    if (url === undefined || !URL.canParse(url)) return undefined;
    const address = new URL(url);
    if (!isSlacks(address)) return undefined;
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

  function isSlacks({ protocol, host, hostname, username, password }: URL): boolean {
    if (username !== '' || password !== '') return false;
    if (host === api.host && protocol === api.protocol) return true;
    if (protocol !== 'https:' || host !== hostname) return false;
    return hostname === 'slack.com' || hostname.endsWith('.slack.com') || hostname.endsWith(`.${api.hostname}`);
  }
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
