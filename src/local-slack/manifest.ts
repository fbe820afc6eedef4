import { parse } from 'yaml';
import { z } from 'zod';

const schema = z.object({
  features: z.object({
    slash_commands: z
      .array(z.object({ command: z.string(), description: z.string(), usage_hint: z.string().default('') }))
      .default([]),
    shortcuts: z
      .array(z.object({ name: z.string(), type: z.enum(['message', 'global']), callback_id: z.string() }))
      .default([]),
    unfurl_domains: z.array(z.string()).default([]),
  }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({ event_subscriptions: z.object({ bot_events: z.array(z.string()) }) }),
});

/** What Slack knows of an app from its manifest. */
export interface Manifest {
  commands: { command: string; description: string; usageHint: string }[];
  shortcuts: { name: string; type: 'message' | 'global'; callbackId: string }[];
  unfurlDomains: string[];
  scopes: string[];
  /** The events that the app subscribes to. */
  events: string[];
}

/** Reads a manifest in YAML or JSON. Throws when it is none. */
export function readManifest(text: string): Manifest {
  const { features, oauth_config: oauth, settings } = schema.parse(parse(text));
  return {
    commands: features.slash_commands.map(({ usage_hint: usageHint, ...command }) => ({ ...command, usageHint })),
    shortcuts: features.shortcuts.map(({ callback_id: callbackId, ...shortcut }) => ({ ...shortcut, callbackId })),
    unfurlDomains: features.unfurl_domains,
    scopes: oauth.scopes.bot,
    events: settings.event_subscriptions.bot_events,
  };
}
