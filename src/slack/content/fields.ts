import { z } from 'zod';
import { readableText } from './incoming-text.ts';

/** A text of Slack; empty where it is missing or odd. */
export const someText = z.string().transform(readableText).catch('');

/** A text of Slack that is not empty; undefined where it is missing or odd. */
export const maybeText = z.string().min(1).transform(readableText).optional().catch(undefined);

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
