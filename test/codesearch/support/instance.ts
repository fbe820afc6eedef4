import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { BASE_MARK, type Investigate } from '../../../src/codesearch/ask/finding.ts';
import type { QuestionRecord } from '../../../src/codesearch/conversations/records.ts';
import type { GenerationNumber } from '../../../src/service/generation.ts';
import { listenLocally } from '../../support/fake-service/scripted-server.ts';
import { CITED, startConversationServer } from './conversation-server.ts';
import { TOKEN } from './service.ts';

/** The versions that the instance can claim, each with the generations of the conversation API that it offers. */
const releases = { '6.12.0': [1], '7.2.0': [1, 2], '8.0.0': [2] } as const satisfies Record<string, GenerationNumber[]>;

export type Release = keyof typeof releases;

/** One request to the instance. */
export interface InstanceRequest {
  /** Path and query, as sent. */
  path: string;
  /** Undefined for a request to anything but the conversation API. */
  generation: GenerationNumber | undefined;
  /** The text of the question that the request asks, without what it says about the channel. */
  question: string | undefined;
}

/** What happens to a request instead of, or after, its effect. */
export type InstanceFault =
  | 'unavailable'
  /** A page for people, with status 200, as a proxy shows it while the instance is down. */
  | 'htmlPage'
  | 'htmlBadGateway'
  | 'breakBeforeEffect'
  /** The request takes effect, then the connection breaks before the reply. */
  | 'breakAfterEffect';

export interface InstanceOptions {
  release: Release;
  /** How long the service works on a question that contains no "hold". Default: 0. */
  workMs?: () => number;
}

/**
 * Starts an instance whose version can change while it runs: one address in front of one embedded service with its data.
 * A surface that the version lacks answers as on a real instance. The service works on a question that contains "hold"
 * until it is cancelled or released.
 */
export async function startInstance({ release: first, workMs = () => 0 }: InstanceOptions) {
  const requests: (InstanceRequest & { status: number })[] = [];
  let release: Release = first;
  let letGo = (): void => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let chooseFault: (request: InstanceRequest) => InstanceFault | undefined = () => undefined;
  const server = createServer((incoming, response) => void pass(incoming, response).catch(() => response.destroy()));
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  const service = await startConversationServer({
    baseUrl: url,
    concurrency: 1_000,
    investigate: createInvestigation(released, workMs),
  });
  const target = new URL(service.url);

  return {
    url,
    token: TOKEN,
    /** What was not lost on the way, oldest first. `status`: 0 if the connection broke before the reply. */
    requests,
    /** Changes the version. Requests on their way keep the version with which they came. */
    become: (next: Release) => {
      release = next;
    },
    /** From now on, `choose` selects the fault of every request. */
    scriptFaults: (choose: typeof chooseFault) => {
      chooseFault = choose;
    },
    /** Lets the service finish all questions that contain "hold". */
    release: () => letGo(),
    exhaustQuota: service.exhaustQuota,
    problems: service.problems,
    /** All questions of the service with this text. */
    find: (text: string): QuestionRecord[] =>
      service.stored().flatMap(({ questions }) => questions.filter((each) => each.text === text)),
    /** The texts of all questions, by conversation. */
    get conversations(): { questions: { question: string }[] }[] {
      return service
        .stored()
        .map(({ questions }) => ({ questions: questions.map(({ text }) => ({ question: text })) }));
    },
    stop: async () => {
      letGo();
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await service.stop();
    },
  };

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const path = incoming.url ?? '/';
    const generation = generationOf(path);
    const request = { path, generation, question: generation === undefined ? undefined : questionOf(body) };
    const claimed: Release = release;
    const fault = chooseFault(request);
    if (fault === 'breakBeforeEffect') return void response.destroy();
    const reply =
      fault === undefined || fault === 'breakAfterEffect'
        ? await replyOf(claimed, generation, incoming, body)
        : faultyReply(fault);
    const isBroken = fault === 'breakAfterEffect';
    requests.push({ ...request, status: isBroken ? 0 : reply.status });
    if (isBroken) response.destroy();
    else response.writeHead(reply.status, reply.headers).end(reply.body);
  }

  /** Answers like an instance of this version. */
  async function replyOf(
    claimed: Release,
    generation: GenerationNumber | undefined,
    incoming: IncomingMessage,
    body: Buffer,
  ): Promise<InstanceReply> {
    const { method = 'GET', url: path = '/', headers } = incoming;
    if (path === '/__version') return text(200, claimed);
    const offered: readonly GenerationNumber[] = releases[claimed];
    if (generation === undefined || offered.includes(generation)) return ask(method, path, headers, body);
    // Pages of an instance without the second generation have these addresses too, and they know only GET.
    if (generation === 2) {
      return method === 'GET' ? ask(method, path, headers, body) : { status: 405, headers: { allow: 'GET' }, body: '' };
    }
    // An instance without the first generation still checks the credential before it looks for a route.
    const checked = await ask('GET', '/.api/deepsearch/v1?page_first=1', { authorization: headers.authorization });
    return checked.status === 401 || checked.status === 403 ? checked : text(404, 'no route');
  }

  function ask(
    method: string,
    path: string,
    headers: IncomingMessage['headers'],
    body: Buffer = Buffer.alloc(0),
  ): Promise<InstanceReply> {
    return new Promise((resolve, reject) => {
      const { hostname: host, port } = target;
      const onward = forward({ host, port, method, path, headers }, (reply) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('end', () => {
          const { 'transfer-encoding': _encoding, connection: _connection, ...kept } = reply.headers;
          resolve({ status: reply.statusCode ?? 502, headers: kept, body: Buffer.concat(chunks) });
        });
        reply.on('error', reject);
      });
      onward.on('error', reject);
      onward.end(body);
    });
  }
}

