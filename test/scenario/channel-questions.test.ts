import { afterEach, describe, expect, test } from 'vitest';
import { people } from '../../src/local-slack/people.ts';
import { createAuditLines } from '../support/audit-lines.ts';
import { channels, type SettingsWorld, startSettingsWorld } from '../support/channels/settings-world.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedisServer, startRedisServer } from '../support/processes/redis-server.ts';
import { visibleText } from '../support/world/world.ts';

const { ada, bob, mia } = people;
const onlyIn = 'Search only in these repositories and in no others: ';
/** The settings of the tests that are not about what the service is told of the channel. */

let here: SettingsWorld;

async function begin(settings: Record<string, string> = {}): Promise<void> {
  here = await startSettingsWorld(settings);
}

afterEach(async () => {
  await here.world.stop();
  await here.service.stop();
  expect(here.world.slack.violations).toEqual([]);
});

describe('the repositories of a channel', () => {
  test('are stated at the head of each question, and named on its card and under its answer', async () => {
    await begin();
    await here.change(channels.team, { settings_repositories: 'acme/billing\nacme/web' });
    const ts = await here.world.mention('where is main?', { channel: channels.team, user: bob });
    await eventually(() => expect(here.world.answersIn(ts)).toHaveLength(1));
    expect(here.service.questions()[0]?.question).toBe(`${onlyIn}acme/billing, acme/web\n\nwhere is main?`);
    const [card, answer] = here.world.slack.inThread(ts).filter(({ bot_id: bot }) => bot !== undefined);
    expect(card === undefined ? '' : visibleText(card)).toContain('Searches only in `acme/billing`, `acme/web`');
    expect(answer === undefined ? '' : visibleText(answer)).toContain('searched only in `acme/billing`, `acme/web`');
  });

  test('hold for follow-ups too, each by the settings at that moment and its own text', async () => {
    await begin();
    await here.change(channels.team, { settings_repositories: 'acme/billing\nacme/web' });
    const ts = await here.world.mention('where is main?', { channel: channels.team, user: bob });
    await eventually(() => expect(here.world.answersIn(ts)).toHaveLength(1));
    await here.world.reply(ts, 'and its tests? in:repo web', { channel: channels.team, user: bob });
    await eventually(() => expect(here.world.answersIn(ts)).toHaveLength(2));
    await here.change(channels.team, { settings_repositories: '' });
    await here.world.reply(ts, 'and anywhere?', { channel: channels.team, user: bob });
    await eventually(() => expect(here.world.answersIn(ts)).toHaveLength(3));
    expect(here.service.conversations).toHaveLength(1);
    expect(here.service.questions().map(({ question }) => question)).toEqual([
      `${onlyIn}acme/billing, acme/web\n\nwhere is main?`,
      `${onlyIn}acme/web\n\nand its tests?`,
      'and anywhere?',
    ]);
  });

  test('are found again after a reply of the service was lost, by the text as it was sent', async () => {
    await begin();
    await here.change(channels.team, { settings_repositories: 'acme/billing' });
    here.service.fault('create', { breakAfterEffect: true });
    await here.asks('in:repo billing where is main?', channels.team);
    expect(here.service.calls.filter((call) => call === 'create')).toHaveLength(1);
  });

  test('of a text are chosen within what the channel allows; other ones are refused with the allowed ones', async () => {
    await begin();
    await here.change(channels.team, { settings_repositories: 'acme/billing\nacme/web' });
    expect(await here.asks('in:repo acme/web where is main?', channels.team)).toBe(
      `${onlyIn}acme/web\n\nwhere is main?`,
    );
    const said = await here.isRefused('where is main? in:repo acme/secret', channels.team);
    expect(said).toContain('do not allow one of the repositories you named, so the question was not asked.');
    expect(said).toContain('Questions here can search: `acme/billing`, `acme/web`');
    expect(said).toContain('where is main? in:repo acme/secret');
  });

  test('that are unknown are answered privately with the nearest names, and help and Home list all', async () => {
    await begin();
    here.service.knowRepositories('github.com/acme/billing', 'github.com/acme/web');
    for (const text of ['in:repo `bilings` where is main?', 'where is main? in:repo “bilings”']) {
      const said = await here.isRefused(text, 'C0GENERAL');
      expect(said).toContain('There is no repository `bilings`, so nothing was asked.');
      expect(said).toContain('There are: `github.com/acme/billing`, `github.com/acme/web`.');
    }
    expect(here.service.calls).toEqual([]);
    expect(await here.asks('in:repo “Billing” where is main?', 'C0GENERAL')).toBe(
      `${onlyIn}github.com/acme/billing\n\nwhere is main?`,
    );
    const { response } = await here.world.command('help');
    expect(JSON.stringify(response)).toContain('I search `github.com/acme/billing`, `github.com/acme/web`.');
    await here.world.openHome(ada);
    await eventually(() =>
      expect(JSON.stringify(here.world.slack.homes.get(ada))).toContain('I search `github.com/acme/billing`'),
    );
  });

  test('can be chosen by a text where no settings are', async () => {
    await begin();
    const sent = await here.asks('in:repo acme/web, acme/api where is main?', 'C0GENERAL');
    expect(sent).toBe(`${onlyIn}acme/web, acme/api\n\nwhere is main?`);
  });
});

