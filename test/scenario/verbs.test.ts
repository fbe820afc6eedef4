import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { messageOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { texts, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** The private messages to a person, oldest first. Waits until there are `count` of them. */
function privateMessages(count: number, user: string = people.ada): Promise<string[]> {
  return eventually(() => {
    const said = world.ephemeralsTo(user).map(visibleText);
    expect(said).toHaveLength(count);
    return said;
  });
}

/** The questions of the service, without quotes of threads. */
function asked(): (string | undefined)[] {
  return service.questions().map(({ question }) => question.split('\n')[0]);
}

function saidIn(response: unknown): string {
  return JSON.stringify(response);
}

async function answeredThread(text = 'first?'): Promise<string> {
  service.answerEverything();
  const ts = await world.mention(text);
  await world.answered(ts);
  return ts;
}

describe('the command mute', () => {
  test('ignores plain replies until unmute, while mentions are still asked', async () => {
    const ts = await answeredThread();
    await world.mention('mute', { threadTs: ts });
    expect((await privateMessages(1))[0]).toMatch(/no longer treat plain replies here as questions[\s\S]*unmute/);
    await world.reply(ts, 'just talking');
    await world.mention('asked anyway?', { threadTs: ts, user: people.bob });
    await world.answered(ts, 2);
    await world.mention('Unmute.', { threadTs: ts });
    expect((await privateMessages(2))[1]).toContain('questions again');
    await world.reply(ts, 'a follow-up?');
    await world.answered(ts, 3);
    expect(asked()).toEqual(['first?', 'asked anyway?', 'a follow-up?']);
  });

  test('lasts over a restart, and may be repeated', async () => {
    const ts = await answeredThread();
    await world.mention('mute', { threadTs: ts });
    await world.mention('mute', { threadTs: ts });
    await privateMessages(2);
    await world.restart();
    await world.reply(ts, 'just talking');
    await world.mention('asked anyway?', { threadTs: ts });
    await world.answered(ts, 2);
    expect(asked()).toEqual(['first?', 'asked anyway?']);
  });

  test('does not keep a bare "cancel" from cancelling', async () => {
    const ts = await world.mention('long?');
    const question = await eventually(() => one(service.find('long?')));
    await world.mention('mute', { threadTs: ts });
    await world.reply(ts, 'cancel');
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toMatch(/Cancelled by <@U0ADA>/));
  });

  test('changes nothing in a thread of people, or outside of threads, and says so', async () => {
    service.answerEverything();
    const root = world.slack.say('C0GENERAL', people.ada, 'hello all');
    await world.mention('mute', { threadTs: root });
    await world.mention('unmute');
    for (const said of await privateMessages(2)) expect(said).toContain('only answer messages that mention me');
    await world.mention('still here?', { threadTs: root });
    await world.answered(root);
  });

  test('is refused in direct messages', async () => {
    service.answerEverything();
    const ts = await world.direct('first?');
    await world.answered(ts);
    await world.direct('mute', { threadTs: ts });
    expect((await privateMessages(1))[0]).toContain('cannot be muted');
    await world.direct('second?', { threadTs: ts });
    await world.answered(ts, 2);
  });

  test('is refused to guests', async () => {
    const ts = await answeredThread();
    world.slack.channels.get('C0GENERAL')?.members?.push(people.mia);
    await world.mention('mute', { threadTs: ts, user: people.mia });
    expect((await privateMessages(1, people.mia))[0]).toMatch(/Guests in this workspace[\s\S]*nothing/);
    world.slack.channels.get('C0GENERAL')?.members?.pop();
    await world.reply(ts, 'a follow-up?');
    await eventually(() => expect(asked()).toEqual(['first?', 'a follow-up?']));
  });
});

describe('the command cancel', () => {
  const entry = 'Only when mentioned';

  /** Whether the newest answer of a thread offers the entry. */
  function offers(ts: string): boolean {
    return JSON.stringify(world.answersIn(ts).at(-1)?.blocks).includes(entry);
  }

  /** A thread in which a second person also asked. */
  async function talk(): Promise<string> {
    const ts = await answeredThread();
    await world.reply(ts, 'second?', { user: people.bob });
    await world.answered(ts, 2);
    return ts;
  }

  test('is offered under answers once a second person replied without a mention, and not before', async () => {
    const ts = await answeredThread();
    expect(offers(ts)).toBe(false);
    await world.reply(ts, 'alone?');
    await world.mention('by mention?', { threadTs: ts, user: people.bob });
    await world.answered(ts, 3);
    expect(offers(ts)).toBe(false);
    await world.reply(ts, 'thanks', { user: people.bob });
    await eventually(() => expect(offers(ts)).toBe(true));
    await world.reply(ts, 'and now?');
    await world.answered(ts, 4);
    expect(offers(ts)).toBe(true);
    // The menu keeps the entry when the answer is edited.
    await world.press('What calls it?', { threadTs: ts });
    await world.answered(ts, 5);
    expect(world.answersIn(ts).filter(({ blocks }) => JSON.stringify(blocks).includes(entry))).toHaveLength(3);
  });

  test('mutes the thread, and tells the person who pressed it how to undo that', async () => {
    const ts = await talk();
    await world.overflow(entry, { threadTs: ts, user: people.bob });
    expect((await privateMessages(1, people.bob))[0]).toMatch(
      /no longer treat plain replies here as questions[\s\S]*unmute/,
    );
    // A second press changes nothing.
    await world.overflow(entry, { threadTs: ts });
    await privateMessages(1);
    await world.reply(ts, 'just talking');
    await world.mention('asked anyway?', { threadTs: ts });
    await world.answered(ts, 3);
    expect(offers(ts)).toBe(false);
    await world.mention('unmute', { threadTs: ts });
    await privateMessages(2);
    await world.reply(ts, 'a follow-up?');
    await world.answered(ts, 4);
    expect(offers(ts)).toBe(true);
    expect(asked()).toEqual(['first?', 'second?', 'asked anyway?', 'a follow-up?']);
  });

  test('is not for those who may not ask there', async () => {
    const ts = await talk();
    world.slack.channels.get('C0GENERAL')?.members?.push(people.mia);
    await world.overflow(entry, { threadTs: ts, user: people.mia });
    expect((await privateMessages(1, people.mia))[0]).toContain('Guests in this workspace');
    world.slack.channels.get('C0GENERAL')?.members?.pop();
    await world.restart();
    await world.reply(ts, 'a follow-up?');
    await world.answered(ts, 3);
  });

  test('is not offered in direct messages', async () => {
    service.answerEverything();
    const ts = await world.direct('first?');
    await world.answered(ts);
    await world.direct('second?', { threadTs: ts });
    await world.answered(ts, 2);
    expect(offers(ts)).toBe(false);
  });
});

describe('cancel', () => {
  test('by a mention stops what runs in the thread', async () => {
    const ts = await world.mention('long?');
    const question = await eventually(() => one(service.find('long?')));
    await world.mention('stop', { threadTs: ts, user: people.bob });
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toMatch(/Cancelled by <@U0BOB>/));
  });

  test('lets guests cancel only what they asked', async () => {
    const ts = await world.mention('where are the retries, and who set them?');
    const question = await eventually(() => one(service.questions()));
    await world.reply(ts, 'Stop!', { user: people.bob });
    const [said] = await privateMessages(1, people.bob);
    expect(said).toContain('<@U0ADA> asked this question');
    expect(said).toContain('where are the retries, and who set them?');
    expect(question.status).toBe('processing');
    expect(service.calls).not.toContain('cancel');
    await world.pressPrivately('Cancel the question', { user: people.bob });
    await world.pressPrivately('Cancel the question', { user: people.bob });
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toMatch(/Cancelled by <@U0BOB>/));
    // A later press is told that the question already ended. It does not cancel the question that runs now.
    await world.reply(ts, 'second?');
    const second = await eventually(() => one(service.find('second?')));
    await world.pressPrivately('Cancel the question', { user: people.bob });
    await eventually(() => expect(world.ephemeralsTo(people.bob).map(visibleText).at(-1)).toContain('already ended'));
    expect(second.status).toBe('processing');
  });

  test('that was confirmed after the answer came is told so', async () => {
    const ts = await world.mention('quick?');
    const question = await eventually(() => one(service.find('quick?')));
    await world.reply(ts, 'cancel', { user: people.bob });
    await privateMessages(1, people.bob);
    service.answer(question);
    await world.answered(ts);
    await world.pressPrivately('Cancel the question', { user: people.bob });
    expect((await privateMessages(2, people.bob))[1]).toContain('it stays');
  });

  test('as a plain reply by someone who may not ask is refused, and offers nothing', async () => {
    const ts = await world.mention('long?');
    const question = await eventually(() => one(service.find('long?')));
    world.slack.channels.get('C0GENERAL')?.members?.push(people.mia);
    await world.reply(ts, 'cancel', { user: people.mia });
    expect((await privateMessages(1, people.mia))[0]).toContain('Guests in this workspace');
    expect(JSON.stringify(world.ephemeralsTo(people.mia))).not.toContain('Cancel the question');
    expect(question.status).toBe('processing');
  });

  test('that Slack delivers again is confirmed once', async () => {
    const ts = await world.mention('long?');
    await eventually(() => one(service.find('long?')));
    const stop = await world.reply(ts, 'stop', { user: people.bob });
    await world.deliver(messageOf({ user: people.bob, text: 'stop', ts: stop, threadTs: ts }));
    await world.mention('status', { threadTs: ts, user: people.bob });
    const said = await privateMessages(2, people.bob);
    expect(said.filter((each) => each.includes('asked this question'))).toHaveLength(1);
  });

  test('is not for guests, who may take back only what they asked themselves', async () => {
    const ts = await world.mention('long?');
    const question = await eventually(() => one(service.find('long?')));
    world.slack.channels.get('C0GENERAL')?.members?.push(people.mia);
    await world.mention('cancel', { threadTs: ts, user: people.mia });
    expect((await privateMessages(1, people.mia))[0]).toContain('Guests in this workspace');
    expect(question.status).toBe('processing');
    // Ada becomes a guest after she asked.
    world.slack.changePerson(people.ada, { is_restricted: true });
    await world.restart();
    await world.mention('cancel', { threadTs: ts });
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
  });

  test('says so where nothing runs', async () => {
    const ts = await answeredThread();
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toContain('Answered in'));
    await eventually(async () =>
      expect(saidIn((await world.command('status')).response)).toContain('Nothing is running'),
    );
    await world.mention('cancel', { threadTs: ts });
    expect((await privateMessages(1))[0]).toContain('Nothing is running in this thread');
  });
});

