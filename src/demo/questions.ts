import { realpathSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { git } from './git.ts';

/** Questions about this project. A test proves that each has a good answer, so a demo need not ask them first. */
export const ABOUT_THIS_PROJECT = [
  'How is a Slack event acknowledged?',
  'Where is a bare "cancel" handled?',
  'Which tests cover `readIntent`?',
];

/** Questions for any repository, used when too few are derived from its code. */
const ABOUT_ANY = ['What changed recently?', 'What is this project about?', 'How is this project structured?'];

/** Limit of definitions whose uses are counted: each one takes a search of the repository. */
const maxCandidates = 16;
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

/** Keeps the first three questions to which the service has a good answer. */
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
    if (answered !== undefined && isGood(question, answered)) good.push(question);
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

/** Whether an answer has sources, names what the question names, and finds more than a close match or tests. */
function isGood(question: string, { answer, sources }: Answered): boolean {
  const names = [...question.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
  return (
    sources > 0 &&
    names.every((name) => answer.includes(name)) &&
    !/closest match|is used (?:in no code|only in)/i.test(answer)
  );
}

/** Questions about the repository in `folder`, the best ones first; `projectFolder` is the folder of this project. */
export async function suggestQuestions(folder: string, projectFolder: string): Promise<readonly string[]> {
  if (realpathSync(folder) === realpathSync(projectFolder)) return ABOUT_THIS_PROJECT;
  const names = (await mostUsedNames(folder)).slice(0, 4);
  const derived = names.map((name, index) =>
    index % 2 === 0 ? `How does \`${name}\` work?` : `Where is \`${name}\` used?`,
  );
  const [first, second, ...others] = derived;
  const [changed, ...about] = ABOUT_ANY;
  return [first, second, changed, ...others, ...about].filter((question) => question !== undefined);
}

/** Lines with a definition, in languages with a keyword for it; a POSIX regular expression for git. */
const definitionLine =
  '^[[:space:]]*((export|default|public|private|abstract|static|async|pub|final) )*(class|interface|struct|trait|enum|func|function|def|fn|module)[[:space:]]+[A-Za-z_]';

const definedName = /\b(?:class|interface|struct|trait|enum|func|function|def|fn|module)\s+([A-Za-z_]\w*)/;

/** Tests, examples, scripts and third-party code say little about the purpose of a project. */
const excludedPaths = [
  'test',
  'spec',
  'example',
  'script',
  'bench',
  'vendor',
  'third_party',
  'node_modules',
  'generated',
  'docs',
].map((part) => `:(exclude,icase)*${part}*`);

/** Names with exactly one definition, those used in the most files first. */
async function mostUsedNames(folder: string): Promise<string[]> {
  const lines = await git(folder, 'grep', '-h', '-I', '-E', definitionLine, 'HEAD', '--', '.', ...excludedPaths);
  const counts = new Map<string, number>();
  for (const line of lines?.split('\n') ?? []) {
    const name = definedName.exec(line)?.[1];
    // Short names are too common, and names with a leading underscore are private.
    if (name !== undefined && name.length > 5 && !name.startsWith('_')) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const once = [...counts].filter(([, count]) => count === 1).map(([name]) => name);
  const stride = Math.max(1, Math.floor(once.length / maxCandidates));
  const candidates = once.filter((_, index) => index % stride === 0).slice(0, maxCandidates);
  const used = await Promise.all(
    candidates.map(async (name) => {
      const files = await git(folder, 'grep', '-l', '-I', '-w', '-F', '-e', name, 'HEAD', '--', '.', ...excludedPaths);
      return { name, files: files?.split('\n').length ?? 0 };
    }),
  );
  return used.sort((a, b) => b.files - a.files).map(({ name }) => name);
}
