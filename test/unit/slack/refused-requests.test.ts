import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createLibraryLogger } from '../../../src/slack/api/library-logger.ts';
import { createHttpReceiver } from '../../../src/slack/receivers/http-receiver.ts';
import { listenLocally } from '../../support/fake-service/scripted-server.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

test('requests of strangers write a line to the log now and then, not one each', async () => {
  const { log, lines } = createRecordingLog();
  const { handle } = createHttpReceiver({ signingSecret: 'secret', logger: createLibraryLogger(log) });
  const server = createServer(handle);
  const port = await listenLocally(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const post = () =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  for (let round = 0; round < 200; round += 1) expect((await post()).status).toBe(401);
  expect(lines).toHaveLength(1);
});
