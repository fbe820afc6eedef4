import { expect, test } from 'vitest';
import { createChannels, readChannel } from '../../../src/slack/people/channels.ts';
import { createReader } from '../../../src/slack/people/names.ts';
import { createScriptedSlack } from '../../support/fake-slack/web-api-replies.ts';

const open = {
  id: 'C1',
  name: 'layoffs',
  is_private: false,
  is_mpim: false,
  is_ext_shared: false,
  is_pending_ext_shared: false,
};

test.each<[string, Record<string, unknown>, string]>([
  ['an open channel', open, 'see #layoffs now'],
  ['a private channel', { ...open, is_private: true }, 'see #private-channel now'],
  ['a group conversation', { ...open, is_mpim: true, name: 'mpdm-ada--bob-1' }, 'see #private-channel now'],
  ['a direct message', { ...open, is_im: true }, 'see #private-channel now'],
  [
    'a channel of which Slack does not say that it is open',
    { ...open, is_private: undefined },
    'see #private-channel now',
  ],
  ['a channel of which Slack says something odd', { ...open, is_private: 'no' }, 'see #C1 now'],
])('%s is called by its name only where everybody may know it', async (_, channel, expected) => {
  const slack = createScriptedSlack({ 'conversations.info': { channel } });
  const read = readerOf(slack);
  expect(await read('see <#C1> now')).toBe(expected);
  expect(await read('see <#C1|> now')).toBe(expected);
  expect(await read('see <#C1|as-slack-says> now')).toBe('see #as-slack-says now');
  if (!expected.includes('layoffs')) expect(readChannel('C1', channel)).not.toHaveProperty('name');
});

test('a channel that is hidden from the app is private too', async () => {
  const slack = createScriptedSlack({ 'conversations.info': { error: 'channel_not_found' } });
  expect(await readerOf(slack)('see <#C1>')).toBe('see #private-channel');
});

test('a channel Slack does not tell of keeps its id', async () => {
  const slack = createScriptedSlack({ 'conversations.info': { error: 'internal_error' } });
  expect(await readerOf(slack)('see <#C1>')).toBe('see #C1');
});

function readerOf({ deps }: ReturnType<typeof createScriptedSlack>): (text: string) => Promise<string> {
  return createReader({
    people: { person: async (userId) => ({ userId, name: userId, kind: 'member' }) },
    channels: createChannels(deps),
    botUserId: 'UBOT',
    now: deps.now,
  });
}
