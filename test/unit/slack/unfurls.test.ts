import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import type { AuditEntry } from '../../../src/core/history/audit.ts';
import type { Admission, Conversation } from '../../../src/core/ports.ts';
import type { Audience } from '../../../src/slack/access/audience.ts';
import { createBackgroundTasks } from '../../../src/slack/background-tasks.ts';
import type { WorkspaceContext } from '../../../src/slack/context.ts';
import { createShareUrlReader, createUnfurls, type PostedLinks } from '../../../src/slack/unfurls/unfurls.ts';
import { eventually } from '../../support/eventually.ts';
import { createScriptedSlack } from '../../support/fake-slack/web-api-replies.ts';
import { digestOf } from '../../support/lifecycle/noop-ports.ts';
import { only } from '../../support/only.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

const token = '0b7e9c1a-3d52-4f6e-9a10-c0ffee000001';
const url = `https://search.example.com/deepsearch/${token}`;
const insiders: Audience = { members: 2, guests: 0, outsiders: 0, organizations: 0, isKnown: true };

const conversation: Conversation = {
  id: 7,
  questions: [{ id: 1, text: 'q?', state: 'completed', steps: 1, answer: 'a', sources: [], followUps: [] }],
};

function setUp(
  options: {
    admit?: () => Promise<Admission>;
    audience?: Audience;
    read?: () => Promise<Conversation>;
    show?: () => Promise<void>;
    isSent?: true;
  } = {},
) {
  const { log, lines } = createRecordingLog();
  const tasks = createBackgroundTasks({ log });
  const owners = new Map<string, string>();
  const shown: string[] = [];
  const noted: AuditEntry[] = [];
  const unfurls = createUnfurls(
    only<WorkspaceContext>({
      slack: createScriptedSlack(options.isSent === true ? { 'chat.unfurl': {} } : {}, undefined, async (method) => {
        await options.show?.();
        shown.push(method);
      }).deps.slack,
      endpoint: 'https://search.example.com',
      mayPreview: async () => true,
      deepSearch: () => only({ byReadToken: options.read ?? (async () => conversation) }),
      access: only({ admit: options.admit ?? (async () => ({ may: true })) }),
      audiences: only({ of: async () => options.audience ?? insiders }),
      claims: only({
        claim: async (key, owner) => {
          owners.set(key, owners.get(key) ?? owner);
          return owners.get(key) ?? owner;
        },
      }),
      audit: { note: (entry) => void noted.push(entry) },
      digest: digestOf,
      tasks,
      log,
      now: () => 0,
    }),
  );
  const outcomes = () => lines.map(({ outcome }) => outcome);
  return { unfurls, tasks, shown, noted, lines, owners, outcomes };
}

function posted(ts: string, changes: Partial<PostedLinks> = {}): PostedLinks {
  return { place: { teamId: 'T1', channelId: 'C1' }, ts, userId: 'U1', urls: [url], isMember: true, ...changes };
}

describe('link previews', () => {
  it('are made two at a time, while a hundred messages wait and the others are dropped', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reading = 0;
    let most = 0;
    const { unfurls, shown, outcomes } = setUp({
      read: async () => {
        reading += 1;
        most = Math.max(most, reading);
        await gate;
        reading -= 1;
        return conversation;
      },
    });
    for (let message = 0; message < 110; message += 1) unfurls.take(posted(`${message}.0`));
    await eventually(() => expect(reading).toBe(2));
    expect(outcomes()).toEqual(Array(8).fill('dropped'));
    release();
    await eventually(() => expect(shown).toHaveLength(102));
    expect(most).toBe(2);
  });

  it('that wait are dropped when the app stops, and those being made are waited for up to a limit', async () => {
    let release = (): void => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { unfurls, tasks, shown } = setUp({ show: () => gate });
    for (let message = 0; message < 5; message += 1) unfurls.take(posted(`${message}.0`));
    await tasks.drain(20);
    expect(shown).toEqual([]);
    const drained = tasks.drain(5_000);
    release();
    await drained;
    expect(shown).toHaveLength(2);
    unfurls.take(posted('9.0'));
    await tasks.drain(5_000);
    expect(shown).toHaveLength(2);
  });

  it('are noted in the audit log with the time of their message, and only if Slack took them', async () => {
    const { unfurls, noted, outcomes } = setUp({ isSent: true });
    unfurls.take(posted('1700000000.000100'));
    await eventually(() => expect(outcomes()).toEqual(['shown']));
    expect(noted).toMatchObject([{ action: 'unfurled', atMs: 1_700_000_000_000, userId: 'U1', channelId: 'C1' }]);
    const refused = setUp();
    refused.unfurls.take(posted('1.0'));
    await eventually(() => expect(refused.outcomes()).toEqual(['failed']));
    expect(refused.noted).toEqual([]);
  });

  it.each<[string, Parameters<typeof setUp>[0], Partial<PostedLinks>]>([
    ['the sender may not ask', { admit: async () => ({ may: false, reason: 'guest' }) }, {}],
    ['guests read', { audience: { ...insiders, guests: 1 } }, {}],
    ['outsiders read', { audience: { ...insiders, outsiders: 1, organizations: 1 } }, {}],
    ['the readers are unknown', { audience: { ...insiders, isKnown: false } }, {}],
    ['the app is not in the direct message', {}, { place: { teamId: 'T1', channelId: 'D1' }, isMember: false }],
  ])('are not made where %s', async (_why, options, changes) => {
    const { unfurls, shown, owners, outcomes } = setUp(options);
    unfurls.take(posted('1.0', changes));
    await eventually(() => expect(outcomes()).toEqual(['notForAll']));
    expect(shown).toEqual([]);
    expect(owners.size).toBe(0);
  });

  it.each([
    ['the admission is unknown', { admit: () => Promise.reject(new AppError('unavailable', `no ${url}`)) }],
    ['the service is down', { read: () => Promise.reject(new AppError('unavailable', `no ${url}`)) }],
    ['the conversation is gone', { read: () => Promise.reject(new AppError('notFound', `no ${url}`)) }],
    ['something breaks', { read: () => Promise.reject(new TypeError(`no ${url}`)) }],
    ['Slack refuses', { show: () => Promise.reject(new AppError('refused', `no ${url}`)) }],
    ['nothing fails', {}],
  ])('write the read token to no log and no store when %s', async (_when, options) => {
    const { unfurls, tasks, lines, owners, outcomes } = setUp(options);
    unfurls.take(posted('1.0'));
    await eventually(() => expect(outcomes()).toContain('failed'));
    await tasks.drain(5_000);
    expect(JSON.stringify([lines, [...owners.keys()]])).not.toContain(token);
  });
});

