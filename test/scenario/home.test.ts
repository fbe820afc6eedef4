import { beforeEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { buttonOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(() => beginWorld());

/** The blocks of a person's Home, as Slack got them. */
function home(user: string = people.ada): string {
  return JSON.stringify(world.home(user)?.blocks ?? []);
}

async function openHome(user: string = people.ada): Promise<void> {
  const before = published();
  expect((await world.openHome(user)).acknowledged).toBe(true);
  await eventually(() => {
    expect(published()).toBeGreaterThan(before);
    // Home shows this text until Slack says who the person is.
    expect(home(user)).not.toMatch(/Checking what you can see|Ich prüfe, was du hier sehen darfst/);
  });
}

function published(): number {
  return world.slack.calls.filter((method) => method === 'views.publish').length;
}

/** Waits until all earlier work is done: asks one more question, and waits for its answer. */
async function settled(user: string = people.bob): Promise<void> {
  const threadTs = await world.mention('is everything done?', { user });
  service.answer(await eventually(() => one(service.find('is everything done?'))));
  await world.answered(threadTs);
}

describe('the Home tab', () => {
  test('is published when it is opened, also to people who never asked', async () => {
    await openHome();
    expect(home()).toContain('You have not asked anything yet.');
    expect(home()).toContain('Deep Search is reachable.');
    expect(home()).toContain('deepsearch:ask_form');
  });

  test('lists running questions with their places, and follows them to their end', async () => {
    await openHome();
    const threadTs = await world.mention('where is <main> & co?');
    await eventually(() =>
      expect(home()).toMatch(/where is &lt;main&gt; &amp; co\?\\nsearching since .* · <#C0GENERAL>/),
    );
    expect(home()).toContain('deepsearch:cancel_own');
    service.answer(await eventually(() => one(service.find('where is <main> & co?'))));
    await eventually(() => expect(home()).toContain('answered in'));
    expect(home()).not.toContain('deepsearch:cancel_own');
    const dotless = threadTs.replace('.', '');
    await world.answered(threadTs);
    await openHome();
    expect(home()).toMatch(new RegExp(`https://fake\\.slack\\.com/archives/C0GENERAL/p\\d+\\?thread_ts=${threadTs}`));
    expect(home()).not.toContain(`/p${dotless}`);
  });

  test('links to the answer once it is posted, also where Slack delays it', async () => {
    await openHome();
    const threadTs = await world.mention('where is main?');
    const question = await eventually(() => one(service.find('where is main?')));
    await eventually(() => expect(home()).toContain('searching since'));
    world.slack.fault('chat.postMessage', { retryAfterSeconds: 1 });
    service.answer(question);
    await eventually(() => expect(home()).toContain('answered in'));
    const answer = one(await world.answered(threadTs));
    await eventually(() => expect(home()).toContain(`/p${answer.ts.replace('.', '')}?thread_ts=${threadTs}`));
  });

  test('shows the positions in the queue of one thread, and names direct messages', async () => {
    const threadTs = await world.direct('the first?');
    await world.reply(threadTs, 'the second?', { channel: 'D0ADA', channelType: 'im' });
    await eventually(() => one(service.find('the first?')));
    await openHome();
    await eventually(() => expect(home()).toContain('waiting in its thread, number 1 in line'));
    expect(home()).toContain('direct message');
    expect(home()).not.toContain('<#D0ADA>');
  });

  test('has a working Cancel for each question', async () => {
    await world.mention('the first?');
    await world.mention('the second?');
    await eventually(() => one(service.find('the second?')));
    await eventually(() => one(service.find('the first?')));
    await openHome();
    await eventually(() => expect(home().match(/deepsearch:cancel_own/g)).toHaveLength(2));
    expect((await world.pressInHome('Cancel')).acknowledged).toBe(true);
    await eventually(() => expect(service.calls).toContain('cancel'));
    await eventually(() => expect(home()).toMatch(/the second\?\\ncancelled/));
    expect(home().match(/deepsearch:cancel_own/g)).toHaveLength(1);
  });

  test('cancels no question of another person, whatever value a button has', async () => {
    await openHome(people.bob);
    await openHome();
    await world.mention('is it mine?');
    await eventually(() => one(service.find('is it mine?')));
    const stolen = await eventually(() => {
      const [, value] = /deepsearch:cancel_own.*?"value":"(q[0-9a-f]{24})"/.exec(home()) ?? [];
      if (value === undefined) throw new Error('no button');
      return value;
    });
    const view = world.slack.viewState.payloadOf(world.home(people.bob) ?? world.slack.openViews[0] ?? never());
    for (const value of [stolen, `${stolen}.1`, 'q', '', '{"questionId":1}']) {
      const press = {
        actionId: 'deepsearch:cancel_own',
        blockId: 'b',
        user: people.bob,
        place: { view },
        label: 'Cancel',
      };
      expect((await world.deliver(buttonOf({ ...press, value }))).acknowledged).toBe(true);
    }
    await settled();
    expect(one(service.find('is it mine?')).status).toBe('processing');
    expect(home(people.bob)).not.toContain('is it mine?');
  });

  test('is in German for a German reader', async () => {
    await world.learnLanguage(people.gerd);
    await openHome(people.gerd);
    expect(home(people.gerd)).toContain('Du hast noch nichts gefragt.');
    await world.mention('wo ist main?', { user: people.gerd });
    await eventually(() => expect(home(people.gerd)).toContain('Suche läuft seit'));
    expect(home(people.gerd)).not.toMatch(/Cancel"|direct message|searching/);
  });

  test.each([people.mia, people.olga, people.robo])('tells %s why they may not ask, and nothing else', async (user) => {
    await openHome(user);
    expect(world.home(user)?.blocks).toHaveLength(3);
    expect(home(user)).toMatch(/only in channels that an admin opened for guests|Only members|could not tell me/);
    expect(home(user)).not.toContain('"button"');
  });

  test('names its visitor only when Slack can, and is not blank in the meantime', async () => {
    world.slack.failUserInfo(people.ada, 'internal_error');
    await openHome();
    expect(home()).toContain('could not tell me who you are');
    world.slack.failUserInfo(people.ada);
    await openHome();
    await eventually(() => expect(home()).toContain('You have not asked anything yet.'));
  });

  test('costs no calls for people who never opened it', async () => {
    service.answerEverything();
    await settled(people.ada);
    expect(published()).toBe(0);
    await openHome(people.bob);
    const before = published();
    const threadTs = await world.mention('for ada only?');
    await world.answered(threadTs);
    expect(published()).toBe(before);
  });

  test('is updated in few calls, however many questions change', async () => {
    await openHome();
    service.answerEverything();
    const texts = ['one?', 'two?', 'three?', 'four?'];
    for (const text of texts) await world.mention(text);
    await eventually(() => expect(home().match(/answered in/g)).toHaveLength(texts.length));
    // Each question is admitted, asked and answered.
    expect(published()).toBeLessThanOrEqual(1 + 3 * texts.length);
  });

  test('is shown later where Slack limits its calls, and never delays an answer', async () => {
    await openHome();
    world.slack.fault('views.publish', { retryAfterSeconds: 1 });
    service.answerEverything();
    const threadTs = await world.mention('who is faster?');
    await world.answered(threadTs);
    await eventually(() => expect(home()).toContain('answered in'));
  });

  test('is kept up to date by the next process after a restart', async () => {
    await openHome();
    await world.restart();
    await world.mention('still fresh?');
    await eventually(() => expect(home()).toMatch(/still fresh\?\\nsearching/));
  });

  test('shows the quota of the newest answer, and a problem with the access', async () => {
    const threadTs = await world.mention('how much?');
    const question = await eventually(() => one(service.find('how much?')));
    service.quota(1710, 2000, new Date(Date.UTC(2030, 0, 1)));
    service.answer(question);
    await world.answered(threadTs);
    await openHome();
    expect(home()).toContain('85% of the quota used (1,710 of 2,000 credits)');
    service.scriptFaults(() => ({ status: 401 }));
    const failing = await world.mention('and now?');
    await world.answered(failing);
    await eventually(() => expect(home()).toContain('does not accept'));
  });
});

describe('the command history', () => {
  test('lists the newest questions privately, with links', async () => {
    const threadTs = await world.mention('where is main?');
    service.answer(await eventually(() => one(service.find('where is main?'))));
    await world.answered(threadTs);
    await world.mention("somebody else's?", { user: people.bob });
    const { response } = await world.command('history');
    expect(response).toMatchObject({ response_type: 'ephemeral' });
    expect(JSON.stringify(response)).toMatch(/where is main\?\\nanswered in/);
    expect(JSON.stringify(response)).toContain(`?thread_ts=${threadTs}&amp;cid=C0GENERAL|open>`);
    expect(JSON.stringify(response)).not.toContain("somebody else's?");
  });

  test('says when there is nothing, in the language of the reader', async () => {
    expect(JSON.stringify((await world.command('history')).response)).toContain('You have not asked anything yet.');
    await world.learnLanguage(people.gerd);
    const { response } = await world.command('history', { user: people.gerd });
    expect(JSON.stringify(response)).toContain('Du hast noch nichts gefragt.');
  });

  test('tells guests why they may not ask', async () => {
    const { response } = await world.command('history', { user: people.mia });
    expect(JSON.stringify(response)).toMatch(/Guests/);
  });
});

function never(): never {
  throw new Error('no Home');
}
