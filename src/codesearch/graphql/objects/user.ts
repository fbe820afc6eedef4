import type { User } from '../../accounts/records.ts';
import type { GraphqlData } from '../data.ts';
import type { Work } from '../work.ts';
import { connectionOf, type PageArguments } from './connection.ts';
import { globalId } from './global-id.ts';

const NO_ORGANIZATIONS = { nodes: [], totalCount: 0 };

/** The object of the type `User`. */
export function createUser({ id, username, displayName, email = '', siteAdmin, kind, createdMs }: User): object {
  const mayAdminister = ({ viewer }: Work): boolean => viewer.userId === id || viewer.siteAdmin;
  const user = {
    __typename: 'User',
    id: globalId('User', id),
    databaseID: id,
    username,
    namespaceName: username,
    displayName,
    email: (_: unknown, work: Work) => (mayAdminister(work) ? email : ''),
    emails: (_: unknown, work: Work) =>
      mayAdminister(work) && email !== '' ? [{ email, isPrimary: true, verified: true }] : [],
    primaryEmail: (_: unknown, work: Work) =>
      mayAdminister(work) && email !== '' ? { email, isPrimary: true, verified: true } : null,
    hasVerifiedEmail: (_: unknown, work: Work) => mayAdminister(work) && email !== '',
    avatarURL: null,
    url: `/users/${encodeURIComponent(username)}`,
    settingsURL: (_: unknown, work: Work) => (mayAdminister(work) ? '/settings/tokens' : null),
    session: (_: unknown, { viewer }: Work) => ({
      canSignOut: viewer.userId === id && viewer.credential === 'session',
    }),
    tosAccepted: true,
    latestSettings: null,
    settingsCascade: () => ({ subjects: [user], final: '{}' }),
    createdAt: new Date(createdMs).toISOString(),
    siteAdmin,
    serviceAccount: kind === 'serviceAccount',
    viewerCanAdminister: (_: unknown, work: Work) => mayAdminister(work),
    organizations: NO_ORGANIZATIONS,
  };
  return user;
}

/** The fields of `Query` about users. */
export function createUserFields({ users }: GraphqlData) {
  const byId = (id: number) => {
    const user = users.userById(id);
    return user === undefined ? null : createUser(user);
  };
  return {
    currentUser: (_: unknown, { viewer }: Work) => byId(viewer.userId),
    user(query: { username?: string | null; email?: string | null; databaseID?: number | null }, { viewer }: Work) {
      const found =
        typeof query.username === 'string'
          ? users.userByName(query.username)
          : typeof query.databaseID === 'number'
            ? users.userById(query.databaseID)
            : users.users().find(({ email }) => typeof query.email === 'string' && email === query.email);
      // Only those who may see a mail address may find a user by it.
      const isHidden = typeof query.email === 'string' && !viewer.siteAdmin && found?.id !== viewer.userId;
      return found === undefined || isHidden ? null : createUser(found);
    },
    users({ query, ...page }: PageArguments & { query?: string | null }) {
      const wanted = (query ?? '').toLowerCase();
      const all = users
        .users()
        .filter(({ username, displayName }) => `${username}\n${displayName}`.toLowerCase().includes(wanted));
      return connectionOf(all.map(createUser), page);
    },
    organization: null,
    organizations: NO_ORGANIZATIONS,
  };
}
