import { afterEach, describe, expect, test } from 'vitest';
import { channelSettingsType, settingsName } from '../../src/core/channels/channel-settings.ts';
import type { Entered } from '../../src/local-slack/forms.ts';
import { people, team } from '../../src/local-slack/people.ts';
import { openStoreBeside } from '../../src/storage/open-storage.ts';
import { createAuditLines } from '../support/audit-lines.ts';
import { channels, type SettingsWorld, startSettingsWorld } from '../support/channels/settings-world.ts';
import { viewSubmissionOf } from '../support/local-slack/payloads.ts';
import { createTempDir } from '../support/processes/temp-dir.ts';
import { createRecordingLog } from '../support/recording-log.ts';
import { visibleText } from '../support/world/world.ts';

const { ada, bob, gerd, mia, olga } = people;

let here: SettingsWorld;

async function begin(settings: Record<string, string> = {}): Promise<void> {
  here = await startSettingsWorld(settings);
}

afterEach(async () => {
  await here.world.stop();
  await here.service.stop();
  expect(here.world.slack.violations).toEqual([]);
});

/** The blocks of the topmost view. */
function shown(): string {
  const view = here.world.slack.openViews.at(-1);
  return view === undefined ? '' : visibleText(view);
}

describe('the form of a channel', () => {
  test('shows what holds before anyone chose anything, and saving it as it is makes rules of its own', async () => {
    await begin();
    const view = await here.open(channels.team);
    expect(shown()).toContain('The rules of <#C0TEAM>.');
    expect(shown()).toContain('No one has saved settings here yet.');
    expect(await here.save(view, {})).toContain('Saved. It holds from the next question on.');
    await here.open(channels.team);
    expect(shown()).toContain(`Last changed by <@${ada}>`);
  });

  test('is in the audit log also when it is saved as it is', async () => {
    const audit = createAuditLines();
    here = await startSettingsWorld(audit.settings, { onLogLine: audit.onLogLine });
    expect(await here.save(await here.open(channels.team), {})).toContain('Saved.');
    expect(audit.all()).toMatchObject([{ action: 'settingsChanged', userId: ada, channelId: channels.team }]);
    expect(audit.all()[0]).not.toHaveProperty('detail');
  });

  type Changes = [values: Record<string, Entered>, rules: string][];
  test.each<[string, Changes]>([
    [
      'who may ask and read',
      [
        [{ settings_switch: 'off' }, 'isOn'],
        [{ settings_people: 'guests_read' }, 'guestsMayRead'],
        [{ settings_people: 'guests_ask' }, 'asking'],
        [{ settings_external: ['allowed'] }, 'isExternalAllowed'],
      ],
    ],
    [
      'what is asked and where answers go',
      [
        [{ settings_repositories: 'acme/web' }, 'repositories'],
        [{ settings_replies: 'mentions' }, 'replies'],
        [{ settings_answers: 'private' }, 'answers'],
        [{ settings_repositories: '' }, 'repositories'],
      ],
    ],
  ])('has fields for %s that each change their own rule, and shows them as they were saved', async (_, changes) => {
    const audit = createAuditLines();
    here = await startSettingsWorld(audit.settings, { onLogLine: audit.onLogLine });
    await here.change(channels.team, {});
    for (const [values, rules] of changes) {
      await here.change(channels.team, values);
      expect([values, audit.all().at(-1)?.detail]).toEqual([values, rules]);
    }
    expect(await here.save(await here.open(channels.team), {})).toContain('Nothing was different');
  });

  test('keeps the repositories where Slack does not send their field', async () => {
    await begin();
    await here.change(channels.team, { settings_repositories: 'acme/web' });
    const view = await here.open(channels.team);
    const { settings_repositories: _, ...values } = stateOf({ settings_answers: 'private' });
    const payload = { ...here.world.slack.viewState.payloadOf(view, {}), state: { values } };
    const { response } = await here.world.deliver(viewSubmissionOf({ view: payload, user: ada }));
    expect(JSON.stringify(response)).toContain('Saved.');
    expect(JSON.stringify(await here.open(channels.team))).toContain('acme/web');
  });

  test('is for admins, owners and the people of ADMINS; others read the same without fields', async () => {
    await begin({ ADMINS: `${gerd}` });
    here.world.slack.channels.get(channels.team)?.members?.push(gerd);
    await here.change(channels.team, { settings_replies: 'mentions', settings_repositories: 'acme/billing\nacme/web' });
    here.world.slack.changePerson(bob, { is_owner: false });
    const view = await here.open(channels.team, bob);
    expect(view.submit).toBeUndefined();
    expect(JSON.stringify(view.blocks)).not.toContain('"input"');
    expect(shown()).toContain('Only messages that mention the app are questions');
    expect(shown()).toContain('`acme/billing`, `acme/web`');
    expect(shown()).toContain('Only admins of this workspace and of this app can change this.');
    expect((await here.open(channels.team, gerd)).submit).toBeDefined();
    here.world.slack.changePerson(bob, { is_owner: true });
    await here.world.restart();
    expect((await here.open(channels.team, bob)).submit).toBeDefined();
  });

  test('is not saved for a person who may not change it, whatever the form that they send says', async () => {
    await begin();
    const view = await here.open(channels.team);
    expect(await here.save(view, { settings_switch: 'off' }, bob)).toContain('Not saved: only admins');
    await here.asks('where is main?', channels.team);
  });

  test('is not saved for a channel that the person cannot read, whatever its metadata says', async () => {
    await begin();
    here.world.slack.channels.set('C0SECRET', {
      isPrivate: true,
      botIsMember: true,
      isArchived: false,
      members: [bob],
    });
    const view = await here.open(channels.team);
    const payload = { ...here.world.slack.viewState.payloadOf(view, {}), private_metadata: 'C0SECRET 0' };
    const state = { values: stateOf({ settings_switch: 'off' }) };
    const { response } = await here.world.deliver(viewSubmissionOf({ view: { ...payload, state }, user: ada }));
    expect(JSON.stringify(response)).toContain('Not saved');
    await here.asks('where is main?', 'C0SECRET');
  });

  test.each([
    ['metadata of another form', 'q0123456789abcdef01234567', {}],
    ['a choice that the form does not have', 'C0TEAM 0', { settings_people: '__proto__' }],
    ['metadata of direct messages', 'D0ADA 0', {}],
    ['no choices', 'C0TEAM 0', { settings_switch: undefined, settings_people: undefined }],
  ])('with %s changes nothing', async (_, metadata, more) => {
    await begin();
    const view = await here.open(channels.team);
    const payload = { ...here.world.slack.viewState.payloadOf(view, {}), private_metadata: metadata };
    const state = { values: stateOf({ settings_switch: 'off', ...more }) };
    const { response } = await here.world.deliver(viewSubmissionOf({ view: { ...payload, state }, user: ada }));
    expect(JSON.stringify(response)).toContain('Reference');
    await here.asks('where is main?', channels.team);
  });

  test('that two admins opened is saved once; the second is told who changed it meanwhile', async () => {
    await begin({ ADMINS: bob });
    const first = await here.open(channels.team);
    const second = await here.open(channels.team, bob);
    expect(await here.save(first, { settings_switch: 'off' })).toContain('Saved.');
    expect(await here.save(second, { settings_answers: 'private' }, bob)).toContain(`Not saved: <@${ada}> changed`);
    expect(await here.isRefused('where is main?', channels.team)).toContain('An admin turned Deep Search off');
  });

  test('says what the operator decided about the channel', async () => {
    await begin({ ALLOWED_CHANNELS: channels.mixed, OPEN_CHANNELS: channels.partner });
    await here.open(channels.team);
    expect(shown()).toContain('does not allow this channel');
    await here.open(channels.partner);
    expect(shown()).toContain('opened this channel to everyone');
  });

  test('is not shown in direct messages, nor for a channel without the app or the person', async () => {
    await begin();
    here.world.slack.channels.set('C0SECRET', {
      isPrivate: true,
      botIsMember: true,
      isArchived: false,
      members: [ada],
    });
    const { response } = await here.world.command('settings', { channel: 'D0ADA' });
    expect(JSON.stringify(response)).toContain('Direct messages have no settings.');
    await here.open('C0PRIVATE');
    expect(shown()).toContain(`Add me with \`/invite\` <@${team.botUserId}>`);
    await here.open('C0SECRET', bob);
    expect(shown()).toContain('Only people who can read in this channel');
    await here.open(channels.mixed, mia);
    expect(shown()).toContain('Only people who can read in this channel');
  });

  test('says to admins that saving replaces settings that cannot be read, and then no longer forbids everything', async () => {
    const data = await createTempDir();
    await begin({ DATA_DIR: data.path });
    await here.change(channels.team, { settings_answers: 'private' });
    await here.world.stopApp();
    const { log } = createRecordingLog();
    const store = await openStoreBeside({ dataDir: data.path }, { clock: Date.now, log });
    const key = channelSettingsType.key(settingsName({ teamId: team.id, channelId: channels.team }));
    expect(await store.get(key)).toContain('"private"');
    await store.set(key, '{"version":1}');
    await store.close();
    await here.world.startApp();

    await here.isRefused('where is main?', channels.team);
    here.world.slack.changePerson(bob, { is_owner: false });
    expect((await here.open(channels.team, bob)).submit).toBeUndefined();
    expect(shown()).toContain('The settings of this channel cannot be read, so no one can ask here.');
    const view = await here.open(channels.team);
    expect(shown()).toContain("The saved settings can't be read, so no one may ask here. Saving replaces them.");
    expect(shown()).toContain('Reference');
    const late = await here.open(channels.team);
    expect(await here.save(view, {})).toContain('Saved.');
    expect(await here.save(late, { settings_switch: 'off' })).toContain(`Not saved: <@${ada}> changed`);
    await here.asks('where is main?', channels.team);
    await here.open(channels.team);
    expect(shown()).toContain(`Last changed by <@${ada}>`);
    await here.world.stopApp();
    await data.remove();
  });

  test('speaks German to a person who reads it', async () => {
    await begin({ ADMINS: gerd });
    await here.world.learnLanguage(gerd);
    await here.open('C0GENERAL', gerd);
    expect(shown()).toContain('Channel-Einstellungen');
  });
});

