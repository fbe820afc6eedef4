import { beforeEach, describe, expect, test } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { messageChangedOf, messageDeletedOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { texts, visibleText } from '../support/world/world.ts';

const askEdited = 'Ask the edited version';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

function messageAt(ts: string) {
  return one(world.slack.messages.filter((message) => message.ts === ts));
}

function privateMessages(count: number, user: string = people.ada): Promise<string[]> {
  return eventually(() => {
    const said = world.ephemeralsTo(user).map(visibleText);
    expect(said).toHaveLength(count);
    return said;
  });
}

/** Asks a question that runs until the test ends it. */
async function running(text: string) {
  const ts = await world.mention(text);
  const question = await eventually(() => one(service.find(text)));
  return { ts, question };
}

function asked(): string[] {
  return service.questions().map(({ question }) => question.split('\n')[0] ?? '');
}

/** Asks one more question last, which proves that no other question is pending. */
async function nothingElseIsAsked(texts: string[]): Promise<void> {
  service.answerEverything();
  await world.direct('last?', { user: people.bob, channel: 'D0BOB' });
  await eventually(() => expect(asked()).toEqual([...texts, 'last?']));
}

describe('an edited question that still runs', () => {
  test('continues unchanged, and its new text is offered to its asker once', async () => {
    const { ts, question } = await running('where is it?');
    await world.edit(ts, 'where is the parser?');
    expect((await privateMessages(1))[0]).toMatch(/continues unchanged[\s\S]*where is the parser\?/);
    expect(world.ephemeralsTo(people.bob)).toEqual([]);
    expect(question.status).toBe('processing');
    await nothingElseIsAsked(['where is it?']);
    service.answer(question);
    await world.answered(ts);
    expect(await privateMessages(1)).toHaveLength(1);
  });

  test('is offered once however often Slack reports the edit, and again for another edit', async () => {
    const { ts } = await running('where is it?');
    const { before, after } = world.slack.edit(ts, `<@${team.botUserId}> where is the parser?`);
    const told = messageChangedOf({ before, after, ts: after.edited?.ts ?? '' });
    await world.deliver(told);
    await world.deliver({ ...told, event_id: 'EvAGAIN' });
    await world.edit(ts, 'where is the lexer?');
    const said = await privateMessages(2);
    expect(said[1]).toContain('where is the lexer?');
    // Slack delivers the older edit again, late.
    await world.deliver({ ...told, event_id: 'EvLATE' });
    await world.pressPrivately(askEdited);
    await eventually(() => expect(asked()).toContain('where is the lexer?'));
    expect(asked()).not.toContain('where is the parser?');
  });

  test('is cancelled for its edited version when the asker chooses that, and two presses ask once', async () => {
    const { ts, question } = await running('where is it?');
    await world.edit(ts, 'where is the parser?');
    const deliveries = await Promise.all([world.pressPrivately(askEdited), world.pressPrivately(askEdited)]);
    expect(deliveries.every(({ acknowledged }) => acknowledged)).toBe(true);
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    const edited = await eventually(() => one(service.find('where is the parser?')));
    service.answer(edited);
    await world.answered(ts);
    const said = texts(world.slack.inThread(ts)).join('\n');
    expect(said).toMatch(/Cancelled by <@U0ADA>/);
    expect(said).toMatch(/<@U0ADA> asked:[\s\S]*where is the parser\?/);
    expect(asked()).toEqual(['where is it?', 'where is the parser?']);
    // The thread still belongs to the app.
    service.answerEverything();
    await world.reply(ts, 'and then?');
    await world.answered(ts, 2);
  });

  test('can be edited again once its edited version runs, and deleting the message cancels that version', async () => {
    const { ts } = await running('where is it?');
    await world.edit(ts, 'where is the parser?');
    await world.pressPrivately(askEdited);
    const second = await eventually(() => one(service.find('where is the parser?')));
    await world.edit(ts, 'where is the lexer?');
    await eventually(() => expect(world.ephemeralsTo(people.ada).map(visibleText).join()).toContain('the lexer?'));
    await world.deliver(messageDeletedOf({ message: messageAt(ts), ts: '1800000000.000001' }));
    await eventually(() => expect(second.error?.kind).toBe('Cancelled'));
  });

  test('that is answered in the meantime is asked in its new version as a follow-up, and says so', async () => {
    const { ts, question } = await running('where is it?');
    await world.edit(ts, 'where is the parser?');
    await privateMessages(1);
    service.answerEverything();
    service.answer(question);
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toContain('Answered in'));
    await world.pressPrivately(askEdited);
    await world.answered(ts, 2);
    expect((await privateMessages(2))[1]).toContain('as a follow-up');
    expect(service.conversations).toHaveLength(1);
    expect(asked()).toEqual(['where is it?', 'where is the parser?']);
  });

  test('that is edited back to its first text has no version to ask', async () => {
    const { ts, question } = await running('where is it?');
    await world.edit(ts, 'where is the parser?');
    await privateMessages(1);
    await world.edit(ts, 'where is it?');
    await world.pressPrivately(askEdited);
    expect((await privateMessages(2))[1]).toContain('has expired');
    expect(question.status).toBe('processing');
    expect(asked()).toEqual(['where is it?']);
  });

  test('that asks for a new conversation, or replies, keeps that meaning', async () => {
    service.answerEverything();
    const ts = await world.mention('first?');
    await world.answered(ts);
    service.answerAfter(() => 60_000);
    const fresh = await world.mention('new second?', { threadTs: ts });
    await eventually(() => expect(asked()).toContain('second?'));
    await world.edit(fresh, 'new third?');
    await world.pressPrivately(askEdited);
    await eventually(() => expect(asked()).toContain('third?'));
    const reply = await world.reply(ts, 'fourth?');
    await world.edit(reply, 'fifth?');
    expect((await privateMessages(2))[1]).toContain('fifth?');
    expect(service.conversations.map(({ questions }) => questions.length)).toEqual([1, 1, 1]);
  });

  test('cannot be asked by a person who may not ask', async () => {
    const { ts, question } = await running('where is it?');
    await world.edit(ts, 'where is the parser?');
    await privateMessages(1);
    world.slack.changePerson(people.ada, { is_restricted: true });
    await world.restart();
    await world.pressPrivately(askEdited);
    expect((await privateMessages(2))[1]).toContain('Guests in this workspace');
    expect(question.status).toBe('processing');
    expect(asked()).toEqual(['where is it?']);
  });
});