describe('the command status', () => {
  test('shows in a thread what runs and waits, who asked, and where the conversation is', async () => {
    const ts = await world.mention('first?');
    const question = await eventually(() => one(service.find('first?')));
    await world.reply(ts, 'second?', { user: people.bob });
    await eventually(() => expect(texts(world.slack.inThread(ts)).join('\n')).toMatch(/Next in this thread/));
    await world.mention('status', { threadTs: ts });
    const [running] = await privateMessages(1);
    expect(running).toMatch(/first\? · running for [\s\S]* · asked by you/);
    expect(running).toMatch(/second\? · queued, number 1 in line · asked by <@U0BOB>/);
    expect(running).toMatch(/Conversation: <http.*\/deepsearch\//);
    expect(running).toContain('plain replies are follow-ups');
    expect(running).toContain('Deep Search is reachable');
    service.answerEverything();
    service.answer(question);
    await world.answered(ts, 2);
    await world.mention('mute', { threadTs: ts });
    await world.mention('status', { threadTs: ts });
    const [, , idle] = await privateMessages(3);
    expect(idle).toMatch(/Nothing is running[\s\S]*Conversation: <http/);
    expect(idle).toContain('This thread is muted');
  });

  test('shows what runs in the channel, and of other channels only the person’s questions', async () => {
    await world.mention('in general?', { user: people.bob });
    world.slack.channels.set('C0OTHER', { isPrivate: false, botIsMember: true, isArchived: false });
    await world.mention('mine elsewhere?', { channel: 'C0OTHER' });
    await world.mention('not mine elsewhere?', { channel: 'C0OTHER', user: people.bob });
    await world.direct('bob in private?', { user: people.bob, channel: 'D0BOB' });
    await world.direct('ada in private?');
    await eventually(() => expect(service.questions()).toHaveLength(5));
    const said = await eventually(async () => {
      const told = saidIn((await world.command('status')).response);
      expect(told).toMatch(/In this channel\*\\n• in general\? · running for [^•]* · asked by <@U0BOB>/);
      expect(told).toMatch(/mine elsewhere\? · running for [^•]* · <#C0OTHER>/);
      expect(told).toMatch(/ada in private\? · running for [^•]* · in our direct messages/);
      return told;
    });
    expect(said).not.toContain('not mine elsewhere');
    expect(said).not.toContain('bob in private');
    expect(said).toContain('Deep Search is reachable');
  });

  test('says whether the app is in the channel, as far as Slack said before', async () => {
    const status = async (channel: string) => saidIn((await world.command('status', { channel })).response);
    expect(await status('C0GENERAL')).toContain('mention me, once I have been added to it.');
    await answeredThread();
    const open = { isPrivate: false, botIsMember: false, isArchived: false };
    world.slack.channels.set('C0PUBLIC', { ...open, members: [people.ada, people.mia] });
    await world.command('refused here?', { channel: 'C0PUBLIC' });
    await privateMessages(1);
    const calls = world.slack.calls.length;
    expect(await status('C0GENERAL')).toContain('I only answer messages that mention me."');
    expect(await status('C0PUBLIC')).toContain('I am not in this channel');
    expect(saidIn((await world.command('why', { channel: 'C0PUBLIC' })).response)).toContain('/invite');
    await world.mention('status');
    expect((await privateMessages(2)).join('\n')).toMatch(/I only answer messages that mention me\.$/m);
    expect(world.slack.calls.slice(calls).filter((method) => method.startsWith('conversations.'))).toEqual([]);
  });

  test('says when the service refuses the app, and is refused to guests', async () => {
    service.scriptFaults(() => ({ status: 401 }));
    const ts = await world.mention('first?');
    await world.answered(ts);
    expect(saidIn((await world.command('status')).response)).toMatch(/not accept this app's access token/);
    world.slack.channels.get('C0GENERAL')?.members?.push(people.mia);
    expect(saidIn((await world.command('status', { user: people.mia })).response)).toContain(
      'Guests in this workspace',
    );
  });
});

describe('the slash command', () => {
  test.each(['connect', 'Disconnect'])('says that there is nothing to connect for %s', async (text) => {
    const said = saidIn((await world.command(text)).response);
    expect(said).toContain("the app's own access to Deep Search");
    expect(world.slack.messages).toEqual([]);
  });

  test.each(['mute', 'unmute', 'cancel', 'stop'])('names the mention that works in a thread for %s', async (text) => {
    const said = saidIn((await world.command(text)).response);
    expect(said).toMatch(/only in a thread[\s\S]*<@U0BOT> `(?:un)?(?:mute|cancel)`/);
  });

  test('lists for history what the person asked', async () => {
    await answeredThread('about parsers?');
    const said = saidIn((await world.command('history')).response);
    expect(said).toContain('about parsers?');
    expect(saidIn((await world.command('history', { user: people.bob })).response)).not.toContain('parsers');
  });

  test('asks a question where the text only begins with a command word', async () => {
    service.answerEverything();
    for (const text of ['status of the payment retries?', 'history of main.ts?', 'why is it slow', 'mute button?']) {
      expect((await world.command(text)).response).toBeUndefined();
    }
    await eventually(() => expect(asked()).toHaveLength(4));
  });

  test('answers in the language of the person who types it', async () => {
    await world.learnLanguage(people.gerd);
    expect(saidIn((await world.command('connect', { user: people.gerd })).response)).toContain('Alle hier nutzen');
    expect(saidIn((await world.command('help', { user: people.gerd })).response)).toContain('Stell eine Frage');
  });
});

describe('a mention without text', () => {
  test('in a thread of people asks what was asked above', async () => {
    service.answerEverything();
    const root = world.slack.say('C0GENERAL', people.bob, 'where are retries configured?');
    await world.mention('', { threadTs: root });
    await world.answered(root);
    expect(one(service.questions()).question).toContain('where are retries configured?');
  });
});
