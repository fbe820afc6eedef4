import { randomUUID } from 'node:crypto';
import { slackProblems } from './limits.ts';
import { type SlackBlock, type SlackMessages, withIds } from './messages.ts';
import { team } from './people.ts';
import type { Args } from './wire.ts';

/** A response URL works so long and so often (docs.slack.dev/interactivity/handling-user-interaction). */
const lifeMs = 30 * 60_000;
const mostUses = 5;

/** Where a response URL leads: a person, a place, and the message with the element that they used. */
export interface ResponsePlace {
  person: string;
  channel: string;
  threadTs?: string | undefined;
  source?: string;
}

/** The response URLs of interactions. `origin` returns the address of the server. */
export function createResponses(origin: () => string, messages: SlackMessages, violations: string[]) {
  const issued = new Map<string, ResponsePlace & { uses: number; untilMs: number }>();

  return {
    issue: (place: ResponsePlace): string => {
      for (const [id, { untilMs }] of issued) if (untilMs < Date.now()) issued.delete(id);
      const id = randomUUID();
      issued.set(id, { ...place, uses: 0, untilMs: Date.now() + lifeMs });
      return `${origin()}/response/${id}`;
    },
    say,
    /** Takes what the app posts to a URL. Returns Slack's refusal; undefined when it was carried out. */
    take: (id: string, body: Args): string | undefined => {
      const place = issued.get(id);
      if (place === undefined || place.untilMs < Date.now()) return 'expired_url';
      place.uses += 1;
      return place.uses > mostUses ? 'used_url' : say(place, body);
    },
  };

  /** Posts a reply of the app to an interaction or a command. */
  function say({ person, channel, threadTs, source }: ResponsePlace, reply: unknown): string | undefined {
    const body = (typeof reply === 'string' ? { text: reply || undefined } : reply) as Args;
    if (body.delete_original === true) {
      if (source !== undefined && !messages.dismiss(person, source)) messages.remove(source);
      return undefined;
    }
    if (body.text === undefined && body.blocks === undefined) return undefined;
    const problems = slackProblems('chat.postEphemeral', body);
    violations.push(...problems.map((problem) => `response_url: ${problem}`));
    if (problems.length > 0) return 'invalid_blocks';
    const content = {
      text: String(body.text ?? ''),
      ...(Array.isArray(body.blocks) ? { blocks: withIds(body.blocks as SlackBlock[]) } : {}),
    };
    if (body.replace_original === true && source !== undefined && messages.replace(person, source, content))
      return undefined;
    const thread = String(body.thread_ts ?? threadTs ?? '');
    const where = { channel, ...(thread === '' ? {} : { thread_ts: thread }) };
    if (body.response_type === 'in_channel')
      messages.add({ ...where, user: team.botUserId, bot_id: team.botId, ...content });
    else messages.ephemerals.push({ ...where, user: person, ts: messages.nextTs(), ...content });
    return undefined;
  }
}