describe('a channel that is off', () => {
  test('takes no questions, hides no questions of other channels, and is on again after the next change', async () => {
    await begin();
    await here.change(channels.team, { settings_switch: 'off' });
    const said = await here.isRefused('where is main?', channels.team);
    expect(said).toContain('An admin turned Deep Search off in this channel, so the question was not asked.');
    expect(said).toContain('where is main?');
    await here.asks('and here?', 'C0GENERAL');
    await here.change(channels.team, { settings_switch: 'on' });
    await here.asks('again?', channels.team);
  });
});

describe('guests', () => {
  test('may read where members ask and guests may read, and still may not ask there', async () => {
    await begin();
    expect(await here.isRefused('where?', channels.mixed)).toContain('Guests in this channel would see the answer');
    await here.change(channels.mixed, { settings_people: 'guests_read' });
    await here.asks('where is main?', channels.mixed);
    expect(await here.isRefused('and me?', channels.mixed, mia)).toContain('Guests in this workspace');
  });

  test('may ask where the settings say so, there and nowhere else', async () => {
    await begin();
    await here.change(channels.mixed, { settings_people: 'guests_ask' });
    await here.asks('where is main?', channels.mixed, mia);
    await here.asks('and for me?', channels.mixed, bob);
    expect(await here.isRefused('here?', 'C0GUESTS', mia)).toContain('Guests in this workspace');
  });

  test('do not read where Slack does not say who reads', async () => {
    await begin();
    await here.change(channels.mixed, { settings_people: 'guests_read' });
    here.world.slack.omitFields(mia, ['is_restricted']);
    await here.world.restart();
    expect(await here.isRefused('where?', channels.mixed)).toContain('Slack could not tell me who can read');
  });
});

