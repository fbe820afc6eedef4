import { describe, expect, it } from 'vitest';
import { slackProblems } from '../../support/fake-slack/limits.ts';

const section = (text: string, more: object = {}) => ({ type: 'section', text: { type: 'mrkdwn', text }, ...more });
const button = (text: string, more: object = {}) => ({
  type: 'button',
  action_id: text,
  text: { type: 'plain_text', text },
  ...more,
});
const modal = (changes: object) => ({
  view: { type: 'modal', title: { type: 'plain_text', text: 'x' }, blocks: [section('x')], ...changes },
});

describe('the check of payloads', () => {
  it.each<[string, Record<string, unknown>]>([
    ['chat.postMessage', { text: 'x'.repeat(40_000) }],
    ['chat.update', { text: 'x'.repeat(4_000) }],
    ['chat.postMessage', { text: 'x', blocks: [section('x'.repeat(3_000)), { type: 'divider' }] }],
    [
      'chat.postMessage',
      { text: 'x', blocks: JSON.stringify([section('x')]), metadata: '{"event_type":"a","event_payload":{}}' },
    ],
    ['chat.postMessage', { text: 'x', blocks: [{ type: 'markdown', text: 'x'.repeat(12_000) }] }],
    ['chat.postMessage', { text: 'x', blocks: [{ type: 'actions', elements: [button('x'.repeat(75))] }] }],
    ['views.open', modal({ blocks: Array.from({ length: 100 }, () => section('x')) })],
    ['reactions.add', { name: 'eyes' }],
  ])('accepts %s with a correct payload', (method, payload) => {
    expect(slackProblems(method, payload)).toEqual([]);
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['an empty message', 'chat.postMessage', {}],
    ['a text that Slack cuts off', 'chat.postMessage', { text: 'x'.repeat(40_001) }],
    ['an edit over 4,000', 'chat.update', { text: 'x'.repeat(4_001) }],
    ['an edit over 4,000 bytes', 'chat.update', { text: '漢'.repeat(1_400) }],
    ['an ephemeral text over 4,000', 'chat.postEphemeral', { text: 'x'.repeat(4_001) }],
    ['a long section', 'chat.postMessage', { blocks: [section('x'.repeat(3_001))] }],
    ['an empty section', 'chat.postMessage', { blocks: [section('')] }],
    ['too many blocks', 'chat.postMessage', { blocks: Array.from({ length: 51 }, () => section('x')) }],
    [
      'too much markdown in all',
      'chat.postMessage',
      {
        blocks: [
          { type: 'markdown', text: 'x'.repeat(6_001) },
          { type: 'markdown', text: 'x'.repeat(6_000) },
        ],
      },
    ],
    [
      'too much text in all',
      'chat.postMessage',
      { blocks: Array.from({ length: 5 }, () => section('x'.repeat(2_900))) },
    ],
    [
      'the same block_id twice',
      'chat.postMessage',
      { blocks: [section('x', { block_id: 'a' }), section('x', { block_id: 'a' })] },
    ],
    ['a long block_id', 'chat.postMessage', { blocks: [section('x', { block_id: 'a'.repeat(256) })] }],
    [
      'the same action_id twice',
      'chat.postMessage',
      { blocks: [{ type: 'actions', elements: [button('a'), button('a')] }] },
    ],
    ['a long label', 'chat.postMessage', { blocks: [{ type: 'actions', elements: [button('x'.repeat(76))] }] }],
    [
      'a long value',
      'chat.postMessage',
      { blocks: [{ type: 'actions', elements: [button('x', { value: 'x'.repeat(2_001) })] }] },
    ],
    [
      '26 buttons',
      'chat.postMessage',
      { blocks: [{ type: 'actions', elements: Array.from({ length: 26 }, (_, i) => button(`${i}`)) }] },
    ],
    [
      'a mrkdwn label',
      'chat.postMessage',
      { blocks: [{ type: 'actions', elements: [{ type: 'button', text: { type: 'mrkdwn', text: 'x' } }] }] },
    ],
    ['an empty context', 'chat.postMessage', { blocks: [{ type: 'context', elements: [] }] }],
    ['a block for modals', 'chat.postMessage', { blocks: [{ type: 'alert', text: {} }] }],
    ['blocks that are no list', 'chat.postMessage', { blocks: '{' }],
    ['half a character', 'chat.postMessage', { text: 'x\uD83D' }],
    ['text next to markdown_text', 'chat.postMessage', { text: 'x', markdown_text: 'x' }],
    ['metadata without a payload', 'chat.postMessage', { text: 'x', metadata: { event_type: 'a' } }],
    [
      'large metadata',
      'chat.postMessage',
      { text: 'x', metadata: { event_type: 'a', event_payload: { x: 'x'.repeat(8_000) } } },
    ],
    ['a thread_ts that is a number', 'chat.postMessage', { text: 'x', thread_ts: 1.2 }],
    ['markdown in a modal', 'views.open', modal({ blocks: [{ type: 'markdown', text: 'x' }] })],
    ['101 blocks in a modal', 'views.open', modal({ blocks: Array.from({ length: 101 }, () => section('x')) })],
    ['a long title', 'views.open', modal({ title: { type: 'plain_text', text: 'x'.repeat(25) } })],
    ['a large modal', 'views.open', modal({ blocks: Array.from({ length: 90 }, () => section('x'.repeat(3_000))) })],
    ['long private_metadata', 'views.open', modal({ private_metadata: 'x'.repeat(3_001) })],
    ['no view', 'views.open', {}],
  ])('finds the problem of %s', (_name, method, payload) => {
    expect(slackProblems(method, { text: payload.blocks === undefined ? undefined : 'x', ...payload })).not.toEqual([]);
  });
});
