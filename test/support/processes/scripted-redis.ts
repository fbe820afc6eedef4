import { createServer, type Socket } from 'node:net';

/** A reply as it goes on the wire; `drop` ends the connection instead, `silence` says nothing. */
export type ScriptedReply = string | 'drop' | 'silence';

export interface ScriptedRedis {
  url: string;
  port: number;
  /** The commands of all connections so far, without those by which the client introduces itself. */
  commands: string[][];
  /** How many connections were made. */
  connections(): number;
  /** How many of them are open. */
  open(): number;
  /** Ends every connection and takes no more. */
  stop(): Promise<void>;
}

/** A server that speaks just enough of the Redis protocol to answer each command as `answer` says. */
export async function startScriptedRedis(
  answer: (name: string, args: string[]) => ScriptedReply | undefined,
): Promise<ScriptedRedis> {
  const sockets = new Set<Socket>();
  const commands: string[][] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    let received = '';
    socket.on('data', (data) => {
      received += data.toString('latin1');
      for (;;) {
        const parsed = parseCommand(received);
        if (parsed === undefined) return;
        received = received.slice(parsed.length);
        const [name = '', ...args] = parsed.words;
        if (name !== 'CLIENT') commands.push(parsed.words);
        const reply = answer(name, args) ?? (name === 'PING' ? '+PONG\r\n' : '+OK\r\n');
        if (reply === 'drop') socket.destroy();
        else if (reply !== 'silence') socket.write(reply);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `redis://127.0.0.1:${address.port}`,
    port: address.port,
    commands,
    connections: () => connections,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A text as Redis replies with it. */
export function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

/** The first command of `received`, an array of texts, once all of it is there. */
function parseCommand(received: string): { words: string[]; length: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(received);
  if (head === null) return undefined;
  let offset = head[0].length;
  const words: string[] = [];
  for (let index = 0; index < Number(head[1]); index += 1) {
    const size = /^\$(\d+)\r\n/.exec(received.slice(offset));
    if (size === null) return undefined;
    offset += size[0].length;
    const end = offset + Number(size[1]);
    if (received.length < end + 2) return undefined;
    words.push(Buffer.from(received.slice(offset, end), 'latin1').toString('utf8'));
    offset = end + 2;
  }
  return { words, length: offset };
}
