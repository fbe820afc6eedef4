import type { KnownBlock } from '@slack/types';
import type { RecentUsage } from '../core/history/recent-usage.ts';
import { isBetweenTwo } from '../core/question/question.ts';
import { context, section } from './blocks.ts';
import type { Say } from './say.ts';

const mostChannels = 3;

/** What an admin sees of the recent use. `counting`: there are no numbers yet. */
export type ShownUsage = RecentUsage | 'counting';

export function usageBlocks(usage: ShownUsage, { usage: said }: Say): KnownBlock[] {
  if (usage === 'counting') return [section(said.counting())];
  const { total, channels } = usage;
  const { medianMs, p95Ms, credits, votesUp, votesDown } = total;
  const busiest = channels
    .filter(({ name, questions }) => questions > 0 && !isBetweenTwo({ channelId: name }))
    .slice(0, mostChannels)
    .map(({ name, questions }) => said.channel(`<#${name}>`, questions));
  const more = [...(credits === undefined ? [] : [said.credits(Math.round(credits))]), said.votes(votesUp, votesDown)];
  return [
    section(
      [
        said.counts(total.questions, total.answers, total.failures),
        ...(medianMs === undefined || p95Ms === undefined ? [] : [said.times(medianMs, p95Ms)]),
        more.join(' · '),
        ...(busiest.length === 0 ? [] : [`${said.busiest()} ${busiest.join(', ')}`]),
      ].join('\n'),
    ),
    context(said.onlyAdmins()),
  ];
}
