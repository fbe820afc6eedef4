import { afterEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { one } from '../support/one.ts';
import { code, next, type OwnAccess, question, startOwnAccess } from '../support/world/own-access.ts';
import { visibleText } from '../support/world/world.ts';

const { ada, bob } = people;
const channelMenu = 'deepsearch:share_channel';

let own: OwnAccess;

async function begin(options: Parameters<typeof startOwnAccess>[0] = {}): Promise<void> {
  own = await startOwnAccess(options);
}

afterEach(() => own.stop());

/** Opens the form that shares the newest answer of a person's direct messages, and chooses a channel. */
async function shareInto(channel: string, withLink: boolean): Promise<void> {
  const before = new Set(own.world.slack.openViews.map(({ id }) => id));
  await own.world.press('Share…');
  const opened = await eventually(async () => {
    const view = await own.world.modal();
    expect(before.has(view.id)).toBe(false);
    return view;
  });
  expect(JSON.stringify(opened.blocks)).toContain('It is left out if others cannot open it');
  await own.world.choose(opened, channelMenu, channel);
  const chosen = await eventually(async () => {
    const view = await own.world.modal();
    expect(view.hash).not.toBe(opened.hash);
    return view;
  });
  const link: Record<string, string[]> = withLink ? { with_link: ['with_link'] } : {};
  expect(await own.world.submit(chosen, { [channelMenu]: channel, ...link })).toMatchObject({ acknowledged: true });
}

/** The answer that was shared into a channel. */
async function sharedIn(channel: string): Promise<string> {
  const card = await eventually(() => one(own.postedIn(channel)));
  await own.isShown(card.ts);
  return own.inThread(card.ts);
}

describe('an answer with own access in direct messages', () => {
  test('that its asker kept to themselves in a channel is shared from there, without the link', async () => {
    await begin({ sharing: true });
    await own.world.mention(question);
    await own.world.pressPrivately('Only for me');
    await own.sentTo(ada);
    await shareInto('C0TEAM', true);
    const shared = await sharedIn('C0TEAM');
    expect(shared).toMatch(code);
    expect(shared).not.toContain('/deepsearch/');
    expect(own.service.asked()).toHaveLength(1);
  });

  test('is shared by its asker without another question about its readers, with the link if others can open it', async () => {
    await begin({ sharing: true });
    await own.isShown(await own.world.direct(question));
    await shareInto('C0TEAM', true);
    const shared = await sharedIn('C0TEAM');
    expect(shared).toMatch(code);
    expect(shared).toContain('/deepsearch/');
    expect(own.timesAsked(ada)).toBe(0);
    expect(own.service.asked()).toHaveLength(1);
  });

  test('is shared without the link if others cannot open it', async () => {
    await begin();
    await own.isShown(await own.world.direct(question));
    await shareInto('C0TEAM', true);
    const shared = await sharedIn('C0TEAM');
    expect(shared).toMatch(code);
    expect(shared).not.toContain('/deepsearch/');
  });

  test('is shared by no one else, who learns whose it is', async () => {
    await begin();
    const ts = await own.world.direct(question);
    await own.isShown(ts);
    await own.world.press('Share…', { user: bob });
    await eventually(async () => {
      const words = visibleText(await own.world.modal());
      expect(words).toContain(`Only <@${ada}> can share this answer: it was asked with their own access.`);
    });
    await own.world.press('Share…');
    const form = await eventually(async () => {
      const view = await own.world.modal();
      expect(view.callback_id).toBe('deepsearch:share_form');
      return view;
    });
    const { response } = await own.world.submit(form, { [channelMenu]: 'C0TEAM' }, { user: bob });
    expect(JSON.stringify(response)).toContain('Only ada can share this answer');
    expect(own.postedIn('C0TEAM')).toEqual([]);
  });
});

describe('a choice of readers', () => {
  test('is forgotten when the person disconnects, so that they are asked again', async () => {
    await begin();
    const first = await own.world.mention(question, { channel: 'C0TEAM' });
    await own.world.pressPrivately('Always here');
    await own.isShown(first);
    await own.world.command('disconnect');
    await own.connect(ada, 'ada');
    const second = await own.world.mention(next, { channel: 'C0TEAM' });
    await own.isAsked(ada, 2);
    expect(own.world.answersIn(second)).toEqual([]);
  });
});
