import type { ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import { readableText } from '../incoming-text.ts';

const object = z.looseObject({});
const named = z.looseObject({ id: z.string() });

/** What Bolt reads of every payload before a listener sees it, and takes for granted. */
const common = {
  response_url: z.string().nullish(),
  response_urls: z.array(object).optional(),
  function_data: object.nullish(),
};

const event = z.looseObject({
  ...common,
  event: z.looseObject({
    // Bolt wants more of a function of a workflow, of which the app has none.
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

/** `team` and `enterprise` are `null` where there is none. */
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
 * Reads what Slack sent, before Bolt does: undefined for what is none of Slack's payloads. Bolt throws on those, or ends
 * the process, before a listener or an error handler is called. Texts lose the character NUL.
 */
export function readPayload(raw: unknown): ReceiverEvent['body'] | undefined {
  if (!object.safeParse(raw).success) return undefined;
  const kind = kindOf(raw);
  if (kind?.safeParse(raw).success !== true) return undefined;
  try {
    return object.parse(withoutNul(raw));
  } catch {
    // Nested so deep that it can't be written again: the parser goes deeper than the stack does.
    return undefined;
  }
}

/** In the order in which Bolt decides. */
function kindOf(raw: unknown): z.ZodType | undefined {
  const { event: told, command: typed, actions, type } = object.parse(raw);
  if (told !== undefined) return event;
  if (typed !== undefined) return command;
  if (actions !== undefined) return press;
  if (type === 'shortcut' || type === 'message_action') return shortcut;
  return type === 'view_submission' || type === 'view_closed' ? view : undefined;
}

/** A copy where something changes, else the value itself. Keys with NUL are left out: no field of Slack's has one. */
function withoutNul(value: unknown): unknown {
  return JSON.stringify(value).includes('\\u0000')
    ? JSON.parse(JSON.stringify(value), (key, each: unknown) =>
        key.includes('\0') ? undefined : typeof each === 'string' ? readableText(each) : each,
      )
    : value;
}
