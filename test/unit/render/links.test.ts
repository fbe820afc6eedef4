import { describe, expect, it } from 'vitest';
import { sayIn } from '../../../src/render/say.ts';
import { mrkdwnLink, permalink, safeUrl, slackDayTime, slackTime } from '../../../src/render/text.ts';

describe('an address', () => {
  it.each([
    ['https://e.org/a?b=c#d', 'https://e.org/a?b=c#d'],
    ['HTTP://e.org', 'HTTP://e.org'],
    ['mailto:ada@e.org', 'mailto:ada@e.org'],
    ['https://e.org/a b|c<d>e"f`g\\h^i{j}\u0007', 'https://e.org/a%20b%7Cc%3Cd%3Ee%22f%60g%5Ch%5Ei%7Bj%7D%07'],
  ])('%s is linked as %s', (url, safe) => {
    expect(safeUrl(url)).toBe(safe);
  });

  it.each([
    'javascript:alert(1)',
    'javascript:"https://e.org/"',
    'file:///etc/passwd',
    '/relative',
    'https://',
    'https:///a',
    'https:// e.org',
    'mailto:',
    'mailto: x',
    'see https://e.org',
    '',
  ])('%j is not linked', (url) => {
    expect(safeUrl(url)).toBeUndefined();
  });

  it('is linked up to 3,000 characters, counted as they are written', () => {
    expect(safeUrl(`https://e.org/${'x'.repeat(2_986)}`)).toBeDefined();
    expect(safeUrl(`https://e.org/${'x'.repeat(2_987)}`)).toBeUndefined();
    expect(safeUrl(`https://e.org/${'&'.repeat(597)}`)).toBeDefined();
    expect(safeUrl(`https://e.org/${'&'.repeat(598)}`)).toBeUndefined();
  });
});

describe('a link in mrkdwn', () => {
  it.each([
    ['https://e.org/a', 'a file', '<https://e.org/a|a file>'],
    ['https://e.org/?a&b', 'a & b', '<https://e.org/?a&amp;b|a &amp; b>'],
    ['https://e.org/a', 'x|y\n<@U1> @here', '<https://e.org/a|x\u2758y &lt;@U1&gt; @\u200Bhere>'],
    ['https://e.org/a', ' ', '<https://e.org/a|https://e.org/a>'],
    ['javascript:x', 'a', 'a (javascript:x)'],
    ['javascript:x', '', 'javascript:x'],
  ])('to %s with the label %j is %s', (url, label, link) => {
    expect(mrkdwnLink(url, label)).toBe(link);
  });
});

describe('the address of a Slack message', () => {
  const message = { channelId: 'C1', ts: '1700000000.000200' };

  it.each([
    [undefined, ''],
    ['1700000000.000200', ''],
    ['1700000000.000100', '?thread_ts=1700000000.000100&cid=C1'],
  ])('in the thread %s ends with "%s"', (threadTs, end) => {
    expect(permalink('https://acme.slack.com/', { ...message, threadTs })).toBe(
      `https://acme.slack.com/archives/C1/p1700000000000200${end}`,
    );
  });
});

describe('a time', () => {
  const atMs = Date.UTC(2023, 10, 15, 15, 4, 5, 999);
  const seconds = Math.floor(atMs / 1_000);

  it('is shown in the zone of each reader, and in UTC where that is unknown', () => {
    expect(slackTime(atMs)).toBe(`<!date^${seconds}^{time}|15:04 UTC>`);
    expect(slackDayTime(atMs, sayIn('en-US'))).toBe(
      `<!date^${seconds}^{date_short_pretty} at {time}|2023-11-15 15:04 UTC>`,
    );
  });

  it('links to what happened then, where that can be linked', () => {
    const url = 'https://acme.slack.com/archives/C1/p1?a=b&c=d';
    expect(slackTime(atMs, url)).toContain('{time}^https://acme.slack.com/archives/C1/p1?a=b&amp;c=d|15:04 UTC>');
    expect(slackDayTime(atMs, sayIn('en-US'), url)).toContain('{time}^https://acme.slack.com/archives/C1/p1');
    expect(slackTime(atMs, 'javascript:x')).toBe(slackTime(atMs));
  });
});
