import type { Attached } from '../../../src/local-slack/files.ts';
import type { SlackBlock, SlackFile, SlackMessage } from '../../../src/local-slack/messages.ts';
import { startServer, type Treatment } from '../../../src/local-slack/server.ts';
import { type Args, type Reply, refused } from '../../../src/local-slack/wire.ts';
import { botScopes } from '../../../src/slack/install/install-pages.ts';
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
  const deleted: SlackMessage[] = [];
  const opened: Args[] = [];
  const agentCalls: { method: string; args: Args }[] = [];
  /** What stays so: errors by method and by the person or channel that a call is about, and fields that Slack leaves out. */
  const failing = new Map<string, string>();
  const omitted = new Map<unknown, readonly string[]>();
  let refusedBlocks: string[] = [];
  let triggersExpire = false;
  let agentFeatures = true;
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
    deleted,
    ephemerals: messages.ephemerals,
    /** Every accepted call of `views.open`, as sent. */
    views: opened,
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
    failMembers: (id: string) => void failing.set(`conversations.members ${id}`, 'fetch_members_failed'),
    changePerson: people.change,
    /** From now on, `users.info` fails with this error for a person; without an error it works again. */
    failUserInfo: (id: string, error = '') => void failing.set(`users.info ${id}`, error),
    /** Leaves out fields of a person or channel. */
    omitFields: (id: string, fields: readonly string[]) => void omitted.set(id, fields),
    /** From now on, all triggers are expired. */
    expireTriggers: () => {
      triggersExpire = true;
    },
    agentCalls,
    agentSessions: agents.sessions,
    get agentFeatures(): boolean {
      return agentFeatures;
    },
    set agentFeatures(enabled: boolean) {
      agentFeatures = enabled;
    },
    sharedLinks: unfurls.shared,
    unfurls: unfurls.unfurls,
    say,
    edit: (ts: string, text: string) => messages.edit(ts, { text }),
    addFile,
    fileText: (id: string): string | undefined => files.download(id)?.content.toString('utf8'),
    fault: (method: string, fault: Fault, times = 1) => void faults.push({ method, fault, times }),
    /** From now on, `choose` selects the fault of every call without a planned fault. */
    scriptFaults: (choose: typeof chooseFault) => {
      chooseFault = choose;
    },
    /** The scopes that the token has. Undefined: Slack does not say. */
    grantScopes: (scopes: readonly string[] | undefined) => {
      granted.scopes = scopes?.join(',');
    },
    refuseBlocks: (...types: string[]) => {
      refusedBlocks = types;
    },
    inThread: (threadTs: string) => messages.list.filter((message) => message.thread_ts === threadTs),
    remove: messages.remove,
    stop,
  };

  /** Posts a person's message, for example as the root of a thread. Returns its timestamp. */
  function say(channel: string, user: string, text: string, threadTs?: string, ts?: string): string {
    const place = { ...(threadTs === undefined ? {} : { thread_ts: threadTs }), ...(ts === undefined ? {} : { ts }) };
    return messages.add({ channel, user, text, ...place }).ts;
  }

  /** Attaches a file to a message. */
  function addFile(ts: string, attached: Attached): SlackFile {
    const message = messages.list.find((each) => each.ts === ts);
    if (message === undefined) throw new Error(`no message ${ts}`);
    const file = files.create(message.user, attached);
    message.files = [...(message.files ?? []), file];
    return file;
  }

  /** Carries a call out in a workspace with the standing faults. */
  function carryOut(method: string, args: Args, run: () => Reply): Reply {
    const failure = failing.get(`${method} ${String(args.user ?? args.channel)}`);
    if (failure) return refused(failure);
    if (/^(?:agents|assistant)\./.test(method)) {
      agentCalls.push({ method, args });
      if (!agentFeatures) return refused('feature_disabled');
    }
    const blocks = Array.isArray(args.blocks) ? (args.blocks as SlackBlock[]) : [];
    if (blocks.some(({ type }) => refusedBlocks.includes(type))) return refused('invalid_blocks');
    if (method === 'views.open' || method === 'views.push') {
      if (triggersExpire) return refused('expired_trigger_id');
      // Tests write payloads with triggers of their own; their views are no one's.
      const { trigger_id: id } = args;
      if (!views.triggers.has(id)) views.triggers.set(id, { person: '', untilMs: Number.POSITIVE_INFINITY });
    }
    const message = method === 'chat.delete' ? messages.find(args.channel, args.ts) : undefined;
    const reply = run();
    if (reply.ok && method === 'views.open') opened.push(args);
    if (reply.ok && message !== undefined) deleted.push(message);
    if (omitted.size === 0) return reply;
    return JSON.parse(JSON.stringify(reply), (_, value) => {
      const fields = omitted.get(value?.id) ?? [];
      for (const field of fields) delete value[field];
      return value;
    });
  }

  async function treat({ method, args, run: runs, response }: Parameters<Treatment>[0]): ReturnType<Treatment> {
    const run = () => carryOut(method, args, runs);
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
