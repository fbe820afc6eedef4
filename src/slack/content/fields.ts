import { z } from 'zod';
import { readableText } from './incoming-text.ts';

/** A text of Slack; empty where it is missing or odd. */
export const someText = z.string().transform(readableText).catch('');

/** A text of Slack that is not empty; undefined where it is missing or odd. */
export const maybeText = z.string().min(1).transform(readableText).optional().catch(undefined);

/** The timestamp of a message, which identifies it in its channel. It becomes part of keys in the store, so its form is checked. */
export const timestamp = z.string().regex(/^\d{1,12}\.\d{1,6}$/);

/** An id of Slack, which is opaque. It becomes part of keys in the store, so it is bounded; Slack's have about 11 characters. */
export const slackId = z.string().max(100);

/** A list without its unreadable entries. */
export function listOf<Shape extends z.ZodType>(shape: Shape) {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) =>
      items.flatMap((item) => {
        const parsed = shape.safeParse(item);
        return parsed.success ? [parsed.data] : [];
      }),
    );
}