export type Instance = Awaited<ReturnType<typeof startInstance>>;

interface InstanceReply {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer | string;
}

function text(status: number, body: string, type = 'text/plain; charset=utf-8'): InstanceReply {
  return { status, headers: { 'content-type': type }, body };
}

function faultyReply(fault: 'unavailable' | 'htmlPage' | 'htmlBadGateway'): InstanceReply {
  if (fault === 'unavailable') return text(503, 'upstream connect error');
  const page = '<!doctype html><title>Maintenance</title><p>We are back soon.</p>';
  return text(fault === 'htmlPage' ? 200 : 502, page, 'text/html; charset=utf-8');
}

function generationOf(path: string): GenerationNumber | undefined {
  if (path.startsWith('/.api/deepsearch/v1')) return 1;
  return path.startsWith('/api/deepsearch.v1.Service/') ? 2 : undefined;
}

interface AskedQuestion {
  input?: { question?: { text?: string } }[];
}

/** Reads the question from a request of either generation. */
function questionOf(body: Buffer): string | undefined {
  if (body.length === 0) return undefined;
  const { question, conversation } = JSON.parse(body.toString()) as {
    question?: string | AskedQuestion;
    conversation?: { questions?: AskedQuestion[] };
  };
  const asked = question ?? conversation?.questions?.[0];
  return typeof asked === 'string' ? asked : asked?.input?.[0]?.question?.text;
}

/** Reports few steps, so that the cards of many questions stay within Slack's limit for edits. */
function createInvestigation(released: Promise<void>, workMs: () => number): Investigate {
  return async function investigate(question, _earlier, step) {
    await step('Searching 7 files');
    await pause(workMs());
    if (question.includes('hold')) await released;
    await step('Writing the answer');
    return {
      title: `About ${question.slice(0, 40)}`,
      answer: `The answer to "${question}" is in [retry.ts](${BASE_MARK}/${CITED}/-/blob/src/retry.ts?L4-7).`,
      sources: [{ type: 'File', link: `/${CITED}/-/blob/src/retry.ts?L4-7`, label: 'src/retry.ts:4-7' }],
      followUps: ['Where is it used?'],
      focus: { symbols: [], files: [], words: [], kind: 'where' },
      toolCalls: 3,
      tokensRead: 100,
    };
  };
}
