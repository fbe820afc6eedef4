import type { Users } from './users.ts';

/** Who may change this app's settings in a workspace. */
export interface Admins {
  /** Throws `AppError` when Slack does not say who the person is. */
  isAdmin(userId: string): Promise<boolean>;
}

/** Admins and owners of the workspace, and the people of the setting `ADMINS` who belong to the workspace. */
export function createAdmins({ people, listed }: { people: Pick<Users, 'person'>; listed: readonly string[] }): Admins {
  return {
    async isAdmin(userId) {
      const { kind, isAdmin } = await people.person(userId);
      if (kind === 'member') return isAdmin === true || listed.includes(userId);
      return kind === 'guest' && listed.includes(userId);
    },
  };
}
