import { expect, onTestFinished } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import {
  createServiceClient,
  type ServiceClient,
  type ServiceClientOptions,
} from '../../src/service/service-client.ts';
import { type ScriptedServer, startScriptedServer } from '../support/fake-service/scripted-server.ts';
import { createDeepSearchClient, type DeepSearchClient } from '../support/service/open-client.ts';

export const SECRET = 'sgp_secret';

const clientDefaults: Omit<ServiceClientOptions, 'baseUrl'> = {
  auth: { kind: 'token', token: SECRET },
  userAgentVersion: '1.2.3',
  random: () => 0,
  timeoutMs: 5_000,
  createTimeoutMs: 5_000,
};

/** A client without pauses between retries; closed at the end of the test. */
export function openClient(options: Partial<ServiceClientOptions> & { baseUrl: string }): DeepSearchClient {
  const client = createDeepSearchClient({ ...clientDefaults, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** A scripted server; closed at the end of the test. */
export async function openServer(tls?: { key: string; cert: string }): Promise<ScriptedServer> {
  const server = await startScriptedServer(tls);
  onTestFinished(() => server.close());
  return server;
}

/** A client connected to a scripted server. */
export async function connect(
  options: Partial<ServiceClientOptions> = {},
): Promise<{ client: DeepSearchClient; server: ScriptedServer }> {
  const server = await openServer();
  return { server, client: openClient({ baseUrl: server.origin, ...options }) };
}

/** The HTTP layer connected to a scripted server. */
export async function connectService(
  options: Partial<ServiceClientOptions> = {},
): Promise<{ service: ServiceClient; server: ScriptedServer }> {
  const server = await openServer();
  const service = createServiceClient({ ...clientDefaults, baseUrl: server.origin, ...options });
  onTestFinished(() => service.close());
  return { service, server };
}

/** Returns the typed error of a call; fails for any other result, and when the message contains the credential. */
export async function errorOf(call: Promise<unknown>): Promise<AppError> {
  const outcome = await call.then(
    (value) => new Error(`unexpected success: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(outcome instanceof AppError)) throw outcome;
  expect(`${outcome.message} ${outcome.stack}`).not.toContain(SECRET);
  return outcome;
}

export function question(fields: Record<string, unknown> = {}) {
  return { id: 11, conversation_id: 7, question: 'where?', status: 'processing', ...fields };
}

export function conversation(fields: Record<string, unknown> = {}) {
  return { id: 7, questions: [question()], ...fields };
}
