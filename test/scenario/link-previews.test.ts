import { beforeEach, describe, expect, it } from 'vitest';
import { people, team } from '../../src/local-slack/people.ts';
import { eventually } from '../support/eventually.ts';
import { serviceToken } from '../support/fake-service/fake-service.ts';
import { linkSharedOf } from '../support/local-slack/payloads.ts';
import { one } from '../support/one.ts';
import { inEnterprise, inSharedChannel } from '../support/payloads/elsewhere.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();

beforeEach(async () => {
  await beginWorld({
    settings: { OPEN_CHANNELS: 'C0OPEN', ALLOWED_CHANNELS: 'C0GENERAL,C0GUESTS,C0PRIVATE,C0PUBLIC,C0SHARED' },
  });
  service.answerEverything();
});

/** Asks the service directly, and returns the share URL of the new conversation. */
async function shareUrlOf(question: string): Promise<string> {
  const headers = { authorization: `token ${serviceToken}`, 'x-requested-with': 'browser' };
  const body = JSON.stringify({ question });
  const reply = await fetch(`${service.url}/.api/deepsearch/v1`, { method: 'POST', headers, body });
  return ((await reply.json()) as { share_url: string }).share_url;
}

/** How many messages with links had this outcome so far. */
async function ended(outcome: string): Promise<number> {
  const line = (await world.metrics())
    .split('\n')
    .find((each) => each.includes('event="link_preview"') && each.includes(`outcome="${outcome}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

function becomes(outcome: string, count = 1): Promise<void> {
  return eventually(async () => expect(await ended(outcome)).toBe(count));
}

/** The text of each preview, by address. */
function previews(): Record<string, string> {
  return Object.fromEntries(
    world.slack.unfurls.flatMap(({ unfurls }) =>
      Object.entries(unfurls).map(([url, unfurl]) => [url, visibleText(unfurl as { blocks: [] })]),
    ),
  );
}

async function nothingFor(channel: string, outcome = 'notForAll', user: string = people.ada): Promise<void> {
  const url = await shareUrlOf('Where is it?');
  const { delivery } = await world.shareLink(url, { channel, user });
  expect(delivery.acknowledged).toBe(true);
  await becomes(outcome);
  expect(world.slack.unfurls).toEqual([]);
  expect(service.calls).not.toContain('list');
}

describe('the preview of a share link', () => {
  it('shows title, question and the beginning of the answer for a member in a channel of members', async () => {
    const url = await shareUrlOf('Where is it?');
    const { ts, delivery } = await world.shareLink(url, { user: people.bob });
    expect(delivery.acknowledged).toBe(true);
    await eventually(() => expect(world.slack.unfurls).toHaveLength(1));
    expect(previews()).toEqual({
      [url]: [
        '*About Where is it?*\n> Where is it?',
        `The answer to "Where is it?" is in <${service.url}/github.com/acme/app/-/blob/src/main.ts?L1-3|main.ts>.`,
        `1 source · *<${url}|Open in Deep Search>*`,
      ].join('\n'),
    });
    expect(one(world.slack.messages.filter((message) => message.ts === ts)).attachments).toHaveLength(1);
  });

  it('is in the language of the person who posted it, whatever the query and fragment of the link', async () => {
    const url = `${await shareUrlOf('Wo ist es?')}?utm=1#answer`;
    await world.learnLanguage(people.gerd);
    await world.shareLink(url, { user: people.gerd });
    await eventually(() => expect(Object.keys(previews())).toEqual([url]));
    expect(previews()[url]).toContain('1 Quelle · *<');
    expect(previews()[url]).not.toContain('utm');
  });

  it('shows no more of the asked text than the question', async () => {
    const url = await shareUrlOf('Where is it?');
    const [question] = service.questions();
    if (question === undefined) throw new Error('nothing was asked');
    question.question = 'Where is it?\n\n> ada: our secret plans';
    await world.shareLink(url);
    await eventually(() => expect(previews()[url]).toContain('> Where is it?'));
    expect(previews()[url]).not.toContain('secret');
  });

  it('appears in the direct messages with the app', async () => {
    const url = await shareUrlOf('Where is it?');
    await world.shareLink(url, { channel: 'D0ADA' });
    await eventually(() => expect(Object.keys(previews())).toEqual([url]));
  });

  it('appears in a public channel without the app', async () => {
    const url = await shareUrlOf('Where is it?');
    await world.shareLink(url, { channel: 'C0PUBLIC' });
    await eventually(() => expect(Object.keys(previews())).toEqual([url]));
  });

  it('appears for an installation in an Enterprise organization', async () => {
    const url = await shareUrlOf('Where is it?');
    const shared = { user: people.ada, channel: 'C0GENERAL', ts: world.slack.say('C0GENERAL', people.ada, url) };
    await world.deliver(inEnterprise(linkSharedOf({ ...shared, urls: [url], unfurlId: 'u' })));
    await eventually(() => expect(Object.keys(previews())).toEqual([url]));
  });

  it('appears once where Slack reports the link twice', async () => {
    const url = await shareUrlOf('Where is it?');
    const ts = world.slack.say('C0GENERAL', people.ada, `<${url}>`);
    const event = () => linkSharedOf({ user: people.ada, channel: 'C0GENERAL', ts, urls: [url, url], unfurlId: 'u' });
    await Promise.all([world.deliver(event()), world.deliver(event())]);
    await becomes('shown');
    await becomes('nothing');
    await world.restart();
    await world.deliver(event());
    await becomes('nothing');
    expect(world.slack.unfurls).toHaveLength(1);
    expect(service.calls.filter((call) => call === 'list')).toHaveLength(1);
  });

  it('appears beside other links, for up to five in one message', async () => {
    const texts = Array.from({ length: 6 }, (_, index) => `question ${index}?`);
    const urls = await Promise.all(texts.map(shareUrlOf));
    const gone = `${service.url}/deepsearch/00000000-0000-0000-0000-00000000dead`;
    const posted = [urls[0] ?? '', gone, 'https://example.com/deepsearch/x', ...urls.slice(1)];
    const ts = world.slack.say('C0GENERAL', people.ada, posted.map((url) => `<${url}>`).join(' '));
    await world.deliver(linkSharedOf({ user: people.ada, channel: 'C0GENERAL', ts, urls: posted, unfurlId: 'u' }));
    await becomes('shown');
    expect(Object.keys(previews()).toSorted()).toEqual(urls.slice(0, 4).toSorted());
  });
});

