import { z } from 'zod';
import { conversationIdOf } from '../core/question/service-ids.ts';

/** An id or a cursor that {@link parseReply} kept as its digits: a number, or these digits where a number can't hold it. */
export const longInteger = z.object({ integer: z.string() }).transform(({ integer }) => conversationIdOf(integer));

/**
 * Keys of ids and cursors, with integers of 16 digits or more. Inside a string, a quote has a backslash before it, so this
 * finds nothing there.
 */
const idsAndCursors = /([{,]\s*"(?:id|\w*_id|\w*cursor|next_page|page_after)"\s*:\s*)(-?[1-9]\d{15,38})(?![\d.eE])/g;

/**
 * Parses a JSON text of the service, in linear time. An id or a cursor that `JSON.parse` might round becomes what
 * {@link longInteger} reads. Throws what `JSON.parse` throws.
 */
export function parseReply(json: string): unknown {
  return JSON.parse(json.replace(idsAndCursors, '$1{"integer":"$2"}'));
}
