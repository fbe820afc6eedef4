import { LRUCache } from 'lru-cache';
import type { AccessPolicy } from '../../core/access-policy.ts';
import { isAppError } from '../../core/errors.ts';
import type { Clock, Log } from '../../core/ports.ts';
import { sayIn } from '../../render/say.ts';
import { createOptional } from '../api/optional-features.ts';
import type { SlackApi } from '../api/slack-api.ts';
import type { HomeOf } from '../home/home.ts';
import { mostPromptsRemembered, promptsStandMs } from '../settings.ts';

export interface Prompts {
  /**
   * Suggests first questions in the person's Messages tab, once a day, and at the next visit if that failed or there was
   * no room for it. Returns at once and never throws.
   */
  suggest(visitor: HomeOf): void;
}

/** Suggests prompts in each person's language. The manifest has English ones. Workspaces may lack the feature. */
export function createPrompts(deps: {
  slack: Pick<SlackApi, 'call'>;
  accessPolicy: AccessPolicy;
  now: Clock;
  log: Log;
}): Prompts {
  const { slack, accessPolicy, now, log } = deps;
  const optional = createOptional({ feature: 'suggested_prompts', now, log });
  const suggestedMs = new LRUCache<string, number>({ max: mostPromptsRemembered });

  return {
    suggest(visitor) {
      const { channelId } = visitor;
      if (optional.isLacking() || now() - (suggestedMs.get(channelId) ?? 0) < promptsStandMs) return;
      suggestedMs.set(channelId, now());
      offer(visitor).catch((error: unknown) => {
        suggestedMs.delete(channelId);
        if (isAppError(error)) log.debug({ event: 'prompts_not_suggested', kind: error.kind });
        else log.error({ event: 'prompts_failed' }, error);
      });
    },
  };

  async function offer({ userId, teamId, channelId }: HomeOf): Promise<void> {
    const { may, locale } = await accessPolicy.admit(userId, { teamId, channelId });
    if (!may) return;
    const { home } = sayIn(locale);
    const prompts = [
      { title: home.promptOverviewTitle(), message: home.promptOverview() },
      { title: home.promptWhereTitle(), message: home.promptWhere() },
      { title: home.promptChangesTitle(), message: home.promptChanges() },
      { title: home.promptHowTitle(), message: home.promptHow() },
    ];
    // Without a thread, Slack shows them at the top of the Messages tab.
    const { is } = await optional.attempt(() =>
      slack.call('assistant.threads.setSuggestedPrompts', { channel_id: channelId, prompts }, { priority: 'edit' }),
    );
    if (is === 'noRoom') suggestedMs.delete(channelId);
  }
}
