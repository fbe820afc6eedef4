import type { Identity } from '../../../src/slack/api/slack-api.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { createRecordingLog } from '../recording-log.ts';
import { createUnlimitedSlackApi } from './unlimited-slack-api.ts';

/** Slack's reply to one call, or a function of its arguments; a reply with `error` is a refusal. */
export type Reply = Record<string, unknown> | ((args: URLSearchParams) => Record<string, unknown>);

/** The parts an adapter of Slack needs, before a Slack that says `replies` and a clock that stands still. */
export function createScriptedSlack(
  replies: Record<string, Reply> = {},
  identity?: Identity,
  before?: Parameters<typeof createUnlimitedSlackApi>[2],
) {
  const { log, lines } = createRecordingLog();
  const calls: { method: string; args: URLSearchParams }[] = [];
  let nowMs = 1_700_000_000_000;
  const client = createWebClient('xoxb-test', {
    ...webClientOptions('http://127.0.0.1:9/api/', createLibraryLogger(log)),
    fetch: async (url, init) => {
      const method = String(url).replace(/^.*\/api\//, '');
      const args = new URLSearchParams(String(init?.body));
      calls.push({ method, args });
      const reply = replies[method] ?? { error: 'unknown_method' };
      const said = typeof reply === 'function' ? reply(args) : reply;
      return Response.json({ ok: !('error' in said), ...said });
    },
  });
  return {
    replies,
    lines,
    calls,
    called: (method: string) => calls.filter((each) => each.method === method).length,
    pass: (ms: number) => {
      nowMs += ms;
    },
    deps: {
      slack: createUnlimitedSlackApi(client, identity, before),
      log,
      now: () => nowMs,
    },
  };
}