describe('a share link has no preview', () => {
  it('where guests read the channel', () => nothingFor('C0GUESTS'));

  it('where another organization reads the channel', () => nothingFor('C0SHARED'));

  it('where the event says that another organization reads the channel', async () => {
    const url = await shareUrlOf('Where is it?');
    const ts = world.slack.say('C0GENERAL', people.ada, `<${url}>`);
    const shared = linkSharedOf({ user: people.ada, channel: 'C0GENERAL', ts, urls: [url], unfurlId: 'u' });
    expect((await world.deliver(inSharedChannel(shared))).acknowledged).toBe(true);
    await becomes('ignored');
    expect(service.calls).not.toContain('list');
  });

  it('between people, where the app is not a member', async () => {
    const direct = { isPrivate: true, isArchived: false, isIm: true };
    world.slack.channels.set('D0BETWEEN', { ...direct, botIsMember: false, members: [people.ada, people.olga] });
    await nothingFor('D0BETWEEN');
  });

  it('in a private channel without the app', () => nothingFor('C0PRIVATE'));

  it('in a channel that a setting does not allow', async () => {
    world.slack.channels.set('C0REFUSED', { isPrivate: false, botIsMember: true, isArchived: false });
    await nothingFor('C0REFUSED');
  });

  it('for guests in a channel that a setting opens, since a link leads to any conversation', async () => {
    const members = [people.ada, people.mia];
    world.slack.channels.set('C0OPEN', { isPrivate: false, botIsMember: true, isArchived: false, members });
    await nothingFor('C0OPEN');
  });

  it('when Slack does not say who reads the channel', async () => {
    world.slack.failMembers('C0PUBLIC');
    await nothingFor('C0PUBLIC');
  });

  it.each([
    ['a guest', people.mia],
    ['a person of another organization', people.olga],
    ['another app', people.robo],
  ])('when it is posted by %s', (_who, user) => nothingFor('C0GENERAL', 'notForAll', user));

  it('when the app posts it', () => nothingFor('C0GENERAL', 'ignored', team.botUserId));

  it('while it is typed', async () => {
    const url = await shareUrlOf('Where is it?');
    const { delivery } = await world.shareLink(url, { composer: true });
    expect(delivery.acknowledged).toBe(true);
    await becomes('ignored');
    expect(service.calls).not.toContain('list');
  });

  it('when its conversation is gone', async () => {
    const url = await shareUrlOf('Where is it?');
    for (const { id } of [...service.conversations]) service.remove(id);
    await world.shareLink(url);
    await becomes('nothing');
    expect(world.slack.unfurls).toEqual([]);
  });

  it('when its question has no answer', async () => {
    const url = await shareUrlOf('Where is it?');
    const [question] = service.questions();
    if (question !== undefined) service.fail(question, 'InternalError');
    await world.shareLink(url);
    await becomes('nothing');
    expect(world.slack.unfurls).toEqual([]);
  });

  it.each([401, 403, 404, 500])('when the service answers with %i', async (status) => {
    const url = await shareUrlOf('Where is it?');
    service.fault('list', { status }, 10);
    await world.shareLink(url);
    await becomes('nothing');
    expect(world.slack.unfurls).toEqual([]);
    expect(await (await world.readyz()).json()).toMatchObject({ access: { deepsearch: 'ok' } });
  });

  it.each(['cannot_unfurl_url', 'cannot_unfurl_message', 'missing_scope'])('when Slack says %s', async (error) => {
    const url = await shareUrlOf('Where is it?');
    world.slack.fault('chat.unfurl', { error });
    await world.shareLink(url);
    await becomes('failed');
    expect(world.slack.unfurls).toEqual([]);
    // The app still answers questions.
    const ts = await world.mention('And then?');
    await world.answered(ts);
  });

  it.each([
    ['no links', { links: undefined }],
    ['links of an odd shape', { links: [{ url: 7 }] }],
    ['no channel', { channel: undefined }],
    ['a new kind of source', { source: 'search' }],
  ])('when the event has %s', async (_what, odd) => {
    const shared = { user: people.ada, channel: 'C0GENERAL', ts: '1700000000.000001', urls: [], unfurlId: 'u' };
    const body = linkSharedOf(shared);
    const delivery = await world.deliver({ ...body, event: { ...(body.event as object), ...odd } });
    expect(delivery.acknowledged).toBe(true);
    await becomes('ignored');
  });
});
