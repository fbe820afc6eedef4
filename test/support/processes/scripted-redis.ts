import { createServer, type Socket } from 'node:net';

/** A raw reply; `drop` closes the connection instead, `silence` sends nothing. */
export type ScriptedReply = string | 'drop' | 'silence';

export interface ScriptedRedis {
  url: string;
  port: number;
  /** The commands of all connections so far, without the client's handshake. */
  commands: string[][];
  /** Number of connections so far. */
  connections(): number;
  /** Number of open connections. */
  open(): number;
  /** Closes all connections and stops listening. */
  stop(): Promise<void>;
}

const usual: Record<string, string> = { PING: '+PONG\r\n', EXEC: '*1\r\n+PONG\r\n' };

/** A server that speaks a minimal Redis protocol and replies to each command with the result of `answer`. */
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
        const reply = answer(name, args) ?? usual[name] ?? '+OK\r\n';
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

/** A bulk string reply. */
export function bulk(text: string): string {
  return `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
}

/** Parses the first complete command in `received`. */
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
