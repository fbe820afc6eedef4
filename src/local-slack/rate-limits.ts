import type { Treatment } from './server.ts';
import type { Args } from './wire.ts';

/** Calls in a minute by tier, and the tier of each method that has another one than the third (docs.slack.dev/apis/web-api/rate-limits). */
const perMinute = { tier2: 20, tier3: 50, tier4: 100 };
const tiers: Record<string, keyof typeof perMinute> = {
  'users.list': 'tier2',
  'usergroups.list': 'tier2',
  'conversations.list': 'tier2',
  'users.info': 'tier4',
  'conversations.members': 'tier4',
  'chat.postEphemeral': 'tier4',
  'views.open': 'tier4',
  'views.push': 'tier4',
  'views.update': 'tier4',
  'views.publish': 'tier4',
  'files.info': 'tier4',
  'files.getUploadURLExternal': 'tier4',
  'files.completeUploadExternal': 'tier4',
  'assistant.threads.setSuggestedPrompts': 'tier4',
};

/** Refuses calls that come too often, as Slack does: `chat.postMessage` once a second in each channel, others by tier. */
export function createRateLimits(now: () => number = Date.now): Treatment {
  const made = new Map<string, number[]>();
  return async ({ method, args, run, response }) => {
    const isPost = method === 'chat.postMessage';
    const [key, most, windowMs] = isPost
      ? [`${method} ${String((args as Args).channel)}`, 1, 1_000]
      : [method, perMinute[tiers[method] ?? 'tier3'], 60_000];
    const recent = (made.get(key) ?? []).filter((atMs) => atMs > now() - windowMs);
    const [first] = recent;
    if (first !== undefined && recent.length >= most) {
      const seconds = Math.max(1, Math.ceil((first + windowMs - now()) / 1_000));
      response.writeHead(429, { 'retry-after': String(seconds) }).end();
      return undefined;
    }
    made.set(key, [...recent, now()]);
    return run();
  };
}
