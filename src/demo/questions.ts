import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';

/** Questions that have an answer in most repositories, the best ones first. */
export const QUESTIONS = [
  'How do I run the tests?',
  'What changed recently?',
  'What is this project about?',
  'Who are the main contributors?',
];

/** How many questions are offered. */
export const questionCount = 3;
const answerPollMs = 50;
/** Most time that all questions together may take to be checked. */
const checkMs = 10_000;
const deletionMs = 5_000;

const conversation = z.object({
  id: z.number(),
  questions: z.tuple([
    z.object({ status: z.string(), answer: z.string().nullish(), sources: z.array(z.unknown()).nullish() }),
  ]),
});

/** The code search service, as an account that asks there. */
interface Service {
  url: string;
  token: string;
}

/** Keeps the first three questions to which the service has a good answer, as far as it can be asked before `late`. */
export async function goodQuestions(
  questions: readonly string[],
  service: Service,
  late = AbortSignal.timeout(checkMs),
): Promise<string[]> {
  const good: string[] = [];
  // One after the other: what the service read for the first, it has for the others.
  for (const question of questions) {
    if (good.length === questionCount) break;
    const answered = await askService(question, service, late).catch(() => undefined);
    // Most repositories answer them all, so on a slow machine those that were not checked are offered.
    if (answered === undefined ? late.aborted : isGood(answered)) good.push(question);
  }
  return good;
}

interface Answered {
  answer: string;
  sources: number;
}

/** What the service answers; undefined where it fails. Leaves no conversation there. */
export async function askService(
  question: string,
  { url, token }: Service,
  late: AbortSignal,
): Promise<Answered | undefined> {
  const api = `${url}/.api/deepsearch/v1`;
  let { id, questions } = await call('POST', '', JSON.stringify({ question }));
  try {
    while (['pending', 'processing'].includes(questions[0].status)) {
      await setTimeout(answerPollMs, undefined, { signal: late });
      ({ questions } = await call('GET', `/${id}`));
    }
  } finally {
    // People shall not find it among their conversations.
    await send('DELETE', `/${id}`, undefined, AbortSignal.timeout(deletionMs));
  }
  const [{ status, answer, sources }] = questions;
  return status === 'completed' ? { answer: answer ?? '', sources: sources?.length ?? 0 } : undefined;

  async function call(method: string, path: string, body?: string): Promise<z.infer<typeof conversation>> {
    return conversation.parse(await (await send(method, path, body)).json());
  }

  function send(method: string, path: string, body?: string, signal = late): Promise<Response> {
    const headers = { authorization: `token ${token}`, 'x-requested-with': 'deepsearch-demo' };
    const content = body === undefined ? {} : { body, headers: { ...headers, 'content-type': 'application/json' } };
    return fetch(`${api}${path}`, { method, headers, signal, ...content });
  }
}

/** Whether an answer has sources and is neither unsure nor a refusal. */
function isGood({ answer, sources }: Answered): boolean {
  return sources > 0 && !/^(?:I'm not sure|I found nothing)/.test(answer);
}
