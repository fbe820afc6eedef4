import { beforeEach, describe, expect, test } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { botPostOf, mentionOf, messageOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** Asks why in a thread, and returns the reply without the times. */
async function whyIn(threadTs: string, user: string = people.ada): Promise<string> {
  const before = world.ephemeralsTo(user).length;
  await world.mention('why', { threadTs, user });
  return eventually(() => {
    const said = world.ephemeralsTo(user).map(visibleText);
    expect(said).toHaveLength(before + 1);
    return (said.at(-1) ?? '').replaceAll(/<!date\^[^>]*>/g, 'TIME');
  });
}

describe('the command why, in a thread,', () => {
  test('shows what was asked, what was answered, and what waits', async () => {
    const ts = await world.mention('first?');
    const question = await eventually(() => one(service.find('first?')));
    await world.reply(ts, 'second?', { user: people.bob });
    await eventually(async () => {
      const said = await whyIn(ts);
      expect(said).toContain('TIME · your mention → asked, still running');
      expect(said).toContain('TIME · reply by <@U0BOB> → queued, number 1 in line');
      expect(said).toContain('plain replies are follow-ups');
    });
    service.answerEverything();
    service.answer(question);
    await world.answered(ts, 2);
    const said = await whyIn(ts);
    expect(said).toContain('your mention → answered');
    expect(said).toContain('reply by <@U0BOB> → answered');
    // Each time links to its message.
    const linked = visibleText(world.ephemeralsTo(people.ada).at(-1) ?? { text: '' });
    expect(linked).toMatch(
      new RegExp(`<!date\\^\\d+\\^{time}\\^https://[^|]+/archives/C0GENERAL/p${ts.replace('.', '')}\\|`),
    );
    expect(linked).toMatch(new RegExp(`\\?thread_ts=${ts}&amp;cid=C0GENERAL\\|[^>]*> · reply by <@U0BOB>`));
    // The report has times and people, but no text of the messages.
    expect(said).not.toContain('first');
    expect(said).not.toContain('second');
  });

  test('shows why replies were ignored', async () => {
    service.answerEverything();
    const ts = await world.mention('first?');
    await world.answered(ts);
    await world.reply(ts, `<@${people.gerd}> look at this`);
    await world.reply(ts, '', { more: { subtype: 'file_share' } });
    await world.deliver(botPostOf({ user: people.robo, text: 'deployed', ts: '1800000000.000001', threadTs: ts }));
    await world.reply(ts, 'Thanks! :pray:', { user: people.bob });
    await world.mention('mute', { threadTs: ts });
    await world.reply(ts, 'just talking');
    await eventually(async () => {
      const said = await whyIn(ts);
      expect(said).toContain('ignored: it is addressed to someone else');
      expect(said).toContain('ignored: it has no text');
      expect(said).toContain('reply by <@U0BOB> → ignored: it does not ask anything');
      expect(said).toContain('reply by <@U0ROBO> → ignored: it is from an app');
      expect(said).toContain('your mention → done');
      expect(said).toContain('ignored: this thread is muted');
      expect(said).toContain('This thread is muted');
    });
  });

  test('of people says that only mentions are answered there', async () => {
    service.answerEverything();
    const dm = await world.direct('in private?');
    await world.answered(dm);
    await world.direct('ok, danke', { threadTs: dm });
    await world.direct(':+1:');
    await world.direct('why', { threadTs: dm });
    await eventually(() => {
      const said = world.ephemeralsTo(people.ada).map(visibleText).join('\n');
      expect(said).toContain('your direct message → ignored: it does not ask anything');
    });
    const ts = await world.mention('first?');
    await world.answered(ts);
    await world.mention('vielen Dank!', { threadTs: ts });
    await eventually(() => expect(world.ephemeralsTo(people.ada).map(visibleText).join()).toContain('You are welcome'));
    expect(await whyIn(ts)).toContain('your mention → done');
    await world.reply(ts, 'ok, and for v2?');
    await world.answered(ts, 2);
    expect(service.questions().map(({ question }) => question.split('\n')[0])).toEqual([
      'in private?',
      'first?',
      'ok, and for v2?',
    ]);
  });

  test('of people tells that it takes mentions only', async () => {
    service.answerEverything();
    const root = world.slack.say('C0GENERAL', people.ada, 'hello all');
    expect(await whyIn(root)).toMatch(
      /No message here in the last day was for me[\s\S]*only answer messages that mention me/,
    );
    await world.mention('what is this?', { threadTs: root });
    await world.answered(root);
    await world.reply(root, 'thanks');
    const said = await whyIn(root);
    expect(said).toContain('your mention → answered');
    expect(said).toContain('ignored: it does not mention me, and this thread did not start with a question to me');
  });

  test('tells a guest that guests may not ask, and others only that this person may not', async () => {
    world.slack.channels.get('C0GENERAL')?.members?.push(people.mia);
    const root = world.slack.say('C0GENERAL', people.ada, 'hello all');
    await world.mention('may I?', { threadTs: root, user: people.mia });
    await eventually(() => expect(world.ephemeralsTo(people.mia)).toHaveLength(1));
    expect(await whyIn(root, people.mia)).toContain('your mention → not asked: guests cannot ask');
    const toAda = await whyIn(root);
    expect(toAda).toContain('mention by <@U0MIA> → not asked: its author cannot ask here');
    expect(toAda).not.toContain('guest');
  });

  test('shows repeated deliveries, edits and edits into a mention', async () => {
    service.answerEverything();
    const ts = await world.mention('first?');
    await world.answered(ts);
    await world.deliver(mentionOf({ user: people.ada, text: 'first?', ts }));
    await world.edit(ts, 'first, again?');
    const said = await whyIn(ts);
    expect(said).toContain('answered · delivered twice, asked once · edited later');
    const talk = world.slack.say('C0GENERAL', people.ada, 'hello all');
    await world.edit(talk, `<@${team.botUserId}> where is it?`);
    await world.answered(talk);
    expect(await whyIn(talk)).toContain('your mention → answered');
  });

  test('shows a message that is too long, and one that is too many', async () => {
    await beginWorld({ lifecycle: { threadLimit: 1 } });
    const ts = await world.mention('first?');
    await world.reply(ts, 'second?');
    await world.mention('x'.repeat(10_001), { threadTs: ts });
    await eventually(() => expect(world.ephemeralsTo(people.ada)).toHaveLength(2));
    const said = await whyIn(ts);
    expect(said).toContain('not asked: too many questions were waiting');
    expect(said).toContain('not asked: it is too long');
  });

  test('answers in German for German readers', async () => {
    const root = world.slack.say('C0GENERAL', people.ada, 'hallo');
    await world.learnLanguage(people.gerd);
    expect(await whyIn(root, people.gerd)).toContain('Dieser Thread hat nicht mit einer Frage an mich begonnen');
  });
});

describe('the command why, for a channel,', () => {
  test('shows all its threads, and nothing of other channels', async () => {
    service.answerEverything();
    const ts = await world.mention('first?');
    await world.answered(ts);
    await world.reply(ts, `<@${people.gerd}> look`, { user: people.bob });
    await world.direct('in private?');
    const said = JSON.stringify((await world.command('why')).response);
    expect(said).toContain('your mention → answered');
    expect(said).toContain('reply by <@U0BOB> → ignored: it is addressed to someone else');
    expect(said).toContain('In this channel I only answer messages that mention me');
    expect(said.match(/•/g)).toHaveLength(2);
    expect(JSON.stringify((await world.command('why', { user: people.bob })).response)).toContain(
      '<@U0ADA> → answered',
    );
  });

  test('shows the newest eight, also after a restart, oldest first', async () => {
    const ts = await world.mention('first?');
    await eventually(() => one(service.find('first?')));
    for (let index = 0; index < 9; index += 1) await world.reply(ts, `<@${people.gerd}> look`, { user: people.bob });
    await world.reply(ts, 'second?');
    await world.restart();
    const said = JSON.stringify((await world.command('why')).response);
    const lines = said.split('•').slice(1, 9);
    expect(said.split('•').slice(1)).toHaveLength(8);
    expect(lines.at(-1)).toContain('your reply → queued');
    expect(lines[0]).toContain('addressed to someone else');
  });

  test('shows nothing of messages that have nothing to do with the app', async () => {
    await world.deliver(messageOf({ user: people.ada, text: 'chatter', ts: '1800000000.000001' }));
    await world.deliver(
      messageOf({ user: people.ada, text: 'talk', ts: '1800000000.000003', threadTs: '1800000000.000001' }),
    );
    await world.deliver(botPostOf({ user: people.robo, text: 'deployed', ts: '1800000000.000002' }));
    expect(JSON.stringify((await world.command('why')).response)).toContain(
      'No message here in the last day was for me',
    );
  });

  test('counts every direct message as meant for the app', async () => {
    service.answerEverything();
    const ts = await world.direct('first?');
    await world.answered(ts);
    await world.direct('why');
    const said = await eventually(() => one(world.ephemeralsTo(people.ada).map(visibleText)));
    expect(said).toContain('your direct message → answered');
    expect(said).toContain('everything you write is for me');
  });
});
