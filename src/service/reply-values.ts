import { z } from 'zod';
import { conversationIdOf } from '../core/question/question.ts';

// Values of replies that both generations write in the same way.

/** The suggestions without blanks and duplicates. */
export function followUpsOf(texts: string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ''))];
}

/** Epoch milliseconds of an ISO time. Undefined if it is missing or unreadable. */
export function parseTime(iso: string | null | undefined): number | undefined {
  const timeMs = Date.parse(iso ?? '');
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** An object with this field, or without it if the value is undefined. */
export function defined<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  const result: { [P in K]?: V } = {};
  if (value !== undefined) result[key] = value;
  return result;
}

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