const read = createShareUrlReader('https://sourcegraph.example.com/');
const readPrefixed = createShareUrlReader('https://example.com/code/search/');

describe('a share URL', () => {
  it.each([
    [`https://sourcegraph.example.com/deepsearch/${token}`],
    [`https://sourcegraph.example.com/deepsearch/${token}/`],
    [`https://sourcegraph.example.com/deepsearch/shared/${token}`],
    [`https://SOURCEGRAPH.example.com:443/deepsearch/${token.toUpperCase()}`],
    [`https://sourcegraph.example.com/deepsearch/${token}?a=b&amp;c=d`],
    [`https://sourcegraph.example.com/deepsearch/${token}#answer`],
    [`https://sourcegraph.example.com/x/../deepsearch/${token}`],
  ])('has the form %s', (address) => {
    const found = read(address);
    expect(found?.readToken).toBe(token);
    expect(found?.url).not.toMatch(/[?#]/);
  });

  it.each([
    [`https://example.com/code/search/deepsearch/${token}`],
    [`https://example.com/code/search/deepsearch/shared/${token}?x`],
  ])('below a path has the form %s', (address) => {
    expect(readPrefixed(address)).toMatchObject({ readToken: token });
  });

  it.each(['140', '18446744073709551615'])(
    'has the number of the conversation, which anyone can guess: %s',
    (number) => {
      expect(read(`https://sourcegraph.example.com/deepsearch/${number}?x`)).toEqual({
        readToken: number,
        url: `https://sourcegraph.example.com/deepsearch/${number}`,
        isGuessable: true,
      });
      expect(read(`https://sourcegraph.example.com/deepsearch/${token}`)).not.toHaveProperty('isGuessable');
    },
  );

  it.each([
    [''],
    ['not an address'],
    ['https://sourcegraph.example.com/'],
    ['https://sourcegraph.example.com/deepsearch'],
    ['https://sourcegraph.example.com/deepsearch/0140'],
    ['https://sourcegraph.example.com/deepsearch/shared/140'],
    ['https://sourcegraph.example.com/deepsearch/123456789012345678901'],
    [`https://sourcegraph.example.com/deepsearch/${token}/more`],
    [`https://sourcegraph.example.com/deepsearch/${token}0`],
    [`https://sourcegraph.example.com/deepsearch/${token}%2F`],
    [`https://sourcegraph.example.com/deepsearch/a/${token}`],
    [`https://sourcegraph.example.com/search?q=/deepsearch/${token}`],
    [`https://sourcegraph.example.com/search#/deepsearch/${token}`],
    [`https://sourcegraph.example.com:8443/deepsearch/${token}`],
    [`http://sourcegraph.example.com/deepsearch/${token}`],
    [`https://sourcegraph.example.com.evil.example/deepsearch/${token}`],
    [`https://sourcegraph.example.com@evil.example/deepsearch/${token}`],
    [`https://ada:secret@sourcegraph.example.com/deepsearch/${token}`],
    [`https://evil.example/https://sourcegraph.example.com/deepsearch/${token}`],
    [`https://other.sourcegraph.example.com/deepsearch/${token}`],
    [`javascript://sourcegraph.example.com/deepsearch/${token}`],
    [`https://sourcegraph.example.com/deepsearch/${token}?${'x'.repeat(2_000)}`],
  ])('does not have the form %s', (address) => {
    expect(read(address)).toBeUndefined();
  });

  it.each([
    [`https://example.com/deepsearch/${token}`],
    [`https://example.com/code/searching/deepsearch/${token}`],
    [`https://example.com/other/deepsearch/${token}`],
  ])('below a path does not have the form %s', (address) => {
    expect(readPrefixed(address)).toBeUndefined();
  });

  it('is found in no other text, and never throws', () => {
    const part = fc.constantFrom(
      'https://',
      'sourcegraph.example.com',
      '/',
      'deepsearch',
      token,
      '?',
      '#',
      '@',
      ':',
      '\\',
      '%2f',
    );
    const address = fc.oneof(
      fc.string(),
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(address, (text) => {
        const found = read(text);
        if (found !== undefined) expect(new URL(found.url).origin).toBe('https://sourcegraph.example.com');
      }),
    );
  });
});
