import { createServer } from 'node:http';
import type { BuiltPrograms } from './built-programs.ts';

let building: Promise<BuiltPrograms> | undefined;

// Loaded with the first request, because most runs of single test files start no program.
async function build(): Promise<BuiltPrograms> {
  const { buildPrograms } = await import('./built-programs.ts');
  return buildPrograms();
}

const server = createServer((_, response) => {
  building ??= build();
  building.then(
    ({ dist }) => response.end(dist),
    (error: unknown) => response.writeHead(500).end(String(error)),
  );
});

/** Vitest calls this at the start of a run (`globalSetup`). The first request of a worker builds the programs. */
export async function setup(): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening on a port');
  process.env.BUILD_SERVER_URL = `http://127.0.0.1:${address.port}`;
}

/** Vitest calls this at the end of a run. */
export async function teardown(): Promise<void> {
  server.close();
  server.closeAllConnections();
  const built = await building?.catch(() => undefined);
  await built?.remove();
}
