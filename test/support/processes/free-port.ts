import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux assigns automatically (32768 and up): another program could get the port between this check
 * and the start of the program, or during a restart.
 */
const lowestPort = 15_000;
const portsEnd = 32_000;

/** A free port of 127.0.0.1, for programs that need a port as a setting. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowestPort, portsEnd);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, '127.0.0.1', resolve));
    await new Promise((resolve) => probe.close(resolve));
    return true;
  } catch {
    return false;
  }
}
