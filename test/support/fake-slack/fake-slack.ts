import { startServer, type Treatment } from '../../../src/local-slack/server.ts';
import type { Args } from '../../../src/local-slack/wire.ts';
import { botScopes } from '../../../src/slack/scopes.ts';
import { isLateCall, type LateCall, untilCarriedOut } from '../late-call.ts';

/** What happens to a call instead of, or after, its effect. */
export type Fault =
  | { error: string }
  | { status: number; body?: string }
  | { retryAfterSeconds: number }
  /** The call takes effect, then the connection breaks before the reply. */
  | { breakAfterEffect: true }
  | { breakBeforeEffect: true }
  /** The call takes effect once this resolves. */
  | { until: Promise<void> }
  | LateCall;

/** The local Slack with what only tests need: faults, and records of what the app called. */
export async function startFakeSlack() {
  const calls: string[] = [];
  const traceparents: string[] = [];
  const responses: { url: string; body: Args }[] = [];
  const requests: { method: string; args: Args }[] = [];
  const faults: { method: string; fault: Fault; times: number }[] = [];
  let chooseFault: (method: string, args: Args) => Fault | undefined = () => undefined;

  const { url, state, http, granted, stop } = await startServer({
    pages: 'https://fake.slack.com',
    treat,
    noteResponse: (url, body) => responses.push({ url, body }),
    noteCall: (method, args) => {
      calls.push(method);
      requests.push({ method, args });
    },
  });
  http.on('request', ({ headers: { traceparent } }) => {
    if (typeof traceparent === 'string') traceparents.push(traceparent);
  });
  granted.scopes = Object.keys(botScopes).join(',');
  const { people, channels, messages, files, views, agents, unfurls } = state;

  return {
    url: `${url}/api/`,
    responseUrl: (id: string) => `${url}/response/${id}`,
    messages: messages.list,
    deleted: messages.deleted,
    ephemerals: messages.ephemerals,
    /** Every accepted call of `views.open`, as sent. */
    views: views.opened,
    /** The open modals, the topmost last. */
    openViews: views.stack,
    homes: views.homes,
    viewState: views,
    responses,
    violations: state.violations,
    calls,
    /** What requests say of traces. Slack gets none. */
    traceparents,
    /** Every call with its arguments, also calls with a fault. */
    requests,
    channels: channels.map,
    failMembers: channels.failMembers,
    changePerson: people.change,
    failUserInfo: people.failInfo,
    expireTriggers: views.expireTriggers,
    agentCalls: agents.calls,
    agentSessions: agents.sessions,
    get agentFeatures(): boolean {
      return agents.state.enabled;
    },
    set agentFeatures(enabled: boolean) {
      agents.state.enabled = enabled;
    },
    sharedLinks: unfurls.shared,
    unfurls: unfurls.unfurls,
    say,
    edit: (ts: string, text: string) => messages.edit(ts, { text }),
    addFile: files.add,
    fileText: files.textOf,
    fault: (method: string, fault: Fault, times = 1) => void faults.push({ method, fault, times }),
    /** From now on, `choose` selects the fault of every call without a planned fault. */
    scriptFaults: (choose: typeof chooseFault) => {
      chooseFault = choose;
    },
    /** The scopes that the token has. Undefined: Slack does not say. */
    grantScopes: (scopes: readonly string[] | undefined) => {
      granted.scopes = scopes?.join(',');
    },
    refuseBlocks: (...types: string[]) => messages.refuseBlocks(types),
    inThread: (threadTs: string) => messages.list.filter((message) => message.thread_ts === threadTs),
    remove: messages.remove,
    stop,
  };

  /** Posts a person's message, for example as the root of a thread. Returns its timestamp. */
  function say(channel: string, user: string, text: string, threadTs?: string, ts?: string): string {
    const place = { ...(threadTs === undefined ? {} : { thread_ts: threadTs }), ...(ts === undefined ? {} : { ts }) };
    return messages.add({ channel, user, text, ...place }).ts;
  }

  async function treat({ method, args, run, response }: Parameters<Treatment>[0]): ReturnType<Treatment> {
    const planned = faults.find((entry) => entry.method === method && entry.times > 0);
    const fault = planned === undefined ? chooseFault(method, args) : planned.fault;
    if (planned !== undefined) planned.times -= 1;
    if (fault === undefined) return run();
    if (isLateCall(fault)) {
      await untilCarriedOut(fault, response);
      return run();
    }
    if ('until' in fault) {
      await fault.until;
      return run();
    }
    if ('error' in fault) return { ok: false, error: fault.error };
    if ('retryAfterSeconds' in fault) {
      response.writeHead(429, { 'retry-after': String(fault.retryAfterSeconds) }).end();
    } else if ('status' in fault) {
      response.writeHead(fault.status).end(fault.body ?? '');
    } else {
      if ('breakAfterEffect' in fault) run();
      response.destroy();
    }
    return undefined;
  }
}

export type FakeSlack = Awaited<ReturnType<typeof startFakeSlack>>;
