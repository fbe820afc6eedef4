import type { KnownBlock } from '@slack/types';
import { context, section } from './blocks.ts';
import { ACTIONS, COMMAND } from './ids.ts';
import type { Say } from './say.ts';

/** A channel on Home. `usual`: no admin chose rules for it. */
export interface ShownChannel {
  id: string;
  rules: 'usual' | 'own' | 'off';
}

/** Most channels on Home, so that the tab stays readable. */
const mostChannels = 30;

/** The rows of channels, in at most `room` blocks. Each has a button that opens the channel's settings. */
export function channelRows(channels: readonly ShownChannel[], room: number, say: Say): KnownBlock[] {
  const most = Math.min(mostChannels, channels.length <= room ? room : room - 1);
  if (most <= 0) return [];
  const rows = channels.slice(0, most).map(({ id, rules }): KnownBlock => {
    const told = rules === 'usual' ? [] : [rules === 'off' ? say.channels.off() : say.channels.ownRules()];
    return {
      ...section([`<#${id}>`, ...told].join(' · ')),
      accessory: {
        type: 'button',
        action_id: ACTIONS.channelSettings,
        text: { type: 'plain_text', text: say.channels.settings(), emoji: false },
        value: id,
      },
    };
  });
  const left = channels.length - rows.length;
  return left > 0 ? [...rows, context(say.channels.more(left, COMMAND))] : rows;
}
