import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPayload } from '../../../src/slack/receivers/payload.ts';
import { commandOf, mentionOf, messageOf, pressOf } from '../../support/local-slack/payloads.ts';

const responseUrl = 'https://hooks.slack.com/1';
const place = { channel: 'C0GENERAL', messageTs: '1.1', responseUrl };

describe('a payload of Slack', () => {
  it.each([
    ['a mention', mentionOf({ user: 'U0ADA', text: 'where?', ts: '1.1' })],
    ['a message', messageOf({ user: 'U0ADA', text: 'where?', ts: '1.1', more: { message: null, edited: null } })],
    ['a command', commandOf({ text: 'where?', user: 'U0ADA', responseUrl })],
    ['a command without a text', { command: '/deepsearch', user_id: 'U0ADA', channel_id: 'C0GENERAL' }],
    ['a pressed button', pressOf({ actionId: 'a', value: 'b', user: 'U0ADA', ...place })],
    [
      'a pressed button on the Home tab',
      { type: 'block_actions', user: { id: 'U0ADA' }, team: null, actions: [{ action_id: 'a' }] },
    ],
    ['a shortcut', { type: 'shortcut', user: { id: 'U0ADA' }, enterprise: null }],
    ['a form', { type: 'view_submission', user: { id: 'U0ADA' }, view: {}, response_urls: [] }],
    ['an event about a person', { event: { type: 'user_change', user: { id: 'U0ADA' } }, authorizations: null }],
    ['an event about a channel', { event: { type: 'channel_rename', channel: { id: 'C0GENERAL' } } }],
  ])('is read unchanged: %s', (_, raw) => {
    expect(readPayload(raw)).toEqual(raw);
  });

  it('contains no NUL at any depth, and none of the keys that have one', () => {
    const raw = { event: { type: 'message', text: 'a\0b', files: [{ name: '\0', 'k\0': 1 }], '\\u0000': '\\u0000' } };
    expect(readPayload(raw)).toEqual({
      event: { type: 'message', text: 'a\ufffdb', files: [{ name: '\ufffd' }], '\\u0000': '\\u0000' },
    });
  });

  it('changes no prototype', () => {
    const raw: unknown = JSON.parse('{"__proto__":{"bad":1},"event":{"type":"\\u0000","__proto__":{"bad":1}}}');
    const read = readPayload(raw);
    expect(read?.event.type).toBe('\ufffd');
    expect([read?.bad, read?.event.bad, Reflect.get({}, 'bad')]).toEqual([undefined, undefined, undefined]);
  });
});

it('a payload of another shape is read as nothing, and never throws', () => {
  for (const raw of [undefined, null, 0, '', 'null', [], [{}], {}, { type: 'view_submission' }, { event: [] }]) {
    expect(readPayload(raw)).toBeUndefined();
  }
  const deep: unknown = JSON.parse(`{"event":{"type":"message","blocks":${'['.repeat(99_999)}${']'.repeat(99_999)}}}`);
  expect(readPayload(deep)).toBeUndefined();
  fc.assert(fc.property(fc.jsonValue(), (raw) => void readPayload(raw)));
});
