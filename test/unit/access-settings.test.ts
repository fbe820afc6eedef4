import { describe, expect, it } from 'vitest';
import { ConfigError, parseConfig } from '../../src/config.ts';

const enough = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_APP_TOKEN: 'xapp-1',
  SRC_ENDPOINT: 'https://src.example.com',
  SRC_ACCESS_TOKEN: 'sgp_1',
};

function problemsOf(settings: Record<string, string>): string[] {
  try {
    parseConfig({ ...enough, ...settings });
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

describe('settings of the access policy', () => {
  it('are ids separated by commas, and keep each once', () => {
    const config = parseConfig({ ...enough, OPEN_CHANNELS: ' C0ONE, G0TWO,C0ONE, ' });
    expect(config.OPEN_CHANNELS).toEqual(['C0ONE', 'G0TWO']);
    expect(config.ALLOWED_CHANNELS).toBeUndefined();
  });

  it.each([['general'], ['#general'], ['c0one'], ['D0ADA'], ['C0ONE G0TWO'], ['C0ONE,U0ADA'], [',']])(
    'refuse other text: %j',
    (value) => {
      expect(problemsOf({ ALLOWED_CHANNELS: value })).toEqual([expect.stringMatching(/^ALLOWED_CHANNELS must be ids/)]);
    },
  );

  it('may open a channel that they allow', () => {
    expect(problemsOf({ OPEN_CHANNELS: 'C0ONE', ALLOWED_CHANNELS: 'C0ONE' })).toEqual([]);
  });
});
