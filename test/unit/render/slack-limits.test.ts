import { describe, expect, it } from 'vitest';
import { slackProblems } from '../../../src/local-slack/limits.ts';
import { renderStatus } from '../../../src/render/status.ts';
import { renderWhy } from '../../../src/render/why.ts';
import { exampleQuestion } from './example.ts';

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

describe('the largest reports about a place', () => {
  const atMs = Date.UTC(2023, 8, 30, 12);
  const reader = { userId: 'U0123456789', locale: 'de-DE', botUserId: 'U0BOT' };
  const written = (blocks: unknown[] | undefined, mark: string) => JSON.stringify(blocks).split(mark).length - 1;

  it('say in as many sections as they need what runs and waits', () => {
    const question = exampleQuestion({
      askerId: 'U9876543210',
      text: 'x'.repeat(200),
      access: 'own',
      askerName: 'n'.repeat(60),
    });
    const open = Array.from({ length: 11 }, () => ({ question, view: { kind: 'parked', untilMs: atMs } as const }));
    const conversationUrl = `https://e.org/${'x'.repeat(486)}`;
    const message = renderStatus(
      { of: 'thread', open, elsewhere: open, conversationUrl, rule: 'peoplesThread', service: 'fine' },
      reader,
    );
    expect(slackProblems('chat.postEphemeral', { channel: 'C1', user: 'U1', ...message })).toEqual([]);
    expect(written(message.blocks, '• ')).toBe(20);
    expect(written(message.blocks, conversationUrl)).toBe(1);
  });

  it('say in as many sections as they need what was done with messages', () => {
    const ts = `${atMs / 1000}.000100`;
    const note = { ts, threadTs: '1690000000.000100', userId: 'U9876543210', atMs };
    const question = exampleQuestion({ outcome: { kind: 'notAllowed', reason: 'channelCap' }, askerId: reader.userId });
    const entries = Array.from({ length: 8 }, () => ({
      notes: [
        { ...note, disposition: 'duplicate' as const },
        { ...note, disposition: 'edited' as const },
      ] satisfies [unknown, ...unknown[]],
      question,
      positionInQueue: 0,
    }));
    const workspaceUrl = `https://${'w'.repeat(63)}.enterprise.slack.com/`;
    const place = { nowMs: atMs + 40 * 60 * 60 * 1_000, workspaceUrl, channelId: 'C0123456789' };
    const message = renderWhy({ entries, rule: 'muted' }, { ...reader, ...place });
    expect(slackProblems('chat.postEphemeral', { channel: 'C1', user: 'U1', ...message })).toEqual([]);
    expect(written(message.blocks, '• ')).toBe(8);
  });
});