describe('the names in the form', () => {
  test('are checked: unknown ones are refused at their field, and known ones are written as the service does', async () => {
    await begin();
    here.service.knowRepositories('Acme/Billing', 'acme/web');
    const view = await here.open(channels.team);
    expect(await here.save(view, { settings_repositories: 'acme/billing\nacme/gone, acme/lost' })).toBe(
      'Deep Search does not know these: acme/gone, acme/lost',
    );
    expect(await here.save(view, { settings_repositories: 'acme/billing\nacme/billing' })).toBe(
      'Deep Search\nSaved. It holds from the next question on.',
    );
    expect(await here.asks('where?', channels.team)).toBe(`${onlyIn}Acme/Billing\n\nwhere?`);
  });

  test('are stored where the service does not say, and the form says so', async () => {
    await begin();
    const said = await here.save(await here.open(channels.team), { settings_repositories: 'acme/billing' });
    expect(said).toContain('Saved. Deep Search did not say in time whether it knows these repositories');
  });

  test.each([
    ['3,000 of them', Array.from({ length: 3_000 }, (_, index) => `r${index}`).join(','), 'These are 3,000 names'],
    ['a name with spaces', 'acme billing', 'These are not names of repositories: acme billing'],
    ['a name that pings', '<!channel>', 'These are not names of repositories: <!channel>'],
    ['a name that is too long', 'a'.repeat(201), 'These are not names of repositories: aaa'],
  ])('are refused with %s', async (_, names, problem) => {
    await begin();
    const view = await here.open(channels.team);
    const field = { type: 'plain_text_input', value: names };
    expect(await here.save(view, { settings_repositories: field })).toContain(problem);
    expect(await here.asks('where?', channels.team)).toBe('where?');
  });

  test('may be keys of prototypes, which are names like others', async () => {
    await begin();
    here.service.knowRepositories('constructor', '__proto__');
    await here.change(channels.team, { settings_repositories: '__proto__\nconstructor' });
    expect(await here.asks('where?', channels.team)).toBe(`${onlyIn}__proto__, constructor\n\nwhere?`);
  });
});

describe('plain replies', () => {
  test('are no questions where the settings take only mentions; why says it, and unmute does not change it', async () => {
    await begin();
    await here.change(channels.team, { settings_replies: 'mentions' });
    const at = { channel: channels.team, user: bob };
    const ts = await here.world.mention('where is main?', at);
    await eventually(() => expect(here.world.answersIn(ts)).toHaveLength(1));
    await here.world.reply(ts, 'and its tests?', at);
    await here.world.mention('unmute', { ...at, threadTs: ts });
    await eventually(() =>
      expect(here.world.toldTo(bob)).toContain('no longer muted, but an admin set this channel so that I only answer'),
    );
    await here.world.reply(ts, 'still nothing?', at);
    await here.world.mention('why', { ...at, threadTs: ts });
    await eventually(() =>
      expect(here.world.toldTo(bob)).toContain("ignored: this channel's settings take only messages that mention me"),
    );
    expect(here.world.toldTo(bob)).toContain('`unmute` does not change that.');
    expect(here.service.questions()).toHaveLength(1);
    await here.world.mention('and its tests?', { ...at, threadTs: ts });
    await eventually(() => expect(here.world.answersIn(ts)).toHaveLength(2));
    await here.change(channels.team, { settings_replies: 'followUps' });
    await here.world.reply(ts, 'now?', at);
    await eventually(() => expect(here.world.answersIn(ts)).toHaveLength(3));
  });
});

