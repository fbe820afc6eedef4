import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAct } from './act.ts';
import { answerControl, type LocalSlack } from './control.ts';
import { createDelivery, createHttpSender } from './delivery.ts';
import type { Manifest } from './manifest.ts';
import { createRateLimits } from './rate-limits.ts';
import { seed } from './seed.ts';
import { startServer } from './server.ts';
import { createWorkspace } from './workspace.ts';

interface LocalSlackOptions {
  manifest: Manifest;
  port?: number;
  /** Where the app takes signed requests; without it, it connects by Socket Mode. */
  events?: { url: string; signingSecret: string };
  /** Refuses calls that come too often. */
  rateLimits?: boolean;
  /** Hosts, with ports, whose links get previews by the app, besides those of the manifest. */
  unfurlHosts?: readonly string[];
  /** Makes what answers requests for pages. */
  pages?: (local: LocalSlack) => (request: IncomingMessage, response: ServerResponse) => Promise<void>;
}

/** Starts a workspace with people, channels and the app of a manifest, on 127.0.0.1. */
export async function startLocalSlack({
  manifest,
  port = 0,
  events,
  rateLimits = false,
  unfurlHosts = [],
  pages,
}: LocalSlackOptions) {
  const server = await startServer({ port, ...(rateLimits ? { treat: createRateLimits() } : {}) });
  const { state, socketMode, granted } = server;
  granted.scopes = manifest.scopes.join(',');
  seed(state);
  const delivery = createDelivery(events === undefined ? socketMode.send : createHttpSender(events));
  const hosts = new Set([...unfurlHosts, ...manifest.unfurlDomains]);
  const { act, told } = createAct({
    state,
    manifest,
    previews: (host) => hosts.has(host),
    deliver: delivery.deliver,
  });
  state.told.of = told;
  const workspace = createWorkspace(state, manifest, () => events !== undefined || socketMode.isConnected());
  const local = { workspace, act };
  const page = pages?.(local);
  server.page.handle = (request, response) =>
    /^\/(?:act|see)\//.test(request.url ?? '') ? answerControl(local, request, response) : page?.(request, response);
  return {
    url: server.url,
    workspace,
    act,
    violations: state.violations,
    stop: async () => {
      delivery.stop();
      await server.stop();
    },
  };
}
