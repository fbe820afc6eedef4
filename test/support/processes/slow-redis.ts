import { createServer, connect as dial, type Socket } from 'node:net';
import { listenAsRedis, startRedisServer } from './redis-server.ts';

interface Hold {
  words: string;
  ms: number;
}

/** A real redis-server behind a proxy that can delay single writes. */
export interface SlowRedis {
  url: string;
  /**
   * Delays the next write that contains the words of the first hold, and all later writes on that connection; then
   * continues with the second hold, and so on.
   */
  holdInOrder(...holds: Hold[]): void;
  stop(): Promise<void>;
}

export async function startSlowRedis(): Promise<SlowRedis> {
  const redis = await startRedisServer(['--appendonly', 'no']);
  const holds: Hold[] = [];
  const open = new Set<Socket>();

  const server = createServer((near) => {
    const far = dial(Number(new URL(redis.url).port), '127.0.0.1');
    let before: Promise<void> = Promise.resolve();
    near.on('data', (bytes) => {
      const ms = heldFor(bytes.toString('utf8'));
      before = before.then(() => pass(bytes, far, ms));
    });
    far.pipe(near);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
  });
  const url = await listenAsRedis(server);

  return {
    url,
    holdInOrder: (...more) => void holds.push(...more),
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await redis.stop();
    },
  };

  function heldFor(text: string): number {
    const [next] = holds;
    if (next === undefined || !text.includes(next.words)) return 0;
    holds.shift();
    return next.ms;
  }
}

async function pass(bytes: Buffer, to: Socket, ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  to.write(bytes);
}
