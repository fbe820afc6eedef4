import type { Allowance } from '../../core/rate-limits.ts';

/** The Web API methods that the app calls. To call another one, add it to the table below. */
export type SlackMethod = keyof typeof methodAllowances;

/**
 * Slack counts calls in a window of 60 s that may start at any moment. It can overlap one more of the fixed windows
 * here than fit into it, so the calls of the tier are divided by that number. After a short window, a refused call can
 * try again soon; a long window takes more calls at once.
 */
function perMinute(calls: number, windowSeconds: number): Allowance {
  return { points: Math.floor(calls / (Math.ceil(60 / windowSeconds) + 1)), windowSeconds };
}

/** 20 calls per minute, 5 at once. */
const tier2 = perMinute(20, 20);
/** 50 calls per minute, 7 at once. Tiers: docs.slack.dev/apis/web-api/rate-limits. */
const tier3 = perMinute(50, 10);
/** 100 calls per minute, 25 at once: a text may name twenty people. */
const tier4 = perMinute(100, 20);

/**
 * How often each method may be called per workspace. Source: docs.slack.dev/reference/methods, the page of each method.
 * Reading messages is tier 3 only for internal and Marketplace apps (docs.slack.dev/changelog/2025/05/29). Other apps
 * that are distributed commercially get one call per minute, which Slack then says with `Retry-After`.
 */
export const methodAllowances = {
  // The tier of these two is not documented: docs.slack.dev/ai/agent-sessions.
  'agents.sessions.rename': tier3,
  'agents.sessions.setStatus': tier3,
  'assistant.threads.setSuggestedPrompts': tier4,
  'auth.teams.list': tier2,
  // "Hundreds of requests per minute" for both.
  'auth.test': perMinute(200, 10),
  'chat.delete': tier3,
  'chat.postMessage': perMinute(300, 10),
  'chat.postEphemeral': tier4,
  'chat.unfurl': tier3,
  'chat.update': tier3,
  'conversations.history': tier3,
  // Tier 3 too, but 12 at once: each channel is asked about once a minute, and many requests may start together.
  'conversations.info': perMinute(50, 20),
  'conversations.join': tier3,
  'conversations.members': tier4,
  'conversations.open': tier3,
  'conversations.replies': tier3,
  'files.completeUploadExternal': tier4,
  'files.delete': tier3,
  'files.getUploadURLExternal': tier4,
  'files.info': tier4,
  'usergroups.list': tier2,
  'users.conversations': tier3,
  'users.info': tier4,
  'users.list': tier2,
  'views.open': tier4,
  'views.publish': tier4,
  'views.update': tier4,
} satisfies Record<string, Allowance>;

/**
 * Messages per channel: one per second, and short bursts (docs.slack.dev/apis/web-api/rate-limits). The parts of one
 * answer go out together, and in the long run no channel gets more than 64 messages per minute.
 */
export const messagesPerChannel: Allowance = {
  points: 1,
  windowSeconds: 1,
  burst: { points: 4, windowSeconds: 60 },
};

/**
 * Calls in each window that edits leave free for more important calls: cards of ended questions (3 of 7), people who
 * open Home (10 of 25), and sessions in which nothing runs any more (3 of 7). The search for missed messages leaves room to
 * questions that read their thread.
 */
export const keptFromEdits: Partial<Record<SlackMethod, number>> = {
  'agents.sessions.setStatus': Math.ceil(tier3.points * 0.4),
  'chat.update': Math.ceil(tier3.points * 0.4),
  'conversations.history': 2,
  'conversations.replies': Math.ceil(tier3.points * 0.4),
  'views.publish': Math.ceil(tier4.points * 0.4),
};
