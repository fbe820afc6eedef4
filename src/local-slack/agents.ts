import type { SlackChannels } from './channels.ts';
import { type Args, type Methods, type Reply, refused } from './wire.ts';

/** Agent sessions and suggested prompts (docs.slack.dev/ai). */
export function createAgents(channels: SlackChannels) {
  const sessions = new Map<string, { status: string; title?: string }>();
  const prompts = new Map<string, { title?: string; prompts: { title: string; message: string }[] }>();

  const methods: Methods = {
    'agents.sessions.setStatus': (args) => {
      if (!['processing', 'active', 'suspended', 'closed'].includes(String(args.status)))
        return refused('invalid_status');
      const refusal = refusedSession(args);
      if (refusal !== undefined) return refusal;
      if (typeof args.title === 'string' && args.title.length > 200) return refused('invalid_arguments');
      const known = sessions.get(keyOf(args));
      const status = String(args.status);
      // The title is set when the session is created; later titles are ignored.
      const title = known === undefined ? args.title : known.title;
      sessions.set(keyOf(args), { status, ...(typeof title === 'string' ? { title } : {}) });
      return { ok: true, status, agent_status: status };
    },
    'agents.sessions.rename': (args) => {
      const refusal = refusedSession(args);
      if (refusal !== undefined) return refusal;
      const { title } = args;
      if (typeof title !== 'string' || title.length < 1 || title.length > 200) return refused('invalid_arguments');
      const known = sessions.get(keyOf(args));
      if (known === undefined) return refused('session_not_found');
      known.title = title;
      return { ok: true };
    },
    'assistant.threads.setSuggestedPrompts': (args) => {
      const refusal = refusedSession(args);
      if (refusal !== undefined) return refusal;
      const given = Array.isArray(args.prompts) ? (args.prompts as { title: string; message: string }[]) : [];
      if (given.length === 0 || given.length > 4) return refused('invalid_arguments');
      if (!given.every(({ title, message }) => typeof title === 'string' && typeof message === 'string'))
        return refused('invalid_arguments');
      const title = typeof args.title === 'string' ? { title: args.title } : {};
      prompts.set(String(args.channel_id), { ...title, prompts: given });
      return { ok: true };
    },
  };

  return { methods, sessions, prompts };

  function refusedSession(args: Args): Reply | undefined {
    return channels.refusedRead(args.channel_id) === undefined ? undefined : refused('channel_not_found');
  }
}

function keyOf(args: Args): string {
  return `${String(args.channel_id)}:${String(args.thread_ts ?? '')}`;
}
