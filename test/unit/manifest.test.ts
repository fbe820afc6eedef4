import { readdirSync, readFileSync } from 'node:fs';
import { App } from '@slack/bolt';
import type { WebClientOptions } from '@slack/web-api';
import { describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { ACTIONS, COMMAND, FORMS, followUpAction, SHORTCUTS } from '../../src/render/ids.ts';
import { sayIn } from '../../src/render/say.ts';
import type { Users } from '../../src/slack/access/users.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../src/slack/api/web-client.ts';
import { createBackgroundTasks } from '../../src/slack/background-tasks.ts';
import { createBoltApp } from '../../src/slack/bolt-app.ts';
import { botScopes } from '../../src/slack/install/install-pages.ts';
import type { ListenerContext } from '../../src/slack/listeners/frame.ts';
import { createMemoryAccounts } from '../support/accounts/memory-accounts.ts';
import { createUnlimitedSlackApi } from '../support/fake-slack/unlimited-slack-api.ts';
import { createCoreHarness } from '../support/lifecycle/core-harness.ts';
import { only } from '../support/only.ts';

/** The context of a workspace's listeners. Questions are kept in memory. Slack can't be reached. */
function createListenerContext(): {
  w: ListenerContext;
  clientOptions: WebClientOptions;
  logger: ReturnType<typeof createLibraryLogger>;
} {
  const { life } = createCoreHarness();
  const { log } = life.ports;
  const logger = createLibraryLogger(log);
  const clientOptions = webClientOptions('http://127.0.0.1:9/api/', logger);
  const slack = createUnlimitedSlackApi(createWebClient('xoxb-test', clientOptions));
  const { accounts } = createMemoryAccounts({ mode: 'shared' });
  const people = only<Users>({ person: async (userId) => ({ userId, name: userId, kind: 'member' }) });
  const w = only<ListenerContext>({
    ...life.ports,
    slack,
    accounts,
    tokensUrl: 'https://search.example.com/user/settings/tokens',
    messageLog: only({ note: () => undefined }),
    audit: life.ports.audit,
    read: async (text) => text,
    accountChanges: only({ listen: () => undefined }),
    doctor: only({ isFor: () => false }),
    access: only({ admit: async () => ({ may: true }), limitOf: () => 'none', sharesWithOthers: false }),
    chosenRules: { of: async () => undefined },
    repositoriesFor: async () => undefined,
    people,
    channels: only({ noteShared: () => undefined, known: () => undefined }),
    noteKeeper: only({ add: () => undefined }),
    tasks: createBackgroundTasks({ log }),
    attendance: only({ heard: () => undefined }),
    askedQuestions: only({ of: async () => [] }),
    outbound: only({ fetch: async () => new Response('ok') }),
    slackApiUrl: 'http://127.0.0.1:9/api/',
    serviceState: async () => 'fine',
    log,
  });
  return { w, clientOptions, logger };
}

const root = new URL('../../', import.meta.url);

// Lengths: docs.slack.dev/reference/app-manifest. Strict objects, because Slack refuses unknown keys.
const manifest = z
  .strictObject({
    _metadata: z.strictObject({ major_version: z.literal(2) }),
    display_information: z.strictObject({
      name: z.string().min(1).max(35),
      description: z.string().max(140),
      long_description: z.string().min(175).max(4_000).optional(),
      background_color: z
        .string()
        .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/)
        .optional(),
    }),
    features: z.strictObject({
      app_home: z.strictObject({
        home_tab_enabled: z.literal(true),
        messages_tab_enabled: z.literal(true),
        messages_tab_read_only_enabled: z.literal(false),
      }),
      bot_user: z.strictObject({ display_name: z.string().regex(/^[\w.-]{1,80}$/), always_online: z.boolean() }),
      agent_view: z.strictObject({
        agent_description: z.string().min(1).max(300),
        suggested_prompts: z
          .array(z.strictObject({ title: z.string().min(1), message: z.string().min(1) }))
          .min(1)
          .max(4),
      }),
      slash_commands: z
        .array(
          z.strictObject({
            command: z.string().regex(/^\/[^\s]{1,31}$/),
            description: z.string().min(1).max(2_000),
            usage_hint: z.string().max(1_000).optional(),
            // Without it people and channels arrive as plain names that cannot be told from words.
            should_escape: z.literal(true),
          }),
        )
        .max(50),
      // Lower case, without scheme, path, port; Slack takes up to five.
      unfurl_domains: z
        .array(z.string().regex(/^(?:[a-z0-9-]+\.)+[a-z]{2,}$/))
        .min(1)
        .max(5),
      shortcuts: z
        .array(
          z.strictObject({
            name: z.string().min(1).max(24),
            type: z.enum(['message', 'global']),
            callback_id: z.string().min(1).max(255),
            description: z.string().min(1).max(150),
          }),
        )
        .max(10)
        .default([]),
    }),
    oauth_config: z.strictObject({
      scopes: z.strictObject({ bot: z.array(z.string()).max(255), bot_optional: z.array(z.string()).max(255) }),
    }),
    settings: z.strictObject({
      event_subscriptions: z.strictObject({ bot_events: z.array(z.string().max(50)).max(100) }),
      interactivity: z.strictObject({ is_enabled: z.literal(true) }),
      org_deploy_enabled: z.boolean(),
      socket_mode_enabled: z.literal(true),
      // Cannot be turned off again once it is on: docs.slack.dev/authentication/using-token-rotation.
      token_rotation_enabled: z.literal(false),
    }),
  })
  .parse(parse(readFileSync(new URL('manifest.yml', root), 'utf8')));

