import { describe, expect, test } from 'vitest';
import type { AccountMode } from '../../src/core/accounts/accounts.ts';
import type { SlackBlock } from '../../src/local-slack/messages.ts';
import { people, team } from '../../src/local-slack/people.ts';
import type { SlackView } from '../../src/local-slack/views.ts';
import { ACTIONS } from '../../src/render/ids.ts';
import { createMemoryAccounts, type MemoryAccounts } from '../support/accounts/memory-accounts.ts';
import { eventually } from '../support/eventually.ts';
import { buttonOf, viewSubmissionOf } from '../support/local-slack/payloads.ts';
import { worldOfEachTest } from '../support/world/each-test.ts';
import { buttonsOf, visibleText } from '../support/world/world.ts';

const { world, service, beginWorld } = worldOfEachTest();
let accounts: MemoryAccounts;

async function begin(
  options: { mode?: AccountMode; bySignIn?: boolean; hasKeys?: boolean; settings?: Record<string, string> } = {},
): Promise<void> {
  const { mode = 'preferred', settings = {} } = options;
  accounts = createMemoryAccounts({ ...options, mode });
  await beginWorld({ accounts, settings });
}

const ada = { teamId: team.id, userId: people.ada };
const bob = { teamId: team.id, userId: people.bob };

interface Reply {
  text: string;
  blocks?: SlackBlock[];
}

async function command(verb: string, user: string = people.ada, channel = 'C0GENERAL'): Promise<Reply> {
  const { acknowledged, response } = await world.command(verb, { user, channel });
  expect(acknowledged).toBe(true);
  return response as Reply;
}

function labels(shown: { blocks?: SlackBlock[] }): string[] {
  return buttonsOf(shown.blocks).map(({ label }) => label);
}

/** Presses a button of a reply to the command, which is a private message. */
async function pressIn(reply: Reply, label: string, user: string = people.ada) {
  const button = buttonsOf(reply.blocks).find((each) => each.label === label);
  if (button === undefined) throw new Error(`no button ${label}`);
  const ephemeral = { channel: 'C0GENERAL', user, text: reply.text };
  const responseUrl = world.slack.responseUrl(`of-${user}?user=${user}&channel=C0GENERAL`);
  const place = { ephemeral, responseUrl };
  return world.deliver(buttonOf({ actionId: button.actionId, blockId: button.blockId, user, place, label }));
}

async function openForm(user: string = people.ada): Promise<SlackView> {
  const reply = await command('connect', user);
  expect(await pressIn(reply, labels(reply).at(-1) ?? '', user)).toMatchObject({ acknowledged: true });
  return world.modal();
}

function errorOf(response: unknown): string {
  return (response as { errors?: { token?: string } } | undefined)?.errors?.token ?? 'no error';
}

function home(user: string = people.ada): string {
  return JSON.stringify(world.home(user)?.blocks ?? []);
}

/** Everything that Slack got of the app; `reply` is what the app acknowledged with. */
function sentToSlack(reply: unknown): string {
  return JSON.stringify([world.slack.requests, world.slack.responses, reply]);
}

