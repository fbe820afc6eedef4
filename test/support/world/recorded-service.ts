import { createHash } from 'node:crypto';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { type CodeSearchOptions, createCodeSearchService } from '../../../src/codesearch/service.ts';
import { listenLocally } from '../fake-service/scripted-server.ts';
import { freePort } from '../processes/free-port.ts';
import { createSampleRepository } from '../processes/sample-repository.ts';

/** One request to the service's conversations or GraphQL. */
export interface RecordedRequest {
  /** The user whose credential the request had, `none`, or `unknown` with the beginning of the credential's digest. */
  by: string;
  /** `token` or `Bearer`, as sent. */
  scheme: string;
  method: string;
  path: string;
  /** The text of the question that the request asks. */
  question?: string;
  status: number;
}

/** Which requests of a user are refused with 401. */
type Refusal = (request: { method: string; path: string }) => boolean;

const usernames = ['app', 'ada', 'bob', 'gerd'];

/**
 * Starts the embedded service with one access token each for the users `app` (site admin), `ada`, `bob` and `gerd`, behind
 * a proxy that records who asked what with whose credential. The record has digests instead of credentials. Without
 * `repos` the service has the sample repository, which everyone may read.
 */
export async function startRecordedService({ repos, ...options }: Partial<CodeSearchOptions> = {}) {
  const sample = repos === undefined ? await createSampleRepository() : undefined;
  const requests: RecordedRequest[] = [];
  const owners = new Map(usernames.map((username) => [digestOf(tokenOf(username)), username]));
  const refusals = new Map<string, Refusal>();
  const breakages = new Map<string, number>();
  const problems: unknown[] = [];
  const port = await freePort();
  const server = createServer((incoming, response) => void pass(incoming, response).catch(() => response.destroy()));
  const url = `http://127.0.0.1:${await listenLocally(server)}`;
  const service = createCodeSearchService({
    tokens: usernames.map((username) => ({ username, token: tokenOf(username) })),
    repos: repos ?? [sample?.path ?? ''],
    baseUrl: url,
    port,
    onProblem: (error) => problems.push(error),
    ...options,
  });
  await service.start();

  return {
    url,
    token: tokenOf('app'),
    tokenOf,
    requests,
    problems,
    /** Counts a further credential as this user's, for example an access token that the service issued. */
    know: (username: string, credential: string) => void owners.set(digestOf(credential), username),
    /** Who asked which questions, oldest first. Leaves out requests that the service refused. */
    asked: (): { by: string; question: string }[] =>
      requests.flatMap(({ by, question, status }) =>
        question === undefined || status >= 400 ? [] : [{ by, question }],
      ),
    /** Who used a conversation in any way, by its id at the service. */
    usersOf: (conversationId: number): string[] => [
      ...new Set(
        requests.filter(({ path, status }) => status < 400 && idIn(path) === conversationId).map(({ by }) => by),
      ),
    ],
    /** From now on, answers the requests of this user with 401: all of them, or those that `which` chooses. */
    refuse: (username: string, which: Refusal = () => true) => void refusals.set(username, which),
    accept: (username: string) => void refusals.delete(username),
    /** Answers the next `times` requests of this user with 500 and a body that repeats the request's headers. */
    breakFor: (username: string, times: number) => void breakages.set(username, times),
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await service.stop();
      await sample?.remove();
    },
  };

  async function pass(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method = 'GET', url: path = '/' } = incoming;
    const [scheme = 'none', credential] = (incoming.headers.authorization ?? '').split(' ');
    const by = credential === undefined ? 'none' : ownerOf(credential);
    const question = questionOf(path, body);
    const note = (status: number): void => {
      if (!path.startsWith('/.api/') || path === probePath) return;
      requests.push({ by, scheme, method, path, status, ...(question === undefined ? {} : { question }) });
    };
    if (refusals.get(by)?.({ method, path }) === true) {
      note(401);
      response.writeHead(401).end('Invalid access token.');
      return;
    }
    const breaks = breakages.get(by) ?? 0;
    if (breaks > 0) {
      breakages.set(by, breaks - 1);
      note(500);
      response.writeHead(500).end(JSON.stringify(incoming.headers));
      return;
    }
    const onward = forward({ host: '127.0.0.1', port, method, path, headers: incoming.headers }, (reply) => {
      note(reply.statusCode ?? 0);
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end(body);
  }

  function ownerOf(credential: string): string {
    const digest = digestOf(credential);
    return owners.get(digest) ?? `unknown ${digest.slice(0, 8)}`;
  }
}

export type RecordedService = Awaited<ReturnType<typeof startRecordedService>>;

function tokenOf(username: string): string {
  return `sgp_of-${username}`;
}

function digestOf(credential: string): string {
  return createHash('sha256').update(credential).digest('hex');
}

/** The app asks this at its start, to find out whether it may ask. */
const probePath = '/.api/deepsearch/v1?page_first=1&sort=-created_at';

const conversationPath = /^\/\.api\/deepsearch\/v1(?:\/(\d+))?/;

function idIn(path: string): number | undefined {
  const id = conversationPath.exec(path)?.[1];
  return id === undefined ? undefined : Number(id);
}

function questionOf(path: string, body: Buffer): string | undefined {
  if (body.length === 0 || !conversationPath.test(path)) return undefined;
  const { question } = JSON.parse(body.toString()) as { question?: string };
  return question;
}
