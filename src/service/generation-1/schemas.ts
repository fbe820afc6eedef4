import { z } from 'zod';
import { longInteger } from '../replies.ts';

// Schemas of the replies of the conversation API. Unknown fields are dropped, optional fields may be missing or null,
// and every field that the app uses must have the right type.

/** These characters stand in a path as they are, and a segment of dots would mean another path. */
const idText = z.string().regex(/^[\w~:=+-][\w.~:=+-]{0,127}$/);
const id = z.union([z.int(), longInteger, idText]);
/** Calls about a conversation repeat its id in the kind of JSON value that it came in, so a text keeps its quotes. */
const conversationId = z.union([z.int(), longInteger, idText.transform((text) => `"${text}"`)]);
const text = z.string().nullish();

const sourceSchema = z.object({
  type: text,
  /** Usually relative to the instance. */
  link: text,
  label: text,
  metadata: z.object({ repoName: text }).nullish(),
});
export type ApiSource = z.infer<typeof sourceSchema>;

const turnSchema = z.object({ role: text, reasoning: text, timestamp: z.number().nullish() });

const questionErrorSchema = z.object({ title: text, kind: text, message: text });

const statsSchema = z.object({
  time_millis: z.number().nullish(),
  tool_calls: z.number().nullish(),
  credits: z.number().nullish(),
});

export const questionSchema = z.object({
  id,
  conversation_id: conversationId.nullish(),
  question: z.string(),
  /** The contract allows `pending`, `processing`, `completed` and `failed`; `cancelled` and `cancelled` occur too. */
  status: z.string(),
  created_at: text,
  updated_at: text,
  title: text,
  /** Markdown; links may be relative to the instance. */
  answer: text,
  turns: z.array(turnSchema).nullish(),
  sources: z.array(sourceSchema).nullish(),
  stats: statsSchema.nullish(),
  suggested_followups: z.array(z.string()).nullish(),
  error: questionErrorSchema.nullish(),
});
/** One question as the service sends it, with the service's field names. */
export type ApiQuestion = z.infer<typeof questionSchema>;

export const conversationSchema = z.object({
  id: conversationId,
  /** The service is written in Go and sends null for an empty list. */
  questions: z
    .array(questionSchema)
    .nullable()
    .transform((questions) => questions ?? []),
  title: text,
  created_at: text,
  updated_at: text,
  user_id: id.nullish(),
  read_token: text,
  share_url: text,
  viewer: z.object({ is_owner: z.boolean().nullish() }).nullish(),
  quota_usage: z
    .object({ total_quota: z.number().nullish(), quota_limit: z.number().nullish(), reset_time: text })
    .nullish(),
});
/** One conversation as the service sends it, with the service's field names. */
export type ApiConversation = z.infer<typeof conversationSchema>;

/** The reply to a follow-up is either the new question alone, or the whole conversation with the new question last. */
export const followUpSchema = z.union([
  conversationSchema.transform((conversation, context) => {
    const last = conversation.questions.at(-1);
    if (last) return last;
    context.addIssue({ code: 'custom', message: 'a conversation without questions' });
    return z.NEVER;
  }),
  questionSchema,
]);

const LIST_KEYS = ['conversations', 'nodes', 'results', 'items', 'data'];

const looseRecord = z.looseObject({});

/** A page of conversations, in any of the envelopes seen in practice. An envelope without a list is an error. */
export const conversationPageSchema = z
  .union([z.array(z.unknown()), looseRecord])
  .transform((page, context) => {
    if (Array.isArray(page)) return { conversations: page };
    const key = LIST_KEYS.find((name) => Array.isArray(page[name]) || page[name] === null);
    if (key === undefined) {
      context.addIssue({ code: 'custom', message: `no list under any of ${LIST_KEYS.join(', ')}` });
      return z.NEVER;
    }
    const info = looseRecord.safeParse(page.page_info).data ?? {};
    const fields = [info.end_cursor, page.next_cursor, page.next_page, page.page_after];
    const cursor = fields.map(cursorText).find((each) => each !== '');
    const saysLast = cursor === undefined && fields.some((field) => field !== undefined);
    const hasNextPage = info.has_next_page ?? (saysLast ? false : undefined);
    return {
      conversations: page[key] ?? [],
      nextCursor: hasNextPage === false ? undefined : cursor,
      hasMore: typeof hasNextPage === 'boolean' ? hasNextPage : undefined,
    };
  })
  .pipe(
    z.object({
      conversations: z.array(conversationSchema),
      nextCursor: z.string().optional(),
      hasMore: z.boolean().optional(),
    }),
  );

/**
 * `nextCursor` is the `after` of the next page. `hasMore`: whether the service says that more conversations follow. Many
 * services have no cursors, and do not say it.
 */
export type ConversationPage = z.infer<typeof conversationPageSchema>;

function cursorText(value: unknown): string {
  return `${z.union([z.string(), z.number(), longInteger]).safeParse(value).data ?? ''}`;
}
