import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpServer } from '../../../src/codesearch/http/server.ts';
import { eventually } from '../../support/eventually.ts';
import { listenLocally } from '../../support/fake-service/scripted-server.ts';

const unused = async () => {
  throw new Error('no one signs in here');
};

test('a client that does not read its reply is cut off, so that the reply leaves the memory', async () => {
  const text = 'x'.repeat(50_000_000);
  const server = createHttpServer({
    routes: [async () => ({ kind: 'text', status: 200, text })],
    authentication: { authenticate: unused, pageViewer: unused },
    rateLimit: { take: () => {}, check: () => {} },
    allowsHost: () => true,
    onProblem: () => {},
    stalledMs: 100,
  });
  const port = await listenLocally(server);
  onTestFinished(() => server.closeAllConnections());
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.pause().write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
  const connections = () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  await eventually(async () => expect(await connections()).toBe(1));
  await eventually(async () => expect(await connections()).toBe(0));
});
