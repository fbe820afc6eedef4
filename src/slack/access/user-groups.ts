import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import type { SlackApi } from '../api/slack-api.ts';
import { userGroupsCachedMs } from '../settings.ts';

const userGroup = z.object({ id: z.string(), handle: z.string().min(1) });

/** The handle of each user group of the workspace, by id. Throws `AppError` when asking Slack again later may help. */
export type UserGroups = () => Promise<ReadonlyMap<string, string>>;

/**
 * Without the scope, and on plans without user groups, there are none: that is no failure, and their ids are shown. Both
 * answers are cached.
 */
export function createUserGroups({ slack, log }: { slack: SlackApi; log: Log }): UserGroups {
  const { teamId } = slack.identity;
  const cache = new LRUCache<string, ReadonlyMap<string, string>>({
    max: 1,
    ttl: userGroupsCachedMs,
    fetchMethod: () => list(),
  });

  return async () => (await cache.fetch('all')) ?? new Map();

  async function list(): Promise<ReadonlyMap<string, string>> {
    try {
      const args = teamId === undefined ? {} : { team_id: teamId };
      const { usergroups } = await slack.call('usergroups.list', args, { priority: 'private' });
      const known = (usergroups ?? []).flatMap((each) => userGroup.safeParse(each).data ?? []);
      return new Map(known.map(({ id, handle }) => [id, handle]));
    } catch (error) {
      if (!isAppError(error, 'unauthorized', 'undeliverable', 'notFound', 'refused')) throw error;
      log.debug({ event: 'user_groups_not_known', kind: error.kind });
      return new Map();
    }
  }
}