describe('a channel with another organization', () => {
  test('takes questions of members after an explicit tick, and none of the other organization', async () => {
    await begin();
    const before = await here.isRefused('where?', channels.partner);
    expect(before).toContain('People from other organizations in this channel');
    await here.change(channels.partner, { settings_external: ['allowed'] });
    await here.asks('where is main?', channels.partner);
    const said = await here.isRefused('and me?', channels.partner, olga);
    expect(said).toContain('Only members of this workspace');
  });

  test('takes questions of everyone where the operator opened it, until an admin restricts it', async () => {
    await begin({ OPEN_CHANNELS: channels.partner });
    await here.asks('where is main?', channels.partner, olga);
    await here.change(channels.partner, { settings_people: 'members' });
    expect(await here.isRefused('and me?', channels.partner, olga)).toContain('Only members of this workspace');
    await here.asks('and me?', channels.partner, bob);
  });

  test('stays closed where the operator refuses it, whatever an admin ticks', async () => {
    await begin({ ALLOWED_CHANNELS: channels.team });
    await here.change(channels.partner, { settings_external: ['allowed'] });
    expect(await here.isRefused('where?', channels.partner)).toContain('not turned on for this channel');
  });
});

/** The state of the whole form, as Slack sends it. A field that is `undefined` is left out. */
function stateOf(more: Record<string, string | undefined>): Record<string, Record<string, unknown>> {
  const chosen = {
    settings_switch: 'on',
    settings_people: 'members',
    settings_replies: 'followUps',
    settings_answers: 'thread',
    ...more,
  };
  const radios = Object.entries(chosen).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(
      radios.map(([id, value]) => [id, { [id]: { type: 'radio_buttons', selected_option: { value } } }]),
    ),
    settings_external: { settings_external: { type: 'checkboxes', selected_options: [] } },
    settings_repositories: { settings_repositories: { type: 'plain_text_input', value: null } },
  };
}
