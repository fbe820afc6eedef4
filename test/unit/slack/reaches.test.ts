import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createLibraryLogger } from '../../../src/slack/calls/library-logger.ts';
import { call, createWebClient, webClientOptions } from '../../../src/slack/calls/web-client.ts';
import type { Person } from '../../../src/slack/people/people.ts';
import { createReaches } from '../../../src/slack/people/reaches.ts';
import { type FakeSlack, people, startFakeSlack, team } from '../../support/fake-slack/fake-slack.ts';
import { createRecordingJournal } from '../../support/recording-journal.ts';

let slack: FakeSlack;

beforeEach(async () => {
  slack = await startFakeSlack();
});
afterEach(async () => {
  expect(slack.violations).toEqual([]);
  await slack.stop();
});

const kinds = new Map<string, Person['kind']>([
  [people.mia, 'guest'],
  [people.olga, 'outsider'],
  [people.otto, 'gone'],
]);

function reaches(person = async (userId: string): Promise<Person> => whoIs(userId)) {
  const { journal } = createRecordingJournal();
  const client = createWebClient(team.botToken, webClientOptions(slack.url, createLibraryLogger(journal)));
  const through = <Result>(method: string, _urgency: string, run: () => Promise<Result>) => call(method, run);
  return createReaches({ client, through, people: { person } });
}

function whoIs(userId: string): Person {
  return { userId, name: 'somebody', kind: kinds.get(userId) ?? 'member' };
}

describe('what a conversation is to a person', () => {
  it.each([
    [people.gerd, 'C0PUBLIC', 'open'],
    [people.ada, 'C0GENERAL', 'open'],
    [people.mia, 'C0GENERAL', 'none'],
    [people.olga, 'C0GENERAL', 'none'],
    [people.otto, 'C0GENERAL', 'none'],
    [people.olga, 'C0SHARED', 'member'],
    [people.mia, 'C0GUESTS', 'member'],
    [people.gerd, 'C0GUESTS', 'none'],
    [people.ada, 'C0PRIVATE', 'hidden'],
    [people.ada, 'D0ADA', 'member'],
    [people.ada, 'D0BOB', 'none'],
  ])('of %s in %s: %s', async (userId, channelId, reach) => {
    expect(await reaches().of(userId, channelId)).toBe(reach);
  });

  it('is not said while Slack does not tell who somebody is', async () => {
    const down = new AppError('unavailable', 'planned');
    await expect(reaches(() => Promise.reject(down)).of(people.ada, 'C0GENERAL')).rejects.toBe(down);
  });
});
