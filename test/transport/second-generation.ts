import { createGeneration2 } from '../../src/service/generation-2/deep-search.ts';
import type { ServiceClientOptions } from '../../src/service/service-client.ts';
import type { ScriptedServer } from '../support/fake-service/scripted-server.ts';
import { connectService } from './setup.ts';

/** The second generation's adapter, connected to a scripted server. */
export async function connectSecond(options: Partial<ServiceClientOptions> = {}) {
  const { service, server } = await connectService(options);
  return { server, deepSearch: createGeneration2(service, server.origin).deepSearch };
}

/** A conversation as the second generation writes it. */
export function conversation2(fields: Record<string, unknown> = {}) {
  return {
    name: 'users/~self/conversations/140',
    state: { processing: {} },
    createTime: '2026-03-05T09:00:00Z',
    updateTime: '2026-03-05T09:00:00Z',
    questions: [question2('Where?')],
    url: '/deepsearch/140',
    ...fields,
  };
}

export function question2(text: string, fields: Record<string, unknown> = {}) {
  return { input: [{ question: { text } }], createTime: '2026-03-05T09:00:00Z', ...fields };
}

export function markdown(text: string) {
  return { markdown: { text } };
}

/** The methods that were called, in order. */
export function methodsOf({ requests }: ScriptedServer): string[] {
  return requests.map(({ url }) => url.split('/').at(-1) ?? '');
}

export function bodiesOf({ requests }: ScriptedServer): Record<string, unknown>[] {
  return requests.map(({ body }) => JSON.parse(body));
}
