import { isAppError } from '../../core/errors.ts';
import type { Log } from '../../core/ports.ts';
import { mostPeopleLookups } from '../settings.ts';
import type { Directory } from './user-directory.ts';
import type { SlackUser, Users } from './users.ts';

/** Is told that a person left, or is no full member any more, perhaps again and again. Returns at once, never throws. */
export type DepartureObserver = (userId: string) => void;

/** Passes on that people left the workspace, or became guests or outsiders. */
export interface Departures {
  /** Takes note of what Slack says about a person. People of whom it says too little count as still there. */
  note(person: SlackUser): void;
  /** Registers one more observer. */
  listen(observer: DepartureObserver): void;
}

export function createDepartures(): Departures {
  const observers: DepartureObserver[] = [];
  return {
    note({ userId, kind }) {
      if (kind !== 'gone' && kind !== 'guest' && kind !== 'outsider') return;
      for (const observer of observers) observer(userId);
    },
    listen: (observer) => void observers.push(observer),
  };
}

/**
 * Looks at people in case the app missed the event of their departure: in the directory, and at Slack those whom the
 * directory does not list, some of them at each check. `people` notes everyone that it looks up.
 */
export function createDepartureCheck(options: {
  people: Pick<Users, 'person'>;
  directory: Pick<Directory, 'find'>;
  note: Departures['note'];
  log: Log;
}): (userIds: readonly string[]) => Promise<void> {
  const { people, directory, note, log } = options;
  let next = 0;

  return async function check(userIds) {
    const unlisted: string[] = [];
    for (const userId of userIds) {
      const listed = directory.find(userId);
      if (listed === undefined) unlisted.push(userId);
      else note(listed);
    }
    const first = next < unlisted.length ? next : 0;
    const asked = unlisted.slice(first, first + mostPeopleLookups);
    next = first + asked.length;
    for (const userId of asked) {
      try {
        await people.person(userId);
      } catch (error) {
        if (!isAppError(error)) throw error;
        log.debug({ event: 'departure_not_checked', kind: error.kind, userId });
      }
    }
  };
}
