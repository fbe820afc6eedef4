import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import type { ServiceQuestion } from '../support/fake-service/fake-service.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, texts, visibleText } from '../support/world/world.ts';

const { ada, bob, gerd } = people;

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** The private messages to a person, oldest first. Waits until there are `count` of them. */
function privateMessages(count: number, user: string = ada): Promise<string[]> {
  return eventually(() => {
    const said = world.ephemeralsTo(user).map(visibleText);
    expect(said).toHaveLength(count);
    return said;
  });
}

/** The service's only question whose first line is `text`. */
function asked(text: string): Promise<ServiceQuestion> {
  return eventually(() => one(service.questions().filter(({ question }) => question.split('\n')[0] === text)));
}

function threadText(ts: string): string {
  return texts(world.slack.inThread(ts)).join('\n');
}

async function answered(text = 'first?'): Promise<string> {
  service.answerEverything();
  const ts = await world.mention(text);
  await world.answered(ts);
  return ts;
}

/** The only private message after presses. */
function toldAfterPresses(): Promise<string> {
  return eventually(() => JSON.stringify(one([...world.slack.ephemerals, ...world.slack.responses])));
}

describe('a message "stop" in the direct messages', () => {
  test('stops the one question that runs there, in any thread', async () => {
    const ts = await world.direct('long?');
    const question = await asked('long?');
    const elsewhere = await world.mention('in a channel?');
    await asked('in a channel?');
    await world.direct('stop');
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    await eventually(() => expect(threadText(ts)).toContain('Cancelled by'));
    expect(threadText(elsewhere)).not.toContain('Cancelled');
    expect(world.ephemeralsTo(ada)).toEqual([]);
  });

  test('stops none of several questions, and says where to write it', async () => {
    await world.direct('one?');
    await world.direct('two?');
    await Promise.all([asked('one?'), asked('two?')]);
    await world.direct('cancel');
    expect((await privateMessages(1))[0]).toMatch(/Several of your questions[\s\S]*`cancel`[\s\S]*Home/);
    expect(service.calls).not.toContain('cancel');
  });

  test('says that no question of the person runs there', async () => {
    await world.mention('in a channel?');
    await asked('in a channel?');
    await world.direct('cancel');
    expect(await privateMessages(1)).toEqual(['None of your questions is running here.']);
    expect(service.calls).not.toContain('cancel');
  });

  test('is understood in German', async () => {
    await world.learnLanguage(gerd);
    const ts = await world.direct('lange?', { user: gerd });
    const question = await asked('lange?');
    await world.direct('Abbrechen', { user: gerd });
    await eventually(() => expect(question.error?.kind).toBe('Cancelled'));
    await world.direct('stopp', { user: gerd, threadTs: ts });
    await eventually(() => expect(threadText(ts)).toContain('Abgebrochen'));
  });
});

test('"cancel" in a channel outside of threads asks which thread is meant', async () => {
  await world.mention('cancel');
  expect((await privateMessages(1))[0]).toMatch(/works only in a thread[\s\S]*`cancel`/);
});

describe('a bare "new"', () => {
  test('in a message gets a hint that names the mention', async () => {
    const ts = await answered();
    await world.mention('new', { threadTs: ts });
    await world.direct('New question:');
    const said = await privateMessages(2);
    expect(said).toEqual(['Write a question after `new`.', 'Write a question after `new`.']);
  });

  test('after the command gets a hint that names the command', async () => {
    expect(JSON.stringify((await world.command('new')).response)).toContain('Write a question after `/deepsearch`.');
  });
});

describe('a second press of a button', () => {
  test('on Check again says that the question is being watched', async () => {
    await beginWorld({ settings: { PATIENCE_SECONDS: '2' } });
    const ts = await world.mention('slow?');
    await asked('slow?');
    await world.answered(ts);
    await Promise.all([world.press('Check again'), world.press('Check again', { user: bob })]);
    expect(await toldAfterPresses()).toContain('I am already checking this question again.');
  });

  test('on a follow-up that the same person asked says so', async () => {
    const ts = await answered();
    const label = buttonsOf(one(world.answersIn(ts)).blocks)[0]?.label ?? '';
    await Promise.all([world.press(label, { threadTs: ts }), world.press(label, { threadTs: ts })]);
    expect(await toldAfterPresses()).toContain('already asked this');
  });
});

