import { afterEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { connectAccount, withAccounts } from '../support/world/connecting.ts';
import { type RecordedService, startRecordedService } from '../support/world/recorded-service.ts';
import { startWorld, texts, visibleText, type World } from '../support/world/world.ts';

const { ada, bob } = people;
const channels = ['C0GENERAL', 'C0SHARED', 'C0GUESTS'];
/** The three channels have readers of other kinds, so that only the account decides who asks what. */
const open = { OPEN_CHANNELS: channels.join(',') };

let service: RecordedService;
let world: World;

async function begin(mode: 'preferred' | 'required'): Promise<void> {
  service = await startRecordedService();
  world = await startWorld({
    service,
    settings: { ...withAccounts(mode), ...open },
  });
}

afterEach(async () => {
  await world.stop();
  await service.stop();
  expect(world.slack.violations).toEqual([]);
  expect(service.problems).toEqual([]);
});

const connect = (user: string, username: string) => connectAccount(world, user, service.tokenOf(username));

/** Waits for the answers of a thread. The first one with own access in a channel asks its asker who may see it. */
async function answered(threadTs: string, count: number): Promise<string> {
  await eventually(() => expect(world.answersIn(threadTs), texts(world.slack.messages).join('\n')).toHaveLength(count));
  return world.answersIn(threadTs).map(visibleText).join('\n');
}

function privately(user: string): string {
  return world.ephemeralsTo(user).map(visibleText).join('\n');
}

describe('with preferred accounts', () => {
  test('each question is asked with the account of its asker in three channels, and with that of the app for others', async () => {
    await begin('preferred');
    await connect(ada, 'ada');
    for (const [index, channel] of channels.entries()) {
      await world.mention(`Where are retries configured, ${index}?`, { channel, user: ada });
      const byBob = await world.mention(`Where is the gateway signed, ${index}?`, { channel, user: bob });
      await answered(byBob, 1);
    }
    await eventually(() => expect(service.asked()).toHaveLength(6));
    for (const { by, question } of service.asked()) {
      expect(by, question).toBe(question.includes('retries') ? 'ada' : 'app');
    }
  });
});

describe('the words of an answer and of the status', () => {
  test('say whose access was used, without mentioning anyone', async () => {
    await begin('preferred');
    await connect(ada, 'ada');
    const byAda = await world.direct('Where are retries configured?', { user: ada });
    const byBob = await world.mention('Where is the gateway signed?', { user: bob });
    expect(await answered(byAda, 1)).toContain("asked with ada's access");
    expect(await answered(byBob, 1)).toContain("asked with the app's access");
  });
});

describe('a thread with two people', () => {
  test('has a conversation for each of them, and the second one gets the earlier questions as context', async () => {
    await begin('preferred');
    await connect(ada, 'ada');
    await connect(bob, 'bob');
    const thread = await world.mention('Where are retries configured?', { user: ada });
    await world.pressPrivately('Always here', { user: ada });
    await answered(thread, 1);
    await world.reply(thread, 'What about the gateway?', { user: bob });
    await world.pressPrivately('Always here', { user: bob });
    expect(await answered(thread, 2)).toContain("asked with bob's access");
    await world.reply(thread, 'How often is it tried again?', { user: ada });
    await answered(thread, 3);
    const asked = service.asked();
    expect(asked.map(({ by }) => by)).toEqual(['ada', 'bob', 'ada']);
    expect(asked[1]?.question).toMatch(
      /^Carrying on from the question "Where are retries configured\?"[\s\S]*What about the gateway\?/,
    );
    expect(asked[2]?.question).toBe('How often is it tried again?');
    expect([service.usersOf(1), service.usersOf(2), service.usersOf(3)]).toEqual([['ada'], ['bob'], []]);
    const cards = world.slack
      .inThread(thread)
      .map(visibleText)
      .filter((text) => text.includes('belong to other accounts'));
    expect(cards).toHaveLength(1);
  });
});

describe('with required accounts', () => {
  test('a question of a person without one waits privately, and is asked by itself once they connect', async () => {
    await begin('required');
    const thread = await world.mention('Where are retries configured?', { user: ada });
    await eventually(() => expect(privately(ada)).toContain('Connect yours within 24 hours'));
    expect(privately(bob)).toBe('');
    expect(world.slack.inThread(thread).filter(({ bot_id: id }) => id !== undefined)).toEqual([]);
    expect(service.requests).toEqual([]);
    await world.restart();
    await connect(ada, 'ada');
    await world.pressPrivately('Show here', { user: ada });
    await answered(thread, 1);
    expect(service.asked()).toEqual([{ by: 'ada', question: 'Where are retries configured?' }]);
    expect(service.usersOf(1)).toEqual(['ada']);
    expect(privately(ada).match(/Connect yours within 24 hours/g)).toHaveLength(1);
  });

  test('a waiting question can be cancelled, and nothing is ever posted', async () => {
    await begin('required');
    const thread = await world.mention('Where are retries configured?', { user: ada });
    await eventually(() => expect(privately(ada)).toContain('Connect yours within 24 hours'));
    await world.reply(thread, 'cancel', { user: ada });
    await connect(ada, 'ada');
    const next = await world.direct('Where is the gateway signed?', { user: ada });
    await answered(next, 1);
    expect(service.asked()).toEqual([{ by: 'ada', question: 'Where is the gateway signed?' }]);
    expect(world.slack.inThread(thread).filter(({ bot_id: id }) => id !== undefined)).toEqual([]);
  });
});

describe('a refused account', () => {
  test('parks its question until its asker connects again, tells only them, and is watched further', async () => {
    await begin('preferred');
    await connect(ada, 'ada');
    service.refuse('ada', ({ method, path }) => method === 'GET' && path.startsWith('/.api/deepsearch'));
    const thread = await world.mention('Where are retries configured?', { user: ada });
    await eventually(() => expect(privately(ada)).toContain('no longer accepts your account'));
    await eventually(() => expect(visibleText(world.card(thread) ?? {})).toContain('connects their account again'));
    expect(privately(bob)).toBe('');
    await world.reply(thread, 'Where is the gateway signed?', { user: bob });
    await answered(thread, 1);
    expect((await world.readyz()).status).toBe(200);
    service.accept('ada');
    await connect(ada, 'ada');
    await world.pressPrivately('Show here', { user: ada });
    await answered(thread, 2);
    expect(service.asked().filter(({ by }) => by === 'ada')).toHaveLength(1);
    expect(service.usersOf(1)).toEqual(['ada']);
  });
});
