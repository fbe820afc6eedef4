import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** Lines of a file that answer a question, first and last, and a text that stands in them. */
const goldSchema = z
  .strictObject({
    file: z.string().min(1),
    lines: z.tuple([z.int().min(1), z.int().min(1)]),
    text: z.string().min(1),
  })
  .refine(({ lines: [first, last] }) => first <= last, 'the lines of a gold place end before they begin');

const questionSchema = z
  .strictObject({
    id: z.string().regex(/^[a-z-]+-\d\d$/),
    part: z.enum(['tune', 'report']),
    kind: z.enum(['plain', 'quoted', 'constant', 'flag', 'path', 'callers', 'history', 'why', 'tests', 'none']),
    question: z.string().min(1).max(300),
    gold: z.union([z.literal('none'), z.array(goldSchema).min(1)]),
    release: z.string().optional(),
  })
  .refine(({ kind, gold }) => (kind === 'none') === (gold === 'none'), 'only questions of kind none have gold none')
  .refine(({ kind, release }) => (kind === 'history') === (release !== undefined), 'a history question has a release');

const packageSchema = z
  .strictObject({
    package: z.string().min(1),
    origin: z.string().url(),
    license: z.enum(['MIT', 'Apache-2.0']),
    without: z.array(z.string().min(1)),
    history: z.array(z.strictObject({ version: z.string().regex(/^\d+\.\d+\.\d+$/), date: z.iso.datetime() })).min(2),
    questions: z.array(questionSchema).min(1),
  })
  .refine(
    ({ history }) => history.every(({ date }, index) => index === 0 || date > (history[index - 1]?.date ?? '')),
    'releases are listed from the oldest to the newest',
  )
  .refine(
    ({ history, questions }) =>
      questions.every(({ release }) => release === undefined || history.some(({ version }) => version === release)),
    'a question names a release that is not in the history',
  );

export type Gold = z.infer<typeof goldSchema>;
export type BenchQuestion = z.infer<typeof questionSchema>;
/** A package with its questions; the last release of `history` is the one that the gold places refer to. */
export type BenchPackage = z.infer<typeof packageSchema>;

/** Checks the content of a file of questions; throws with every problem. */
export function parseQuestions(content: unknown): BenchPackage {
  return packageSchema.parse(content);
}

/** All packages of the benchmark. */
export function readQuestions(): BenchPackage[] {
  const folder = new URL('questions/', import.meta.url);
  return readdirSync(folder)
    .sort()
    .map((name) => parseQuestions(JSON.parse(readFileSync(new URL(name, folder), 'utf8'))));
}