test('a mention without text in a thread asks in English, and people read about it in their language', async () => {
  const root = world.slack.say('C0GENERAL', bob, 'Where do we set the retry delay?');
  await world.mention('', { threadTs: root, user: gerd });
  await asked('Answer what was asked above.');
  await world.learnLanguage(gerd);
  const history = JSON.stringify((await world.command('history', { user: gerd })).response);
  expect(history).toContain('Beantworte, was oben gefragt wurde.');
  await world.mention('status', { threadTs: root, user: gerd });
  await world.mention('status', { threadTs: root });
  expect((await privateMessages(1, gerd))[0]).toContain('Beantworte, was oben gefragt wurde.');
  expect((await privateMessages(1))[0]).toContain('Answer what was asked above.');
});

test('a mention without text that is asked again is shown in the language of the person who presses', async () => {
  service.scriptFaults(() => ({ status: 401 }));
  const root = world.slack.say('C0GENERAL', bob, 'Where do we set the retry delay?');
  await world.mention('', { threadTs: root, user: gerd });
  await world.answered(root);
  await world.learnLanguage(gerd);
  await world.press('Noch einmal versuchen', { user: gerd, threadTs: root });
  await eventually(() => expect(threadText(root)).toContain('Beantworte, was oben gefragt wurde.'));
  expect(threadText(root)).not.toContain('Answer what was asked above.');
});

describe('the word "history" in a message', () => {
  test('is answered privately, and asks nothing', async () => {
    const ts = await answered('where is main?');
    await world.direct('history');
    await world.mention('History', { threadTs: ts });
    for (const said of await privateMessages(2)) expect(said).toMatch(/Your latest questions[\s\S]*where is main\?/);
    await world.mention('history', { user: bob });
    expect((await privateMessages(1, bob))[0]).toContain('You have not asked anything yet.');
    expect(service.questions()).toHaveLength(1);
  });

  test('asks a question where it is a plain reply in a thread', async () => {
    const ts = await answered();
    await world.reply(ts, 'history');
    await asked('history');
  });
});

describe('a message that asks nothing', () => {
  test('gets one private line with three examples, and no card, also as a command and in direct messages', async () => {
    await world.mention('hello');
    await world.mention(': ???');
    await world.mention('');
    const said = await privateMessages(3);
    expect(new Set(said).size).toBe(1);
    expect(said[0]?.split('·')).toHaveLength(3);
    await world.mention('thanks :wave:');
    expect((await privateMessages(4))[3]).toContain('Nothing was asked');
    const { response } = await world.command('moin!');
    expect(JSON.stringify(response)).toContain('for example');
    await world.direct('👋', { user: bob });
    expect((await privateMessages(1, bob))[0]).toBe(said[0]);
    expect(world.slack.messages.filter(({ user }) => ![ada, bob].includes(user))).toEqual([]);
    expect(service.calls).toEqual([]);
  });
});

describe('the word "help" in a message', () => {
  test('gets a list of everything that the app can do', async () => {
    await world.mention('help');
    const [said = ''] = await privateMessages(1);
    for (const part of [
      '/deepsearch',
      'Ask Deep Search about it',
      'anywhere',
      'which I read first',
      '⋯',
      'edit it first',
      'privately',
      'Share…',
      '`new`',
      '`cancel`',
      '`status`',
      '`mute`',
      '`why`',
      '`history`',
      'Home',
    ])
      expect(said).toContain(part);
    expect(service.calls).toEqual([]);
  });

  test('is understood and answered in German', async () => {
    await world.learnLanguage(gerd);
    await world.mention('Hilfe', { user: gerd });
    const [said = ''] = await privateMessages(1, gerd);
    for (const part of [
      'Ask Deep Search about it',
      '⋯',
      'Teilen…',
      '`abbrechen`',
      'den ich dann zuerst lese',
      'Home-Tab',
    ])
      expect(said).toContain(part);
  });
});

describe('another question in the same thread', () => {
  test.each(['new question: second?', 'different question, second?', 'New Question second?'])(
    'begins another conversation when it starts like %j',
    async (text) => {
      const ts = await answered();
      await world.mention(text, { threadTs: ts });
      await world.answered(ts, 2);
      await world.reply(ts, 'third?');
      await world.answered(ts, 3);
      const words = service.conversations.map(({ questions }) =>
        questions.map(({ question }) => question.split('\n')[0]),
      );
      expect(words).toEqual([['first?'], ['second?', 'third?']]);
    },
  );
});

test('a message over 10,000 characters is given back, and not asked', async () => {
  const ts = await world.mention(`why ${'a'.repeat(10_000)}`);
  await world.direct(`how ${'b'.repeat(10_000)}`);
  const [first = '', second = ''] = await privateMessages(2);
  expect(first).toMatch(/10,004 characters; the limit is 10,000[\s\S]*Nothing was sent[\s\S]*why aaaa/);
  expect(second).toMatch(/how bbbb/);
  expect(service.calls).toEqual([]);
  expect(world.card(ts)).toBeUndefined();
});
