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
    kind: z.enum([
      ...(['how-to', 'error', 'who', 'history', 'why', 'option', 'tests', 'list', 'vague', 'smalltalk'] as const),
      ...(['none', 'language', 'explain', 'where', 'callers'] as const),
    ]),
    question: z.string().min(1).max(600),
    gold: z.array(goldSchema).min(1).optional(),
    fact: z.array(z.string().min(1)).min(1).optional(),
    commit: z
      .string()
      .regex(/^[0-9a-f]{40}$/)
      .optional(),
  })
  .refine(
    ({ kind, gold }) => (kind === 'none' || kind === 'smalltalk') === (gold === undefined),
    'only questions of the kinds none and smalltalk have no gold',
  )
  .refine(({ kind, commit }) => kind !== 'history' || commit !== undefined, 'a history question has a commit');

const sourceSchema = z.strictObject({
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  license: z.string().min(1),
  questions: z.array(questionSchema).min(1),
});

export type BenchQuestion = z.infer<typeof questionSchema>;
/** A public repository on GitHub with its questions; the gold places refer to `commit`. */
export type BenchSource = z.infer<typeof sourceSchema>;

/** Checks the content of a file of questions; throws with every problem. */
export function parseQuestions(content: unknown): BenchSource {
  return sourceSchema.parse(content);
}

/** All repositories of the benchmark. */
export function readQuestions(): BenchSource[] {
  const folder = new URL('questions/', import.meta.url);
  return readdirSync(folder)
    .sort()
    .map((name) => parseQuestions(JSON.parse(readFileSync(new URL(name, folder), 'utf8'))));
}