const scopes = manifest.oauth_config.scopes.bot;
const optional = manifest.oauth_config.scopes.bot_optional;
const events = manifest.settings.event_subscriptions.bot_events;

/** The kinds of conversation the app lives in. */
const kinds = ['channels', 'groups', 'im', 'mpim'] as const;

/** Which event types a listener's name stands for in the manifest: `message` is subscribed to by kind of conversation. */
function subscriptionsFor(event: string): string[] {
  return event === 'message' ? kinds.map((kind) => `message.${kind}`) : [event];
}

/** Scopes that an event needs. Source: docs.slack.dev/reference/events/<event>. */
const scopesOfEvent: Record<string, string[]> = {
  agent_session_stopped: ['chat:write'],
  app_home_opened: [],
  app_uninstalled: [],
  channel_id_changed: [],
  tokens_revoked: [],
  app_mention: ['app_mentions:read'],
  link_shared: ['links:read'],
  member_joined_channel: ['channels:read', 'groups:read'],
  'message.channels': ['channels:history'],
  'message.groups': ['groups:history'],
  'message.im': ['im:history'],
  'message.mpim': ['mpim:history'],
  user_change: ['users:read'],
};

const history = kinds.map((kind) => `${kind}:history`);

/**
 * Scopes that a Web API method needs, for the conversations it is used in. Source: docs.slack.dev/reference/methods/<method>.
 * `auth.test` and those of views need none.
 */
const scopesOfMethod: Record<string, string[]> = {
  'agents.sessions.rename': ['chat:write'],
  'agents.sessions.setStatus': ['chat:write'],
  'assistant.threads.setSuggestedPrompts': ['assistant:write'],
  'auth.teams.list': [],
  'auth.test': [],
  'chat.delete': ['chat:write'],
  'chat.postMessage': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.unfurl': ['links:write'],
  'chat.postEphemeral': ['chat:write'],
  'conversations.replies': history,
  'conversations.history': history,
  // What a text names by an id may be any kind of conversation with several people.
  'conversations.info': ['channels:read', 'groups:read', 'mpim:read'],
  'conversations.join': ['channels:join'],
  'conversations.members': ['channels:read', 'groups:read', 'mpim:read'],
  'conversations.open': ['im:write'],
  'files.completeUploadExternal': ['files:write'],
  'files.delete': ['files:write'],
  'files.getUploadURLExternal': ['files:write'],
  'files.info': ['files:read'],
  // Authenticated by the app's client secret, without a token.
  'oauth.v2.access': [],
  'usergroups.list': ['usergroups:read'],
  'users.conversations': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'views.open': [],
  'views.update': [],
  'views.publish': [],
};