describe('answers', () => {
  test('go to the direct messages of the asker where the settings say so', async () => {
    await begin();
    await here.change(channels.team, { settings_answers: 'private' });
    const ts = await here.world.mention('where is main?', { channel: channels.team, user: bob });
    await eventually(() =>
      expect(
        here.world.slack.messages
          .filter(({ channel, bot_id: bot }) => channel === 'D0BOB' && bot !== undefined)
          .map(visibleText)
          .join(),
      ).toContain('The answer to "where is main?"'),
    );
    expect(here.world.answersIn(ts)).toEqual([]);
  });
});

describe('the list of channels on Home', () => {
  test('has the public channels of the app and the private ones of the viewer, each with its settings', async () => {
    await begin();
    const closed = { isPrivate: true, botIsMember: true, isArchived: false };
    here.world.slack.channels.set('C0SECRET', { ...closed, members: [bob] });
    await here.change(channels.team, { settings_switch: 'off' });
    await here.world.openHome(ada);
    await eventually(() => expect(homeOf(ada)).toContain('<#C0TEAM> · off'));
    expect(homeOf(ada)).toContain('<#C0GENERAL>');
    expect(homeOf(ada)).toContain('<#C0GUESTS>');
    expect(homeOf(ada)).not.toContain('C0SECRET');
    expect(homeOf(ada)).not.toContain('G0GROUP');
    expect(homeOf(ada)).not.toContain('C0PUBLIC');
    await here.world.openHome(bob);
    await eventually(() => expect(homeOf(bob)).toContain('<#C0SECRET>'));
    await here.world.pressInHome('Settings', { user: ada });
    await eventually(async () => expect(visibleText(await here.world.modal())).toContain('The rules of <#C0'));
  });

  test('is left out when Slack does not list the channels', async () => {
    await begin();
    here.world.slack.fault('users.conversations', { error: 'fatal_error' }, 10);
    await here.world.openHome(ada);
    await eventually(() => expect(homeOf(ada)).toContain('How to ask'));
    expect(homeOf(ada)).not.toContain('Channels');
  });
});

describe.skipIf(!hasRedisServer())('with two processes on one Redis', () => {
  test('a change through one holds for the next question in the other, and is in the audit log', async () => {
    const redis = await startRedisServer(['--appendonly', 'no']);
    const audit = createAuditLines();
    const settings = { ...audit.settings, REDIS_URL: redis.url };
    here = await startSettingsWorld(settings, { onLogLine: audit.onLogLine });
    const other = await startSettingsWorld(settings, { onLogLine: audit.onLogLine, slack: here.world.slack });
    try {
      await here.change(channels.mixed, { settings_people: 'guests_ask' });
      await askedIn(other, 'first?', mia);
      await here.change(channels.mixed, { settings_people: 'guests_read' });
      expect(await other.isRefused('second?', channels.mixed, mia)).toContain('Guests in this workspace');
      await other.change(channels.mixed, { settings_switch: 'off' });
      expect(await here.isRefused('third?', channels.mixed)).toContain('An admin turned Deep Search off');
      const changes = audit.of('settingsChanged');
      expect(changes.map(({ detail, userId, channelId }) => [detail, userId, channelId])).toEqual([
        ['asking,guestsMayRead', ada, channels.mixed],
        ['asking', ada, channels.mixed],
        ['isOn', ada, channels.mixed],
      ]);
    } finally {
      await other.world.stop();
      await other.service.stop();
      await here.world.stopApp();
      await redis.stop();
    }
  });
});

/** Asks in `C0MIXED` and waits for the answer, which any process may post. */
async function askedIn({ world }: SettingsWorld, text: string, user: string): Promise<void> {
  const ts = await world.mention(text, { channel: channels.mixed, user });
  await world.answered(ts);
}

function homeOf(user: string): string {
  const view = here.world.home(user);
  return view === undefined ? '' : visibleText(view);
}
