import type { ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import { readableText } from '../content/incoming-text.ts';

const object = z.looseObject({});
const named = z.looseObject({ id: z.string() });

/** The fields that Bolt reads of every payload before a listener sees it. Bolt does not check them. */
const common = {
  response_url: z.string().nullish(),
  response_urls: z.array(object).optional(),
  function_data: object.nullish(),
};

const event = z.looseObject({
  ...common,
  event: z.looseObject({
    // Bolt needs more fields for workflow functions. The app has none, so these events are refused.
    type: z.string().refine((type) => type !== 'function_executed'),
    channel: z.union([z.string(), object]).optional(),
    item: object.optional(),
    user: z.union([z.string(), object]).optional(),
    subteam: object.optional(),
  }),
  authorizations: z.array(object).nullish(),
});

const command = z.looseObject({
  ...common,
  command: z.string(),
  user_id: z.string(),
  channel_id: z.string(),
  text: z.string().optional(),
  trigger_id: z.string().optional(),
});

/** `team` and `enterprise` are `null` when there is none. */
const interactive = z.looseObject({
  ...common,
  type: z.string(),
  user: named,
  team: named.nullish(),
  enterprise: named.nullish(),
  channel: named.optional(),
});
const press = interactive.extend({ actions: z.array(z.looseObject({ action_id: z.string() })).min(1) });
const shortcut = interactive.extend({ type: z.enum(['shortcut', 'message_action']) });
const view = interactive.extend({ type: z.enum(['view_submission', 'view_closed']), view: object });

/**
 * Reads a request before Bolt does. Undefined when it is not a payload of Slack. For those, Bolt throws or ends the
 * process before it calls a listener or an error handler. NUL characters in texts are replaced.
 */
export function readPayload(raw: unknown): ReceiverEvent['body'] | undefined {
  if (!object.safeParse(raw).success) return undefined;
  const kind = kindOf(raw);
  if (kind?.safeParse(raw).success !== true) return undefined;
  try {
    return object.parse(withoutNul(raw));
  } catch {
    // It is nested too deeply to be written as JSON again: the parser can go deeper than the stack allows.
    return undefined;
  }
}

/** Checks the kinds in the same order as Bolt. */
function kindOf(raw: unknown): z.ZodType | undefined {
  const { event: inner, command: typed, actions, type } = object.parse(raw);
  if (inner !== undefined) return event;
  if (typed !== undefined) return command;
  if (actions !== undefined) return press;
  if (type === 'shortcut' || type === 'message_action') return shortcut;
  return type === 'view_submission' || type === 'view_closed' ? view : undefined;
}

/** Returns a copy if the value contains NUL, else the value itself. Keys with NUL are removed: Slack has none. */
function withoutNul(value: unknown): unknown {
  return JSON.stringify(value).includes('\\u0000')
    ? JSON.parse(JSON.stringify(value), (key, each: unknown) =>
        key.includes('\0') ? undefined : typeof each === 'string' ? readableText(each) : each,
      )
    : value;
}