describe('a message', () => {
  test('that changes by a preview, a reply, the app or after its end is no edit of a running question', async () => {
    const { ts, question } = await running('see https://example.com?');
    const before = messageAt(ts);
    const preview = { ...before, attachments: [{ from_url: 'https://example.com', fallback: 'Example' }] };
    await world.deliver(messageChangedOf({ before, after: preview, ts: '1800000000.000001' }));
    const withReplies = { ...before, reply_count: 1, latest_reply: '1800000000.000002' };
    await world.deliver(messageChangedOf({ before, after: withReplies, ts: '1800000000.000003' }));
    // Thanks ask nothing, so the app does not offer to ask the new text.
    await world.edit(ts, 'ok, thanks :pray:');
    const card = await eventually(() => one(world.slack.inThread(ts)));
    await world.deliver(messageChangedOf({ before: card, after: { ...card, text: 'x' }, ts: '1800000000.000004' }));
    service.answer(question);
    await world.answered(ts);
    await world.edit(ts, 'too late?');
    await nothingElseIsAsked(['see https://example.com?']);
    expect(world.ephemeralsTo(people.ada)).toEqual([]);
  });
});

describe('a message that an edit turns from talk into a mention', () => {
  const mentioned = (text: string): string => `<@${team.botUserId}> ${text}`;

  /** A person writes a message, and then adds a mention to it by an edit. Slack delivers the edit twice. */
  async function turned(text: string, threadTs?: string): Promise<string> {
    const ts = world.slack.say('C0GENERAL', people.ada, 'hello all', threadTs);
    const { before, after } = world.slack.edit(ts, text);
    const added = messageChangedOf({ before, after, ts: after.edited?.ts ?? '' });
    await world.deliver(added);
    await world.deliver({ ...added, event_id: 'EvAGAIN' });
    return ts;
  }

  test('is asked once, and is a question like any other then', async () => {
    const ts = await turned(mentioned('where is it?'));
    const question = await eventually(() => one(service.find('where is it?')));
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toContain('Searching'));
    await world.edit(ts, mentioned('where is the parser?'));
    expect((await privateMessages(1))[0]).toContain('where is the parser?');
    await world.deliver(messageDeletedOf({ message: messageAt(ts), ts: '1800000000.000001' }));
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    expect(asked()).toEqual(['where is it?']);
  });

  test('follows up the conversation of its thread', async () => {
    service.answerEverything();
    const root = world.slack.say('C0GENERAL', people.bob, 'the build is red');
    await world.mention('why?', { threadTs: root });
    await world.answered(root);
    await turned(mentioned('since when?'), root);
    await world.answered(root, 2);
    expect(service.conversations.map(({ questions }) => questions.length)).toEqual([2]);
  });

  test('without more words asks what was asked in its thread', async () => {
    const root = world.slack.say('C0GENERAL', people.bob, 'why is the build red?');
    await turned(mentioned(''), root);
    const question = await eventually(() => one(service.questions()));
    expect(question.question).toMatch(/^Answer what was asked above\.[\s\S]*why is the build red\?/);
  });

  test.each([
    ['the name of the app alone', 'C0GENERAL', mentioned('')],
    ['a question that is too long', 'C0GENERAL', mentioned('long '.repeat(3_000))],
    ['a greeting in direct messages', 'D0ADA', 'hello'],
  ])('is asked once too where it was %s', async (_, channel, first) => {
    const ts = await (channel === 'D0ADA' ? world.direct(first) : world.mention(first.replace(mentioned(''), '')));
    const { before, after } = world.slack.edit(ts, channel === 'D0ADA' ? 'where is it?' : mentioned('where is it?'));
    const changed = messageChangedOf({
      before,
      after,
      ts: after.edited?.ts ?? '',
      channelType: channel === 'D0ADA' ? 'im' : 'channel',
    });
    await world.deliver(changed);
    await world.deliver({ ...changed, event_id: 'EvAGAIN' });
    await eventually(() => one(service.find('where is it?')));
    await nothingElseIsAsked(['where is it?']);
  });

  test('is not asked by a person who may not ask', async () => {
    world.slack.changePerson(people.ada, { is_restricted: true });
    await turned(mentioned('where is it?'));
    expect((await privateMessages(1))[0]).toContain('Guests in this workspace');
    await nothingElseIsAsked([]);
  });

  test('is not asked where the mention stands in code, or where only a preview was added', async () => {
    await turned(`the id is \`<@${team.botUserId}>\``);
    const ts = world.slack.say('C0GENERAL', people.ada, mentioned('see https://example.com'));
    const before = messageAt(ts);
    const preview = { ...before, attachments: [{ from_url: 'https://example.com', fallback: 'Example' }] };
    await world.deliver(messageChangedOf({ before, after: preview, ts: '1800000000.000001' }));
    await world.deliver(messageChangedOf({ before: { ...before, text: '' }, after: preview, ts: '1800000000.000002' }));
    await nothingElseIsAsked([]);
    expect(world.ephemeralsTo(people.ada)).toEqual([]);
  });
});

describe('the question of a deleted message', () => {
  test.each(['message_deleted', 'a tombstone'])('is cancelled where Slack reports the deletion by %s', async (form) => {
    const { ts, question } = await running('where is it?');
    const message = messageAt(ts);
    const stone = { ...message, user: 'USLACKBOT', text: 'This message was deleted.', subtype: 'tombstone' };
    await world.deliver(
      form === 'a tombstone'
        ? messageChangedOf({ before: message, after: stone, ts: '1800000000.000001' })
        : messageDeletedOf({ message, ts: '1800000000.000001' }),
    );
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toMatch(/Cancelled by <@U0ADA>/));
  });

  test('is the only one that is cancelled in its thread', async () => {
    const { ts, question } = await running('first?');
    const reply = await world.reply(ts, 'second?', { user: people.bob });
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toMatch(/Next in this thread/));
    await world.deliver(messageDeletedOf({ message: messageAt(reply), ts: '1800000000.000001' }));
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toMatch(/Cancelled by <@U0BOB>/));
    expect(question.status).toBe('processing');
    await nothingElseIsAsked(['first?']);
  });
});
