import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux gives to outgoing connections and to servers without a wish (32768 and up): one of those could
 * take the port between this check and the start of the program, or while the program is restarted.
 */
const lowestPort = 15_000;
const portsEnd = 32_000;

/** A port of 127.0.0.1 that was free a moment ago, for programs that have to be told one. */
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
