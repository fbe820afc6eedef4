import { request } from 'node:http';

/** A GET with exactly these headers and the required ones; `fetch` cannot change `host`. */
export function rawGet(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent: false, timeout: 20_000 }, (reply) => {
      const reading = reply.setEncoding('utf8').toArray();
      reading.then((pieces) => resolve({ status: reply.statusCode, body: pieces.join('') }), reject);
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no reply from ${url}`)));
    outgoing.on('error', reject);
    outgoing.end();
  });
}
