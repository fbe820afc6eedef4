import { connect } from 'node:net';

/** How long a server may take for one request of a test before it counts as hanging, in milliseconds. */
const patienceMs = 60_000;

/**
 * Sends exactly these bytes and reads until the server closes the connection, so the request has to ask for that. Returns
 * what came, which is empty if the server cut the connection without a reply.
 */
export function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('the server neither replied nor closed')));
    socket.setEncoding('latin1').on('data', (piece: string) => {
      text += piece;
    });
    socket.on('error', (error) => {
      // A server that refuses a request may close before it has read all of it.
      if ('code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) resolve(text);
      else reject(error);
    });
    socket.on('close', () => resolve(text));
  });
}

/** The final status of a reply; undefined if there was none. */
export function statusOf(reply: string): number | undefined {
  const status = /^(?:HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n)*HTTP\/1\.1 ([2-5]\d\d) /.exec(reply)?.[1];
  return status === undefined ? undefined : Number(status);
}

/** The bytes of a request that closes its connection. Nothing is checked, so headers may be wrong in any way. */
export function requestBytes({
  method = 'POST',
  target,
  headers = [],
  body = '',
}: {
  method?: string;
  target: string;
  headers?: readonly (readonly [string, string])[];
  body?: string | Buffer;
}): Buffer {
  const bytes = Buffer.from(body);
  const hasLength = headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: close',
    ...(hasLength || bytes.length === 0 ? [] : [`content-length: ${bytes.length}`]),
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'utf8'), bytes]);
}
