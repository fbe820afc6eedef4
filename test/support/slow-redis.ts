import { createServer, connect as dial, type Socket } from 'node:net';
import { freePort } from './free-port.ts';
import { startRedisServer } from './redis-server.ts';

/** A real redis-server behind a connection that can hold back single writes. */
export interface SlowRedis {
  url: string;
  /** Holds back the next thing that is sent with these words in it, and all that follows on that connection. */
  holdNext(words: string, ms: number): void;
  stop(): Promise<void>;
}

export async function startSlowRedis(): Promise<SlowRedis> {
  const redis = await startRedisServer(['--appendonly', 'no']);
  const holds: { words: string; ms: number }[] = [];
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
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

  return {
    url: `redis://127.0.0.1:${port}`,
    holdNext: (words, ms) => void holds.push({ words, ms }),
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await redis.stop();
    },
  };

  function heldFor(text: string): number {
    const index = holds.findIndex(({ words }) => text.includes(words));
    return index < 0 ? 0 : (holds.splice(index, 1)[0]?.ms ?? 0);
  }
}

async function pass(bytes: Buffer, to: Socket, ms: number): Promise<void> {
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  to.write(bytes);
}
