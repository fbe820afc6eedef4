import { createServer } from 'node:net';
import type { DemoOptions } from './arguments.ts';

/** Describes the given ports that cannot be used; a free port may still be taken a moment later. */
export async function portProblems(options: DemoOptions): Promise<string[]> {
  const wanted: [string, number | undefined][] = [
    ['--slack-port', options.slackPort],
    ['--service-port', options.servicePort],
    ['--app-port', options.appPort],
  ];
  const problems = await Promise.all(
    wanted.map(async ([name, port]) => {
      const code = port === undefined ? undefined : await refusalOf(port);
      if (code === undefined) return [];
      const why = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`;
      return [`${name} ${port}: this port ${why}; choose another, or leave the option out for a free one`];
    }),
  );
  return problems.flat();
}

/** The error code of listening on a port; undefined when it works. */
function refusalOf(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}
