import { eventually } from '../../support/eventually.ts';

/** What both generations tell about a conversation. */
export interface Told {
  /** The last part of its name; in the first generation the id. */
  id: string;
  state: 'processing' | 'completed' | 'cancelled' | 'failed';
  title: string | undefined;
  url: string;
  questions: { text: string; answer: string | undefined }[];
}

/** The operations that both generations have; those of one that is refused return how. */
export interface ConversationDriver {
  generation: 1 | 2;
  create(text: string): Promise<Told>;
  /** `missing`: no conversation of this user has the id. */
  get(id: string): Promise<Told | 'missing'>;
  followUp(id: string, text: string): Promise<'accepted' | 'refused' | 'missing'>;
  /** Cancels the question that is processing, and returns the conversation after it. */
  cancel(id: string): Promise<Told | 'missing'>;
  remove(id: string): Promise<'removed' | 'missing'>;
  /** Ids, last changed first. */
  list(filter?: { starred: boolean }): Promise<string[]>;
}

type Json = Record<string, unknown>;

async function send(method: string, url: string, token: string, body?: Json) {
  const response = await fetch(url, {
    method,
    headers: { Authorization: `token ${token}`, 'X-Requested-With': 'driver 1.0', 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Json) };
}

function readReply<T>(reply: { status: number; body: Json }, read: (body: Json) => T): T | 'missing' {
  if (reply.status === 404) return 'missing';
  if (reply.status >= 300) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
  return read(reply.body);
}

/** The first generation, as plain requests. */
export function firstGeneration(url: string, token = 'test-token'): ConversationDriver {
  const call = (method: string, path: string, body?: Json) =>
    send(method, `${url}/.api/deepsearch/v1${path}`, token, body);
  const driver: ConversationDriver = {
    generation: 1,
    create: async (text) => present(readReply(await call('POST', '', { question: text }), readFirst)),
    get: async (id) => readReply(await call('GET', `/${id}`), readFirst),
    async followUp(id, text) {
      const reply = await call('POST', `/${id}/questions`, { question: text });
      if (reply.status === 400) return 'refused';
      return readReply(reply, () => 'accepted');
    },
    async cancel(id) {
      const got = await call('GET', `/${id}`);
      if (got.status === 404) return 'missing';
      const last = (got.body.questions as Json[]).at(-1);
      const reply = await call('POST', `/${id}/questions/${String(last?.id)}/cancel`);
      return reply.status === 404 ? 'missing' : driver.get(id);
    },
    remove: async (id) => readReply(await call('DELETE', `/${id}`), () => 'removed'),
    async list(filter) {
      const query = filter === undefined ? '' : `?filter_is_starred=${filter.starred}`;
      const { body } = await call('GET', query);
      return (body.conversations as Json[]).map((conversation) => String(conversation.id));
    },
  };
  return driver;
}

function readFirst(body: Json): Told {
  const questions = body.questions as { question: string; answer?: string; status: string; error?: { kind: string } }[];
  const last = questions.at(-1);
  const isCancelled = last?.error?.kind === 'Cancelled';
  const ended = last?.error === undefined ? 'completed' : isCancelled ? 'cancelled' : 'failed';
  return {
    id: String(body.id),
    state: last?.status === 'completed' ? ended : 'processing',
    title: (questions[0] as { title?: string }).title,
    url: String(body.share_url),
    questions: questions.map(({ question, answer }) => ({ text: question, answer: answer || undefined })),
  };
}

/** The second generation, as plain requests. */
export function secondGeneration(url: string, token = 'test-token'): ConversationDriver {
  const call = (method: string, body: Json) => send('POST', `${url}/api/deepsearch.v1.Service/${method}`, token, body);
  const named = (id: string) => `users/~self/conversations/${id}`;
  const input = (text: string) => ({ input: [{ question: { text } }] });
  return {
    generation: 2,
    create: async (text) =>
      present(
        readReply(
          await call('CreateConversation', { parent: 'users/~self', conversation: { questions: [input(text)] } }),
          readSecond,
        ),
      ),
    get: async (id) => readReply(await call('GetConversation', { name: named(id) }), readSecond),
    async followUp(id, text) {
      const reply = await call('AddConversationQuestion', { parent: named(id), question: input(text) });
      if (reply.status === 400) return 'refused';
      return readReply(reply, () => 'accepted');
    },
    cancel: async (id) => readReply(await call('CancelConversation', { name: named(id) }), readSecond),
    remove: async (id) => readReply(await call('DeleteConversation', { name: named(id) }), () => 'removed'),
    async list(filter) {
      const { body } = await call('ListConversationSummaries', filter === undefined ? {} : { filters: [filter] });
      return ((body.conversationSummaries ?? []) as Json[]).map(({ name }) => String(name).split('/').at(-1) ?? '');
    },
  };
}

function readSecond(body: Json): Told {
  const [state = ''] = Object.keys(body.state as Json);
  const states = { processing: 'processing', completed: 'completed', canceled: 'cancelled', error: 'failed' } as const;
  const questions = (body.questions ?? []) as {
    input: { question: { text: string } }[];
    answer?: { markdown: { text: string } }[];
  }[];
  return {
    id: String(body.name).split('/').at(-1) ?? '',
    state: states[state as keyof typeof states],
    title: body.title as string | undefined,
    url: String(body.url),
    questions: questions.map(({ input, answer }) => ({
      text: input[0]?.question.text ?? '',
      // Links to code begin with /r here.
      answer: answer?.[0]?.markdown.text.replaceAll('/r/', '/'),
    })),
  };
}

function present(told: Told | 'missing'): Told {
  if (told === 'missing') throw new Error('the conversation is missing');
  return told;
}

/** Reads a conversation until it is no longer processing. */
export function finished(driver: ConversationDriver, id: string): Promise<Told> {
  return eventually(async () => {
    const told = present(await driver.get(id));
    if (told.state === 'processing') throw new Error('still processing');
    return told;
  });
}
