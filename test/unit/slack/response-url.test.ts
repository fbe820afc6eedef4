import { describe, expect, it } from 'vitest';
import { isResponseAddress, respond } from '../../../src/slack/api/response-url.ts';

const slack = 'https://slack.com/api/';

describe('a response_url', () => {
  it.each([
    ['https://hooks.slack.com/commands/T1/2/three', slack],
    ['https://hooks.slack-gov.com/actions/T1/2/three', 'https://slack-gov.com/api/'],
    ['https://slack.example.com/hooks/1', 'https://slack.example.com/api/'],
    ['http://localhost:4001/_hooks/1', 'http://127.0.0.1:4000/api/'],
    ['http://[::1]:4001/_hooks/1', 'http://localhost:4000/api/'],
  ])('is used if it leads to Slack or its stand-in: %s', (url, api) => {
    expect(isResponseAddress(url, api)).toBe(true);
  });

  it.each([
    ['http://169.254.169.254/latest/meta-data/', slack],
    ['http://127.0.0.1:6379/', slack],
    ['http://hooks.slack.com/commands/T1/2/three', slack],
    ['https://hooks.slack.com:8443/commands/T1/2/three', slack],
    ['https://hooks.slack.com.evil.example/1', slack],
    ['https://evil.example/hooks.slack.com', slack],
    ['https://hooks.slack.com@evil.example/1', slack],
    ['https://x:y@hooks.slack.com/1', slack],
    ['https://evilhooks.slack.com.', slack],
    ['file:///etc/passwd', slack],
    ['http://10.0.0.1:4000/hooks', 'http://127.0.0.1:4000/api/'],
    ['https://127.0.0.1:4000/hooks', 'http://127.0.0.1:4000/api/'],
    ['no address', slack],
  ])('is not used if it leads elsewhere: %s', async (url, api) => {
    expect(isResponseAddress(url, api)).toBe(false);
    const outbound = {
      fetch: () => {
        throw new Error('it was sent');
      },
    };
    await expect(respond({ outbound, slackApiUrl: api }, url, {})).rejects.toMatchObject({ kind: 'refused' });
  });
});