/** Methods that the code in src/slack calls, through `SlackApi` or on a Web API client. */
function methodsCalled(): string[] {
  const texts = readdirSync(new URL('src/slack/', root), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => readFileSync(new URL(`src/slack/${path}`, root), 'utf8'));
  const calls = texts.flatMap((text) => [
    ...text.matchAll(/\bclient\s*\.\s*([a-z]\w*(?:\s*\.\s*[a-z]\w*)+)\s*\(/g),
    ...text.matchAll(/\bslack\s*\.\s*call\(\s*'([\w.]+)'/g),
  ]);
  return [...new Set(calls.map(([, method = '']) => method.replaceAll(/\s+/g, '')))].toSorted();
}

/** What the app registers at Bolt: the names of events, commands, shortcuts and so on, as each listener gives them. */
function registrations() {
  const kindsOfListener = ['event', 'message', 'command', 'shortcut', 'action', 'view', 'options'] as const;
  const spies = kindsOfListener.map((kind) => [kind, vi.spyOn(App.prototype, kind)] as const);
  const { w, clientOptions, logger } = createListenerContext();
  createBoltApp({ clientOptions, logger, w });
  const registered = new Map(spies.map(([kind, spy]) => [kind, spy.mock.calls.map(([name]) => name)]));
  for (const [, spy] of spies) spy.mockRestore();
  return (kind: (typeof kindsOfListener)[number]): unknown[] => registered.get(kind) ?? [];
}

describe('manifest.yml', () => {
  const registered = registrations();

  it('names the command that the code answers', () => {
    expect(registered('command')).toEqual([COMMAND]);
    expect(manifest.features.slash_commands.map(({ command }) => command)).toEqual([COMMAND]);
  });

  it('subscribes to exactly the events that have a listener', () => {
    const listened = [...registered('event').map(String), ...registered('message').map(() => 'message')];
    expect(listened.length).toBeGreaterThan(0);
    expect(events.toSorted()).toEqual([...new Set(listened.flatMap(subscriptionsFor))].toSorted());
  });

  it('names exactly the shortcuts that have a listener', () => {
    expect(manifest.features.shortcuts.map(({ callback_id: id }) => id)).toEqual(registered('shortcut'));
    expect(manifest.features.shortcuts.map(({ type, callback_id: id }) => [type, id])).toEqual([
      ['message', SHORTCUTS.askAbout],
      ['global', SHORTCUTS.ask],
    ]);
    // Help and docs call them so.
    expect(manifest.features.shortcuts.map(({ name }) => name)).toEqual([
      'Ask Deep Search about it',
      'Ask Deep Search',
    ]);
  });

  it('suggests the prompts that the app suggests in English', () => {
    const { home } = sayIn('en');
    expect(manifest.features.agent_view.suggested_prompts).toEqual([
      { title: home.promptOverviewTitle(), message: home.promptOverview() },
      { title: home.promptWhereTitle(), message: home.promptWhere() },
      { title: home.promptChangesTitle(), message: home.promptChanges() },
      { title: home.promptHowTitle(), message: home.promptHow() },
    ]);
  });

  it('belongs to an app that answers each of its forms', () => {
    expect(Object.values(FORMS).toSorted()).toEqual(registered('view').toSorted());
  });

  it('belongs to an app that answers each of its buttons', () => {
    const actions = registered('action');
    const answers = (id: string): boolean =>
      actions.some((action) => (action instanceof RegExp ? action.test(id) : action === id));
    for (const [name, id] of Object.entries(ACTIONS)) {
      expect([name, answers(name === 'followUp' ? followUpAction(0) : id)]).toEqual([name, true]);
    }
  });

  it('requests the scopes of every method called and event received, and no other', () => {
    const methods = methodsCalled();
    expect(methods).toContain('chat.postMessage');
    expect(methods.filter((method) => !Object.hasOwn(scopesOfMethod, method))).toEqual([]);
    expect(Object.keys(scopesOfMethod).filter((method) => !methods.includes(method))).toEqual([]);
    const needed = new Set([
      ...methods.flatMap((method) => scopesOfMethod[method] ?? []),
      ...events.flatMap((event) => scopesOfEvent[event] ?? [`unknown event ${event}`]),
      // The content of files in a thread, at `url_private`: docs.slack.dev/messaging/working-with-files.
      'files:read',
      // Commands: docs.slack.dev/interactivity/implementing-slash-commands.
      'commands',
      // The agent view: docs.slack.dev/ai/developing-agents.
      'assistant:write',
    ]);
    expect(scopes.toSorted()).toEqual([...needed].toSorted());
  });

  it('has the scopes that the doctor compares with those granted', () => {
    const known = Object.entries(botScopes);
    expect(known.map(([scope]) => scope)).toEqual(scopes);
    expect(known.filter(([, kind]) => kind === 'optional').map(([scope]) => scope)).toEqual(optional);
  });

  it('lets those who install it refuse the optional scopes', () => {
    expect(optional.filter((scope) => !scopes.includes(scope))).toEqual([]);
  });

  it('lists everything once, in order', () => {
    for (const all of [scopes, optional, events]) expect(all).toEqual(all.toSorted());
    expect(new Set(optional).size).toBe(optional.length);
    expect(new Set(scopes).size).toBe(scopes.length);
    expect(new Set(events).size).toBe(events.length);
  });
});
