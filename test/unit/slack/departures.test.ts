import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/core/errors.ts';
import { createDepartureCheck, createDepartures } from '../../../src/slack/access/access-control.ts';
import type { PersonKind, SlackUser } from '../../../src/slack/access/users.ts';
import { mostPeopleLookups } from '../../../src/slack/settings.ts';
import { createRecordingLog } from '../../support/recording-log.ts';

function person(userId: string, kind: PersonKind): SlackUser {
  return { userId, name: userId, kind };
}

describe('departures', () => {
  it('are those of people who left, and of new guests and outsiders, and of no one whom Slack cannot identify', () => {
    const departed: string[] = [];
    const { note, listen } = createDepartures();
    listen((userId) => departed.push(userId));
    const kinds: PersonKind[] = ['member', 'guest', 'outsider', 'bot', 'gone', 'unknown'];
    for (const kind of kinds) note(person(kind, kind));
    expect(departed).toEqual(['guest', 'outsider', 'gone']);
  });
});

describe('the check for departures that the app missed', () => {
  function checking(listed: SlackUser[], failing: string[] = []) {
    const noted: string[] = [];
    const asked: string[] = [];
    const check = createDepartureCheck({
      people: {
        person: async (userId) => {
          asked.push(userId);
          if (failing.includes(userId)) throw new AppError('notFound', 'user_not_found');
          return person(userId, 'member');
        },
      },
      directory: { find: (userId) => listed.find((each) => each.userId === userId) },
      note: ({ userId }) => noted.push(userId),
      log: createRecordingLog().log,
    });
    return { check, noted, asked };
  }

  it('asks Slack only about those whom the directory does not list', async () => {
    const { check, noted, asked } = checking([person('U1', 'gone'), person('U2', 'member')]);
    await check(['U1', 'U2', 'U3']);
    expect(noted).toEqual(['U1', 'U2']);
    expect(asked).toEqual(['U3']);
  });

  it('asks about everyone in turn, a bounded number each time, also where some are not found', async () => {
    const ids = Array.from({ length: mostPeopleLookups + 20 }, (_, index) => `U${index}`);
    const { check, asked } = checking([], ['U0', 'U7']);
    await check(ids);
    expect(asked).toEqual(ids.slice(0, mostPeopleLookups));
    await check(ids);
    expect(asked).toEqual(ids);
    await check(ids);
    expect(asked).toHaveLength(2 * mostPeopleLookups + 20);
  });
});