describe('the command connect', () => {
  test('says that everyone asks with the app where that is so, to everyone', async () => {
    await begin({ mode: 'shared' });
    for (const user of [people.ada, people.mia]) {
      for (const verb of ['connect', 'disconnect'])
        expect(visibleText(await command(verb, user))).toContain('there is no account to connect or disconnect');
    }
    await world.openHome();
    await eventually(() => expect(home()).toContain("All questions use this app's access"));
    expect(home()).not.toMatch(/"Connect|connect your account/i);
  });

  test('says whose access is used, and how to use the own one', async () => {
    await begin();
    const reply = await command('connect');
    expect(visibleText(reply)).toMatch(/use this app's access.*\nYou have not connected an account/);
    expect(labels(reply)).toEqual(['Use an access token']);
    expect(visibleText(reply)).not.toContain('browser');
  });

  test('offers a sign-in that is made for this person and this message', async () => {
    await begin({ mode: 'required', bySignIn: true });
    const reply = await command('connect');
    expect(visibleText(reply)).toMatch(/Everyone here asks with their own account.*\nYou have not connected yours/);
    expect(labels(reply)).toEqual(['Sign in', 'Use an access token']);
    expect(JSON.stringify(reply.blocks)).toContain(`for=${people.ada}&name=ada&number=1`);
    expect(JSON.stringify((await command('connect', people.bob)).blocks)).toContain(
      `for=${people.bob}&name=bob&number=2`,
    );
    expect(JSON.stringify((await command('connect')).blocks)).toContain('number=3');
    // Slack sends an action for it, although Slack itself opens the address.
    expect(await pressIn(reply, 'Sign in')).toMatchObject({ acknowledged: true });
  });

  test('is refused without a key, with the reason and who can help', async () => {
    await begin({ hasKeys: false, settings: { CONTACT: 'U0BOB' } });
    const reply = await command('connect');
    expect(visibleText(reply)).toMatch(/no key to encrypt it with.*\(<@U0BOB>\).*`ENCRYPTION_KEYS`/);
    expect(labels(reply)).toEqual([]);
  });

  test('says as whom the person is connected, since when, how, and offers to change that', async () => {
    await begin({ bySignIn: true });
    accounts.connect(ada, { username: 'ada*' });
    accounts.connect(bob, { username: 'bob', kind: 'oauth' });
    const reply = await command('connect');
    expect(visibleText(reply)).toMatch(/own access.*\nConnected as ada\* since <!date.*with an access token/);
    expect(labels(reply)).toEqual(['Connect again', 'Disconnect']);
    expect(visibleText(await command('connect', people.bob))).toMatch(/Connected as bob .*by signing in/);
    expect(accounts.urls).toEqual([]);
  });

  test('says that the service refuses the account, and offers both ways again', async () => {
    await begin({ bySignIn: true });
    accounts.connect(ada, { username: 'ada' });
    accounts.refuse(ada);
    const reply = await command('connect');
    expect(visibleText(reply)).toMatch(/no longer accepts your account.*\nThe account was ada/);
    expect(labels(reply)).toEqual(['Sign in', 'Use an access token', 'Disconnect']);
  });

  test('says so where the account cannot be read, or no key decrypts it', async () => {
    await begin();
    accounts.connect(ada, { username: 'ada' });
    accounts.fail('storage');
    expect(visibleText(await command('connect'))).toMatch(/I cannot read your account right now[\s\S]*Reference `e/);
    accounts.fail('corrupt');
    const lost = await command('connect');
    expect(visibleText(lost)).toContain('stored with a key that this app no longer has');
    expect(labels(lost)).toEqual(['Use an access token']);
  });

  test.each([people.mia, people.olga, people.otto])('is not for %s, also where everyone may ask', async (user) => {
    await begin({ settings: { OPEN_CHANNELS: 'C0GENERAL' } });
    const reply = await command('connect', user);
    expect(visibleText(reply)).toMatch(/cannot ask|Only members|could not tell me/);
    expect(labels(reply)).toEqual([]);
  });

  test('is in German for a German reader', async () => {
    await begin({ bySignIn: true });
    await world.learnLanguage(people.gerd);
    expect(labels(await command('connect', people.gerd))).toEqual(['Anmelden', 'Zugriffstoken verwenden']);
  });
});

describe('the form for an access token', () => {
  test('says what the token can do, where to create and revoke it, and that it is encrypted', async () => {
    await begin();
    const form = await openForm();
    const text = visibleText(form);
    expect(text).toMatch(/read all that you can read there.*ask, follow and cancel your own questions/);
    expect(text).toContain(`<${service.url}/user/settings/tokens|access tokens>`);
    expect(JSON.stringify(form.blocks)).toContain('encrypted before it is stored, and shown nowhere again');
  });

  test('connects the person, becomes the result, and shows it on Home; Slack never gets the token', async () => {
    await begin();
    await world.openHome();
    await eventually(() => expect(home()).toContain('You have not connected an account'));
    const { response } = await world.submit(await openForm(), { token: '  sgp-bob-s3cret ' });
    expect(visibleText(await world.modal())).toContain('Connected as bob-s3cret');
    expect(accounts.tokens).toEqual([{ userId: people.ada, token: 'sgp-bob-s3cret' }]);
    await eventually(() => expect(home()).toContain('Connected as bob-s3cret'));
    expect(home()).toContain('Your questions use your own access');
    expect(sentToSlack(response)).not.toContain('sgp-');
    expect(visibleText(await command('connect', people.bob))).toContain('You have not connected');
  });

  test('says at the field that the service refuses the token, or does not answer', async () => {
    await begin();
    const form = await openForm();
    expect(errorOf((await world.submit(form, { token: 'wrong' })).response)).toContain('wrong, expired or revoked');
    accounts.answerWith(async () => ({ kind: 'notChecked' }));
    const { response } = await world.submit(form, { token: 'sgp-ada' });
    expect(errorOf(response)).toMatch(/does not answer right now.*Reference e/);
    accounts.answerWith(() => Promise.reject(new Error('sgp-ada broke')));
    const broken = await world.submit(form, { token: 'sgp-ada' });
    expect(errorOf(broken.response)).toContain('cannot store your account');
    expect(sentToSlack([response, broken.response])).not.toContain('sgp-');
  });

  test('tells the person later when the service was slow', async () => {
    await begin();
    let answer = (): void => undefined;
    accounts.answerWith(async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { kind: 'connected', username: 'ada' };
    });
    const { response } = await world.submit(await openForm(), { token: 'sgp-ada' });
    expect(errorOf(response)).toContain('takes long to check the token');
    answer();
    await eventually(() =>
      expect([...world.ephemeralsTo(people.ada), ...world.slack.messages].map(visibleText).join()).toContain(
        'Connected as ada',
      ),
    );
  });

  test.each([
    ['nothing', null, 'Paste an access token.'],
    ['only spaces', ' \n\t ', 'Paste an access token.'],
    ['two lines', 'sgp-ada\r\nX-Sudo: bob', 'without spaces'],
    ['a NUL', 'sgp-\u0000ada', 'without spaces'],
    ['an umlaut', 'sgp-ädä', 'without spaces'],
    ['an invisible character', 'sgp-ada\u200b', 'without spaces'],
    ['half of a character', 'sgp-\ud83d', 'without spaces'],
    ['a token with its scheme', 'token sgp-ada', 'without spaces'],
    ['very much', 'x'.repeat(1_001), 'too long'],
  ])('refuses %s at the field, and asks the service nothing', async (_, value, problem) => {
    await begin();
    const view = await openForm();
    const payload = world.slack.viewState.payloadOf(view, {
      token: { token: { type: 'plain_text_input', value } },
    });
    const { response } = await world.deliver(viewSubmissionOf({ view: payload, user: people.ada }));
    expect(errorOf(response)).toContain(problem);
    expect(accounts.tokens).toEqual([]);
  });

  test('connects once if it is sent twice', async () => {
    await begin();
    const view = await openForm();
    const payload = world.slack.viewState.payloadOf(view, { token: { token: { value: 'sgp-ada' } } });
    const sent = viewSubmissionOf({ view: payload, user: people.ada });
    const replies = await Promise.all([world.deliver(sent), world.deliver(sent)]);
    for (const { response } of replies) expect(JSON.stringify(response)).toContain('Connected as ada');
    expect(visibleText(await command('connect'))).toContain('Connected as ada');
  });

  test('connects no one but the person for whom it was opened', async () => {
    await begin();
    const view = await openForm();
    const payload = world.slack.viewState.payloadOf(view, { token: { token: { value: 'sgp-ada' } } });
    const { response } = await world.deliver(viewSubmissionOf({ view: payload, user: people.bob }));
    expect(JSON.stringify(response)).toContain('could not be read, and nothing was sent');
    expect(accounts.tokens).toEqual([]);
  });

  test('is not opened for guests, and takes no token of a person who became one', async () => {
    await begin();
    const reply = await command('connect');
    const view = await openForm();
    world.slack.changePerson(people.ada, { is_restricted: true });
    await world.restart();
    const payload = world.slack.viewState.payloadOf(view, { token: { token: { value: 'sgp-ada' } } });
    const { response } = await world.deliver(viewSubmissionOf({ view: payload, user: people.ada }));
    expect(errorOf(response)).toContain('Guests in this workspace cannot ask');
    await pressIn(reply, 'Use an access token');
    await eventually(async () => expect(visibleText(await world.modal())).toContain('Guests in this workspace'));
    expect(accounts.tokens).toEqual([]);
  });

  test('says why, where the operator took the key away in between', async () => {
    await begin({ hasKeys: false });
    const press = { actionId: 'deepsearch:connect', blockId: 'b', user: people.ada, label: 'Connect' };
    await world.openHome();
    await eventually(() => expect(home()).toContain('no key to encrypt it with'));
    const view = world.slack.viewState.payloadOf(world.home() ?? world.slack.openViews[0] ?? never());
    await world.deliver(buttonOf({ ...press, place: { view } }));
    expect(visibleText(await world.modal())).toContain('no key to encrypt it with');
  });
});

describe('the Home tab', () => {
  test('opens the form with a fresh address to sign in', async () => {
    await begin({ bySignIn: true });
    await world.openHome();
    await eventually(() => expect(home()).toContain('deepsearch:connect'));
    expect(accounts.urls).toEqual([]);
    expect(await world.pressInHome('Connect')).toMatchObject({ acknowledged: true });
    const form = await world.modal();
    expect(labels(form)).toEqual(['Sign in']);
    expect(JSON.stringify(form.blocks)).toContain(`for=${people.ada}&name=ada&number=1`);
    expect(await world.pressInModal('Sign in')).toMatchObject({ acknowledged: true });
    accounts.connect(ada, { username: 'ada', kind: 'oauth' });
    await eventually(() => expect(home()).toContain('Connected as ada'));
  });

  test('disconnects with a press, and says what remains', async () => {
    await begin();
    accounts.connect(ada, { username: 'ada' });
    accounts.connect(bob, { username: 'bob' });
    await world.openHome();
    await eventually(() => expect(home()).toContain('Connected as ada'));
    await world.pressInHome('Disconnect');
    expect(visibleText(await world.modal())).toMatch(/Disconnected.*stays valid until you revoke it: <http/);
    expect(accounts.removed).toEqual([people.ada]);
    await eventually(() => expect(home()).toContain('You have not connected'));
  });

  test('says where everyone now asks with the app that there is nothing to disconnect', async () => {
    await begin({ mode: 'shared' });
    await world.openHome();
    const view = world.slack.viewState.payloadOf(await eventually(() => world.home() ?? never()));
    // Home may still show the button of before the settings changed.
    await world.deliver(buttonOf({ actionId: ACTIONS.disconnect, user: people.ada, place: { view } }));
    const said = visibleText(await world.modal());
    expect(said).toContain('there is no account to connect or disconnect');
    expect(said).not.toContain('Not taken');
  });

  test('shows that the service refused the account', async () => {
    await begin({ mode: 'required' });
    accounts.connect(ada, { username: 'ada' });
    await world.openHome();
    await eventually(() => expect(home()).toContain('Connected as ada'));
    accounts.refuse(ada);
    await eventually(() => expect(home()).toContain('no longer accepts your account'));
    expect(labels({ blocks: world.home()?.blocks ?? [] })).toContain('Connect');
  });
});

describe('the command help', () => {
  test.each<[AccountMode, boolean]>([
    ['shared', false],
    ['preferred', true],
    ['required', true],
  ])('with ACCOUNTS=%s names connect: %s', async (mode, names) => {
    await begin({ mode });
    expect(visibleText(await command('help')).includes('`/deepsearch connect`')).toBe(names);
  });
});

describe('the command disconnect', () => {
  test('removes the account at once, and says what remains to be done', async () => {
    await begin({ mode: 'required' });
    accounts.connect(ada, { username: 'ada' });
    const reply = visibleText(await command('disconnect'));
    expect(reply).toMatch(/^Disconnected\. .*open wait for it, and end after 24 hours/);
    expect(reply).toContain(`${service.url}/user/settings/tokens`);
    expect(accounts.removed).toEqual([people.ada]);
    expect(visibleText(await command('disconnect'))).toContain('nothing to disconnect');
  });

  test('works by the button under connect, for the person who presses', async () => {
    await begin();
    accounts.connect(ada, { username: 'ada' });
    accounts.connect(bob, { username: 'bob' });
    const reply = await command('connect');
    // Slack shows the message to ada only. A press of bob's would be about bob.
    await pressIn(reply, 'Disconnect', people.bob);
    expect(accounts.removed).toEqual([people.bob]);
    await eventually(() =>
      expect(world.ephemeralsTo(people.bob).map(visibleText).join()).toMatch(/Disconnected.*this app's access/),
    );
  });

  test('says so when the account cannot be removed now', async () => {
    await begin();
    accounts.connect(ada, { username: 'ada' });
    const reply = await command('connect');
    accounts.fail('storage');
    expect(visibleText(await command('disconnect'))).toContain('Not taken');
    await pressIn(reply, 'Disconnect');
    await eventually(() => expect(world.ephemeralsTo(people.ada).map(visibleText).join()).toContain('Reference `e'));
  });

  test('works also for people who may not ask, and where everyone asks with the app', async () => {
    await begin({ mode: 'shared' });
    accounts.connect({ teamId: team.id, userId: people.mia }, { username: 'mia' });
    expect(visibleText(await command('disconnect', people.mia))).toContain('Disconnected.');
  });
});

function never(): never {
  throw new Error('no Home');
}
