import type { Finding } from '../../core/doctor/finding.ts';

/** The doctor of the running app. */
export interface Doctor {
  /** Whether this person may use it: the people in `ADMINS`. */
  isFor(userId: string): boolean;
  /** Checks everything, within half a minute. Posts a message into the person's direct messages, and deletes it. */
  examine(userId: string, locale: string | undefined): Promise<Finding[]>;
}
