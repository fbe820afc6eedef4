import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { Visit } from '../../../src/core/history/lists.ts';
import type { Admission } from '../../../src/core/ports.ts';
import { createLibraryLogger, createWebClient, webClientOptions } from '../../../src/slack/api/web-client.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { WorkspaceContext } from '../../../src/slack/context.ts';
import { createHome } from '../../../src/slack/home/home.ts';
import { createUnlimitedSlackApi } from '../../support/fake-slack/unlimited-slack-api.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';
import { exampleQuestion } from '../render/example.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function newHomes() {
  const published: { user: string; text: string; priority: string }[] = [];
  const planned: AppError[] = [];
  const visits = new Map<string, Visit>();
  const { log } = createRecordingLog();
  const fetch = async (url: unknown, init: { body?: unknown } = {}): Promise<Response> => {
    if (!String(url).endsWith('views.publish')) return Response.json({ ok: true, channels: [] });
    const body = new URLSearchParams(String(init.body));
    published.push({ user: body.get('user_id') ?? '', text: body.get('view') ?? '', priority });
    return Response.json({ ok: true });
  };
  let priority = '';
  const world = {
    admit: async (): Promise<Admission> => ({ may: true }),
    askedBefore: async (): Promise<string[]> => [],
  };
  const client = createWebClient('xoxb-test', {
    ...webClientOptions('http://127.0.0.1:9/api/', createLibraryLogger(log)),
    fetch,
  });
  const home = createHome(
    only<WorkspaceContext>({
      slack: createUnlimitedSlackApi(client, { teamId: 'T1', botUserId: 'U0BOT' }, (method, options) => {
        if (method !== 'views.publish') return;
        const failure = planned.shift();
        if (failure !== undefined) throw failure;
        priority = options.priority;
      }),
      accessPolicy: only({ admit: () => world.admit() }),
      askedQuestions: only({ of: () => world.askedBefore() }),
      questions: only({ get: async () => changed }),
      serviceState: async () => 'fine',
      accounts: only({ mode: 'shared', offer: { can: false, reason: 'off' } }),
      chosenRules: only({}),
      repositoriesFor: async () => undefined,
      usageOf: () => undefined,
      readerChoices: only({ get: async () => undefined }),
      visits: {
        get: async (name) => visits.get(name),
        update: async (name, change) => {
          const visit = change(visits.get(name));
          visits.set(name, visit);
          return visit;
        },
      },
      settings: only({ cardEditMs: 3_000 }),
      tasks: createBackgroundTasks({ log }),
      now: Date.now,
      log,
    }),
  );
  return { home, published, planned, world };
}

const ada = { teamId: 'T1', userId: 'U0ASKER', channelId: 'D0ADA' };
const changed = exampleQuestion({ admittedMs: 1 });

describe('the Home tab', () => {
  it('is shown at once, and then at most every 3 s with all that changed', async () => {
    const { home, published } = newHomes();
    home.show(ada);
    await vi.advanceTimersByTimeAsync(10);
    expect(published.map(({ priority }) => priority)).toEqual(['private']);
    for (let index = 0; index < 60; index += 1) {
      home.changed(changed);
      await vi.advanceTimersByTimeAsync(100);
    }
    await vi.advanceTimersByTimeAsync(10_000);
    expect(published.slice(1).map(({ priority }) => priority)).toEqual(['edit', 'edit']);
  });

  it('is kept up to date for seven days after it was opened', async () => {
    const { home, published } = newHomes();
    home.changed(changed);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(published).toEqual([]);
    home.show(ada);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.setSystemTime(Date.now() + 6 * DAY_MS);
    home.changed(changed);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(published).toHaveLength(2);
    vi.setSystemTime(Date.now() + DAY_MS);
    home.changed(changed);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(published).toHaveLength(2);
  });

  it('of other people, and of people with only shared or refused questions, does not change', async () => {
    const { home, published } = newHomes();
    home.show(ada);
    await vi.advanceTimersByTimeAsync(10_000);
    home.changed({ ...changed, askerId: 'U0BOB' });
    home.changed({ ...changed, origin: 'shared' });
    home.changed(exampleQuestion());
    await vi.advanceTimersByTimeAsync(10_000);
    expect(published).toHaveLength(1);
  });

  it('is retried once when the rate limit leaves no room, and then stays as it is', async () => {
    const { home, published, planned } = newHomes();
    home.show(ada);
    await vi.advanceTimersByTimeAsync(10_000);
    planned.push(new AppError('rateLimited', 'no room', { retryAfterMs: 7_000 }));
    home.changed(changed);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(published).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(published).toHaveLength(2);
    planned.push(new AppError('rateLimited', 'no room'), new AppError('rateLimited', 'no room'));
    home.changed(changed);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(published).toHaveLength(2);
    expect(planned).toEqual([]);
  });

  it('says within a second that it is loading while the visitor is still unknown', async () => {
    const { home, published, world } = newHomes();
    world.admit = () => new Promise((resolve) => setTimeout(() => resolve({ may: true }), 5_000));
    home.show(ada);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(published.map(({ text }) => text)).toEqual([expect.stringContaining('Checking what')]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(published.at(-1)?.text).toContain('You have not asked anything yet.');
    expect(published).toHaveLength(2);
  });

  it('says so where Slack cannot identify its visitor, and stays as it is where it is only updated', async () => {
    const { home, published, world } = newHomes();
    home.show(ada);
    await vi.advanceTimersByTimeAsync(10_000);
    world.admit = () => Promise.reject(new AppError('unavailable', 'down'));
    home.changed(changed);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(published).toHaveLength(1);
    home.show(ada);
    await vi.advanceTimersByTimeAsync(10);
    expect(published.at(-1)?.text).toContain('could not tell me who you are');
  });

  it('is shown without the questions when they cannot be read, with the result of a button', async () => {
    const { home, published, world } = newHomes();
    home.show(ada);
    await vi.advanceTimersByTimeAsync(10_000);
    world.askedBefore = () => Promise.reject(new AppError('storage', 'down'));
    home.showAction(ada, 'q01234567', () => {});
    await vi.advanceTimersByTimeAsync(10);
    expect(published.at(-1)?.text).toMatch(/Not cancelled.*`q01234567`.*I cannot read.*`e[0-9a-f]{8}`/);
  });

  it('never returns to an older state, since it makes one call at a time, and another one after a change', async () => {
    const { home, published, world } = newHomes();
    let answer: (ids: string[]) => void = () => {};
    world.askedBefore = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    home.show(ada);
    await vi.advanceTimersByTimeAsync(10);
    home.show(ada);
    home.changed(changed);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(published).toEqual([]);
    answer([]);
    await vi.advanceTimersByTimeAsync(10);
    expect(published).toHaveLength(1);
    answer([changed.id]);
    await vi.advanceTimersByTimeAsync(10);
    expect(published.at(-1)?.text).toContain('searching since');
    expect(published).toHaveLength(2);
  });

  it('is not shown any more once the app stops', async () => {
    const { home, published } = newHomes();
    home.show(ada);
    await vi.advanceTimersByTimeAsync(10);
    home.changed(changed);
    home.stop();
    home.show(ada);
    home.changed(changed);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(published).toHaveLength(1);
  });
});
