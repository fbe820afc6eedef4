import { expect, test } from 'vitest';
import { linksOf, permalinksIn } from '../../../src/core/question/prompt.ts';

const ts = '1790000000.000100';
const path = '/archives/C0OPS/p1790000000000100';
const root = { host: 'acme.slack.com', channelId: 'C0OPS', ts };

test.each([
  ['alone', `https://acme.slack.com${path}`, [root]],
  ['within a sentence', `See (https://acme.slack.com${path}), please.`, [root]],
  ['with a label', `the alert (https://acme.slack.com${path})`, [root]],
  ['without its scheme, as Slack shows it', `acme.slack.com${path} why?`, [root]],
  [
    'of a reply',
    `https://acme.slack.com${path}?thread_ts=1780000000.000200&cid=C0OPS`,
    [{ ...root, threadTs: '1780000000.000200' }],
  ],
  [
    'of a reply, with the parts in another order',
    `https://acme.slack.com${path}?cid=C0OPS&thread_ts=1780000000.000200`,
    [{ ...root, threadTs: '1780000000.000200' }],
  ],
  ['of the first message of a thread', `https://acme.slack.com${path}?thread_ts=${ts}&cid=C0OPS`, [root]],
  ['of an organization', `https://acme.enterprise.slack.com${path}`, [{ ...root, host: 'acme.enterprise.slack.com' }]],
  ['of a local Slack', `http://127.0.0.1:3000${path}`, [{ ...root, host: '127.0.0.1:3000' }]],
  [
    'twice',
    `https://acme.slack.com${path} and https://ACME.slack.com${path}?cid=C0OPS`,
    [{ ...root, host: 'acme.slack.com' }],
  ],
  ['of a channel only', 'https://acme.slack.com/archives/C0OPS', []],
  ['with too many digits', `https://acme.slack.com${path}7`, []],
  ['in the path of another address', `https://evil.example/acme.slack.com${path}`, []],
  ['behind a name', `https://acme.slack.com@evil.example${path}`, []],
  ['without a host', `in ${path}`, []],
])('a link %s', (_, text, expected) => {
  expect(permalinksIn(text)).toEqual(expected);
});

test('a hostile text takes linear time', () => {
  for (const part of ['a-', 'https://', '/archives/C', 'a.', `x${path}?`]) {
    expect(permalinksIn(part.repeat(200_000))).toHaveLength(part.startsWith('x') ? 1 : 0);
  }
});

test('a suggested follow-up, which the service wrote, has none', () => {
  const text = `https://acme.slack.com${path}`;
  expect(linksOf({ origin: 'followUp', text })).toEqual([]);
  expect(linksOf({ origin: 'retry', isSuggested: true, text })).toEqual([]);
  expect(linksOf({ origin: 'retry', text })).toEqual([root]);
  expect(linksOf({ origin: 'command', text })).toEqual([root]);
});
