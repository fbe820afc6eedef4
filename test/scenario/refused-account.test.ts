import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { startFakeService } from '../support/fake-service/fake-service.ts';
import { json, startScriptedServer } from '../support/fake-service/scripted-server.ts';
import { startWorld } from '../support/world/world.ts';

/** The warnings of a start about the app's account at the service, once `/readyz` shows that it is refused. */
async function warningsOfStart(settings: Record<string, string>): Promise<string[]> {
  const service = await startFakeService();
  onTestFinished(() => service.stop());
  const lines: string[] = [];
  const world = await startWorld({
    service: { url: service.url, token: 'revoked-token' },
    settings: { LOG_LEVEL: 'warn', ...settings },
    onLogLine: (line) => void lines.push(line),
  });
  onTestFinished(() => world.stop());
  await eventually(async () => {
    expect(await (await world.readyz()).json()).toMatchObject({ ready: true, access: { deepsearch: 'refused' } });
  });
  expect(lines.join()).not.toContain('revoked-token');
  return lines.flatMap((line) => /"event":"(deepsearch\.(?:access|token))"/.exec(line)?.[1] ?? []);
}

test('a refused access token is one warning at start, and stands on /readyz before anyone asks', async () => {
  expect(await warningsOfStart({})).toEqual(['deepsearch.access']);
});

test('so is an account that gets no token, with the reason', async () => {
  const issuer = await startScriptedServer();
  onTestFinished(() => issuer.close());
  issuer.script(json({ error: 'invalid_client' }, 401));
  const client = { SRC_CLIENT_ID: 'app', SRC_CLIENT_SECRET: 'wrong', SRC_TOKEN_URL: `${issuer.origin}/token` };
  expect(await warningsOfStart({ ...client, SRC_ACCESS_TOKEN: '' })).toEqual(['deepsearch.token', 'deepsearch.access']);
  expect(issuer.requests).toHaveLength(1);
});
