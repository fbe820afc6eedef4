import { z } from 'zod';
import { type ConversationId, conversationIdOf } from '../../core/question/question.ts';

// Schemas of the replies of the second generation. They follow the JSON mapping of protocol buffers: a name is written
// in camelCase or in snake_case, null is read as absent, and an absent text or list is empty. Unknown fields are dropped.

/** An object with these fields, in either spelling. */
function message<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.preprocess(withCamelCaseNames, z.object(shape));
}

function withCamelCaseNames(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const fields = new Map<string, unknown>();
  for (const [name, field] of Object.entries(value)) {
    const camelCase = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (field !== null && (name === camelCase || !fields.has(camelCase))) fields.set(camelCase, field);
  }
  return Object.fromEntries(fields);
}

const text = z.string().default('');

const textBlock = message({ text });

const inputBlock = message({ question: textBlock });
const answerBlock = message({ markdown: textBlock });

/** The texts of the blocks of a known kind, as paragraphs. Of an answer, `hasMore` tells that there are other blocks. */
const input = z
  .array(z.unknown())
  .default([])
  .transform(blocksJoined(inputBlock, ({ question }) => question.text));
const blocks = z
  .array(z.unknown())
  .default([])
  .transform((list) => ({
    text: blocksJoined(answerBlock, ({ markdown }) => markdown.text)(list),
    // Of a kind that no description of the API names, such as an artifact.
    hasMore: list.some((block) => !answerBlock.safeParse(block).success),
  }));

function blocksJoined<Block>(schema: z.ZodType<Block>, textOf: (block: Block) => string) {
  return (list: unknown[]): string =>
    list
      .map((block) => schema.safeParse(block))
      .map((parsed) => (parsed.success ? textOf(parsed.data) : ''))
      .filter((each) => each !== '')
      .join('\n\n');
}

export const questionSchema = message({
  input,
  /** Blocks, or a text as in the first generation. */
  answer: z
    .union([z.string().transform((text) => ({ text, hasMore: false })), blocks])
    .default({ text: '', hasMore: false }),
  createTime: text,
  /** No description of this API has this field, so nothing depends on its shape. */
  suggestedFollowups: z.array(z.string()).default([]).catch([]),
});
/** One question, with its texts as plain text. A missing text is empty. */
export type ApiQuestion = z.infer<typeof questionSchema>;

/** An error ends a question whatever its fields, so a field of another type counts as absent. */
const errorText = text.catch('');

const errorSchema = message({ code: errorText, message: errorText, retryTime: errorText }).catch({
  code: '',
  message: '',
  retryTime: '',
});

/** The state of a conversation, which is that of its last question. */
export type ApiState = { is: 'processing' | 'completed' | 'cancelled' } | { is: 'failed'; error: ApiError };

export type ApiError = z.infer<typeof errorSchema>;

/**
 * An object with one key, or a name such as `STATE_COMPLETED`. An unknown or missing state does not end a question: the
 * app reads it again until it ends or patience runs out.
 */
const stateSchema = z
  .unknown()
  .optional()
  .transform((value): ApiState => {
    const named = typeof value === 'string' ? { [value.toLowerCase().replace(/^state_/, '')]: {} } : value;
    const keys = z.looseObject({}).safeParse(withCamelCaseNames(named)).data ?? {};
    const error = keys.error ?? keys.failed;
    if (error !== undefined) return { is: 'failed', error: errorSchema.parse(error) };
    if (keys.canceled !== undefined || keys.cancelled !== undefined) return { is: 'cancelled' };
    return { is: keys.completed === undefined ? 'processing' : 'completed' };
  });

/**
 * The last segment of `users/{user}/conversations/{conversation}`. The user part has several spellings. Digits are the
 * number that the first generation has as the id.
 */
const idSchema = z.string().transform((name, context): ConversationId => {
  const segment = name.split('/').at(-1) ?? '';
  if (segment === '') context.addIssue({ code: 'custom', message: 'a name without an id' });
  return conversationIdOf(segment);
});

const bareConversationSchema = message({
  name: idSchema,
  state: stateSchema,
  createTime: text,
  title: text,
  questions: z.array(questionSchema).default([]),
  /** The page of the conversation. */
  url: text,
});
/** One conversation; `name` is only its id. */
export type ApiConversation = z.infer<typeof bareConversationSchema>;

/** A conversation, alone or as the field `conversation`. */
export const conversationSchema = z.preprocess(
  (value) => z.object({ conversation: z.looseObject({}) }).safeParse(value).data?.conversation ?? value,
  bareConversationSchema,
);

const summarySchema = message({ name: idSchema, createTime: text, updateTime: text });
/** What a list tells about a conversation: neither its questions nor its state. */
export type ApiSummary = z.infer<typeof summarySchema>;

export const summariesSchema = message({
  conversationSummaries: z.array(summarySchema).default([]),
  nextPageToken: text,
});
export type ApiSummariesPage = z.infer<typeof summariesSchema>;
