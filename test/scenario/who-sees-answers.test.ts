import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { ACTIONS, followUpAction } from '../../src/render/ids.ts';
import { eventually } from '../support/eventually.ts';
import { buttonOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { code, next, type OwnAccess, question, startOwnAccess } from '../support/world/own-access.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

const { ada, bob, gerd } = people;
const dayMs = 24 * 60 * 60 * 1_000;

let own: OwnAccess;

async function begin(options: Parameters<typeof startOwnAccess>[0] = {}): Promise<void> {
  own = await startOwnAccess(options);
}

beforeEach(() => {
  // Only the clock is fake, so that a test can let a day pass.
  vi.useFakeTimers({ toFake: ['Date'], shouldAdvanceTime: true });
});

afterEach(async () => {
  await own.stop();
  vi.useRealTimers();
});

describe('the first answer with own access in a channel', () => {
  test('asks its asker privately who sees it, and shows no code before', async () => {
    await begin();
    const ts = await own.world.mention(question);
    await own.isAsked(ada);
    expect(own.toldTo(ada)).toContain('3 people here will see it.');
    expect(own.toldTo(ada)).toContain(question);
    expect(buttonsOf(own.world.ephemeralsTo(ada).at(-1)?.blocks).map(({ label }) => label)).toEqual([
      'Show here',
      'Only for me',
      'Always here',
    ]);
    await own.cardSays(ts, 'The person who asked chooses who sees it');
    expect(own.world.answersIn(ts)).toEqual([]);
    expect(own.inThread(ts)).not.toMatch(code);
    expect(own.toldTo(ada)).not.toMatch(code);
    expect(own.timesAsked(bob)).toBe(0);
    expect(own.service.asked().map(({ by }) => by)).toEqual(['ada']);
  });

  test('is shown in its thread, and later ones of this person there too, but not those of others or elsewhere', async () => {
    await begin();
    const ts = await own.world.mention(question, { channel: 'C0TEAM' });
    await own.world.pressPrivately('Show here');
    expect(await own.isShown(ts)).toMatch(code);
    await own.cardSays(ts, 'Answered in');
    await own.world.mention(next, { channel: 'C0TEAM', threadTs: ts });
    await own.isShown(ts, 2);
    expect(own.timesAsked(ada)).toBe(1);
    // Bob's question in the same thread uses Bob's access, so Bob is asked.
    await own.world.mention('how is the daily report built?', { channel: 'C0TEAM', threadTs: ts, user: bob });
    await own.isAsked(bob);
    expect(own.world.answersIn(ts)).toHaveLength(2);
    const elsewhere = await own.world.mention(next, { channel: 'C0TEAM' });
    await own.isAsked(ada, 2);
    expect(own.world.answersIn(elsewhere)).toEqual([]);
    expect(own.service.asked().map(({ by }) => by)).toEqual(['ada', 'ada', 'bob', 'ada']);
  });

  test('is shown in the whole channel after Always here, but asked about in another channel', async () => {
    await begin();
    const ts = await own.world.mention(question, { channel: 'C0TEAM' });
    await own.world.pressPrivately('Always here');
    await own.isShown(ts);
    await eventually(() => expect(own.toldTo(ada)).toContain('I show your answers in <#C0TEAM> from now on'));
    // The buttons go away with the choice.
    expect(own.world.slack.responses.at(-1)?.body.replace_original).toBe(true);
    const again = await own.world.mention(next, { channel: 'C0TEAM' });
    expect(await own.isShown(again)).toMatch(code);
    expect(own.timesAsked(ada)).toBe(1);
    await own.world.mention(next, { channel: 'C0OPS' });
    await own.isAsked(ada, 2);
  });

  test('is asked about again after Undo on Home, which lists where Always here was chosen', async () => {
    await begin();
    const ts = await own.world.mention(question, { channel: 'C0TEAM' });
    await own.world.pressPrivately('Always here');
    await own.isShown(ts);
    const homeSays = () => JSON.stringify(own.world.home());
    await own.world.openHome();
    await eventually(() => expect(homeSays()).toContain('You chose *Always here* in <#C0TEAM>.'));
    await own.world.pressInHome('Undo');
    await eventually(() => expect(homeSays()).not.toContain('Always here'));
    await own.world.mention(next, { channel: 'C0TEAM' });
    await own.isAsked(ada, 2);
  });

  test('goes to the direct messages of its asker with Only for me, and the thread says only that', async () => {
    await begin();
    const ts = await own.world.mention(question);
    await own.world.pressPrivately('Only for me');
    const { answer } = await own.sentTo(ada);
    expect(visibleText(answer)).toMatch(code);
    expect(JSON.stringify(answer)).toContain('/deepsearch/');
    await own.cardSays(ts, 'Answered privately');
    expect(own.world.answersIn(ts)).toEqual([]);
    expect(own.inThread(ts)).not.toMatch(code);
    expect(own.inThread(ts)).not.toContain('/deepsearch/');
    expect(own.world.slack.requests.filter(({ method }) => method === 'agents.sessions.rename')).toEqual([]);
    expect(own.service.asked()).toHaveLength(1);
  });

  test('shows no steps on the card before, and no file in anything that was ever sent to the channel', async () => {
    await begin({ stepDelayMs: 150 });
    const ts = await own.world.mention(question);
    await own.cardSays(ts, 'Searching');
    await own.world.pressPrivately('Only for me');
    await own.cardSays(ts, 'Answered privately');
    const sent = own.world.slack.requests.filter((each) => JSON.stringify(each).includes('C0GENERAL'));
    expect(JSON.stringify(sent)).toContain('Searching');
    expect(JSON.stringify(sent)).not.toMatch(code);
    expect(JSON.stringify(sent)).not.toMatch(/Searching[^"]*step/);
  });

  test('shows the steps of the next question where the asker agreed', async () => {
    await begin({ stepDelayMs: 150 });
    const ts = await own.world.mention(question);
    await own.world.pressPrivately('Show here');
    await own.isShown(ts);
    await own.world.mention(next, { threadTs: ts });
    await own.isShown(ts, 2);
    expect(JSON.stringify(own.world.slack.requests)).toMatch(/Searching[^"]*step/);
  });

  test('lets other questions of the thread go on while its asker chooses', async () => {
    await begin();
    const ts = await own.world.mention(question);
    await own.isAsked(ada);
    await own.world.mention(next, { threadTs: ts, user: bob });
    await own.isAsked(bob);
    await own.world.pressPrivately('Show here', { user: bob });
    await own.isShown(ts);
    await own.world.pressPrivately('Show here');
    await own.isShown(ts, 2);
  });

  test('is chosen for once, by its asker only, also after a restart', async () => {
    await begin();
    const ts = await own.world.mention(question);
    await own.isAsked(ada);
    const asked = own.world.ephemeralsTo(ada).at(-1) ?? { channel: '', user: '', text: '' };
    const { label, ...button } = buttonsOf(asked.blocks)[0] ?? { label: '', actionId: '', blockId: '', value: '' };
    const place = { ephemeral: asked, responseUrl: own.world.slack.responseUrl(`bob?user=${bob}&channel=C0GENERAL`) };
    await own.world.deliver(buttonOf({ ...button, value: button.value ?? '', label, user: bob, place }));
    await eventually(() => expect(own.toldTo(bob)).toContain(`Only the person who asked (<@${ada}>) can do this.`));
    expect(own.world.answersIn(ts)).toEqual([]);
    await own.world.restart();
    await Promise.all([own.world.pressPrivately('Only for me'), own.world.pressPrivately('Only for me')]);
    await own.sentTo(ada);
    await own.world.pressPrivately('Show here');
    await eventually(() => expect(own.toldTo(ada)).toContain('You already chose who sees this answer.'));
    expect(own.world.answersIn(ts)).toEqual([]);
  });

  test('gives no source, follow-up or vote to another person whose client makes up a press for it', async () => {
    await begin();
    const ts = await own.world.mention(question);
    await own.isAsked(ada);
    const { value: questionId = '' } = buttonsOf(own.world.ephemeralsTo(ada).at(-1)?.blocks)[0] ?? {};
    const message = one(own.world.slack.inThread(ts).filter((each) => each.bot_id !== undefined));
    const viewsSent = () => own.world.slack.requests.filter(({ method }) => method.startsWith('views.'));
    const openedViews = () => viewsSent().filter(({ method }) => method === 'views.open').length;
    const makeUp = (actionId: string, value: string) => {
      const place = { message, responseUrl: own.world.slack.responseUrl(`bob?user=${bob}&channel=C0GENERAL`) };
      return own.world.deliver(buttonOf({ actionId, value, user: bob, place }));
    };
    for (const choice of ['', 'Only for me']) {
      if (choice !== '') {
        await own.world.pressPrivately(choice);
        await own.sentTo(ada);
      }
      const [opened, told] = [openedViews(), own.world.ephemeralsTo(bob).length];
      await makeUp(ACTIONS.allSources, questionId);
      await makeUp(ACTIONS.followUpMenu, `${questionId}.0:edit`);
      await makeUp(followUpAction(0), `${questionId}.0`);
      await makeUp(ACTIONS.feedbackUp, `${questionId}:up`);
      await eventually(() => expect(openedViews()).toBe(opened + 2));
      await eventually(() => expect(own.world.ephemeralsTo(bob)).toHaveLength(told + 2));
      await eventually(async () => expect(visibleText(await own.world.modal())).toContain('expired'));
    }
    expect(own.toldTo(bob).match(/This button has expired/g)).toHaveLength(4);
    expect(own.service.asked().map(({ by }) => by)).toEqual(['ada']);
    expect(JSON.stringify(viewsSent())).not.toMatch(code);
    expect(own.inThread(ts)).not.toMatch(code);
    expect(own.toldTo(bob)).not.toMatch(code);
  });

  test('goes to its asker only after 24 hours, and a press then is told so', async () => {
    await begin();
    const ts = await own.world.mention(question);
    await own.isAsked(ada);
    vi.setSystemTime(Date.now() + dayMs + 60_000);
    await own.world.restart();
    await own.sentTo(ada);
    await own.cardSays(ts, 'Answered privately');
    await own.world.pressPrivately('Show here');
    await eventually(() => expect(own.toldTo(ada)).toContain('The 24 hours for this choice are over.'));
    expect(own.world.answersIn(ts)).toEqual([]);
  });

  test('is not shown where guests joined while its asker chose; a larger number of members is fine', async () => {
    await begin();
    const first = await own.world.mention(question, { channel: 'C0TEAM' });
    await own.world.pressPrivately('Always here');
    await own.isShown(first);
    own.world.slack.changePerson('U0NEW', {});
    own.world.slack.channels.get('C0TEAM')?.members?.push('U0NEW');
    const second = await own.world.mention(next, { channel: 'C0OPS' });
    await own.isAsked(ada, 2);
    own.world.slack.channels.get('C0OPS')?.members?.push(people.mia);
    vi.setSystemTime(Date.now() + 120_000);
    await own.world.pressPrivately('Show here');
    await eventually(() => expect(own.toldTo(ada)).toContain('so the answer is not shown there'));
    expect(own.world.answersIn(second)).toEqual([]);
  });

  test('is not asked about in direct messages, where its link is shown', async () => {
    await begin();
    const ts = await own.world.direct(question);
    const answer = await own.isShown(ts);
    expect(answer).toMatch(code);
    expect(own.inThread(ts)).toContain('/deepsearch/');
    expect(own.timesAsked(ada)).toBe(0);
  });

  test('is asked about in German where the asker reads German', async () => {
    await begin();
    await own.world.learnLanguage(gerd);
    await own.connect(gerd, 'gerd');
    const ts = await own.world.mention(question, { user: gerd });
    await own.world.pressPrivately('Nur für mich', { user: gerd });
    await own.sentTo(gerd);
    expect(own.toldTo(gerd)).toContain('3 Personen hier werden sie sehen.');
    await own.cardSays(ts, 'Privat beantwortet');
  });
});

describe('the share URL of an own conversation', () => {
  test('is shown in a channel if another account can open it, and so is its preview where the asker agreed', async () => {
    await begin({ sharing: true });
    const ts = await own.world.mention(question, { channel: 'C0TEAM' });
    await own.world.pressPrivately('Always here');
    await own.isShown(ts);
    const [url = ''] = /http[^|>"]*\/deepsearch\/[0-9a-f-]+/.exec(own.inThread(ts)) ?? [];
    expect(url).not.toBe('');
    await own.world.shareLink(url, { channel: 'C0OPS', user: bob });
    await own.world.shareLink(url, { channel: 'C0TEAM', user: bob });
    const unfurled = await eventually(() => one(own.world.slack.unfurls));
    expect(JSON.stringify(unfurled)).toContain('C0TEAM');
  });

  test('is shown nowhere in a channel if no other account can open it', async () => {
    await begin();
    const ts = await own.world.mention(question);
    await own.world.pressPrivately('Show here');
    await own.isShown(ts);
    await own.cardSays(ts, 'Answered in');
    expect(own.inThread(ts)).not.toContain('/deepsearch/');
    await own.world.mention('status', { threadTs: ts, user: bob });
    await eventually(() => expect(own.toldTo(bob)).toContain('In this thread'));
    expect(own.toldTo(bob)).not.toContain('/deepsearch/');
  });

  test('is shown to no one else after an answer of the conversation was kept private', async () => {
    await begin({ sharing: true });
    const ts = await own.world.mention(question);
    await own.world.pressPrivately('Only for me');
    const { card } = await own.sentTo(ada);
    await own.world.mention(next, { threadTs: ts });
    await own.isAsked(ada, 2);
    await own.world.pressPrivately('Show here');
    expect(await own.isShown(ts)).toMatch(code);
    expect(own.inThread(ts)).not.toContain('/deepsearch/');
    expect(own.inThread(card.ts)).toContain('/deepsearch/');
  });
});

describe('with the access of the app', () => {
  test('nothing is asked, and the link is shown as before', async () => {
    await begin();
    const ts = await own.world.mention(question, { user: gerd });
    await eventually(() => expect(own.world.answersIn(ts)).toHaveLength(1));
    expect(own.inThread(ts)).toContain('/deepsearch/');
    expect(own.timesAsked(gerd)).toBe(0);
    expect(own.service.asked().map(({ by }) => by)).toEqual(['app']);
  });
});
