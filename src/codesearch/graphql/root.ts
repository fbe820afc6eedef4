import type { User } from '../accounts/records.ts';
import type { Accounts } from '../accounts/store.ts';
import type { Conversations } from '../conversations/conversations.ts';
import { connectionOf, globalId, type PageArguments } from './lists.ts';
import { createRepositoryFields, type RepositorySetup } from './repository.ts';
import { createSearchField } from './search.ts';
import type { Work } from './work.ts';

/** What the schema shows, as the other folders of the service offer it. */
export interface Host extends RepositorySetup {
  users: Pick<Accounts, 'userById' | 'userByName' | 'users'>;
  quotaOf: Conversations['quotaOf'];
  /** The version that the service speaks like. */
  version: string;
}

const NO_ORGANIZATIONS = { nodes: [], totalCount: 0 };

/** The object behind `Query`. */
export function createRoot(host: Host): object {
  const { users, search, quotaOf, version } = host;
  const repositories = createRepositoryFields(host);

  const site = {
    __typename: 'Site',
    id: globalId('Site', 'site'),
    siteID: 'codesearch',
    productVersion: version,
    buildVersion: version,
    hasCodeIntelligence: true,
    viewerCanAdminister: (_: unknown, { viewer }: Work) => viewer.siteAdmin,
    settingsCascade: (_: unknown, { viewer }: Work) => settingsOf(viewer.userId),
  };

  /** The cascade of a user: no settings are kept. */
  function settingsOf(userId: number) {
    return { subjects: [site, userObject(userId)].filter((one) => one !== null), final: '{}' };
  }

  function userObject(id: number): object | null {
    const user = users.userById(id);
    return user === undefined ? null : createUser(user);
  }

  return {
    ...repositories.fields,
    search: createSearchField(search, repositories.find),
    site,
    currentUser: (_: unknown, { viewer }: Work) => userObject(viewer.userId),
    user({ username, email }: { username?: string | null; email?: string | null }, { viewer }: Work) {
      if (typeof username === 'string') {
        const named = users.userByName(username);
        return named === undefined ? null : createUser(named);
      }
      const found = users.users().find((user) => typeof email === 'string' && user.email === email);
      // Only those who may see a mail address may find a user by it.
      return found !== undefined && (viewer.siteAdmin || found.id === viewer.userId) ? createUser(found) : null;
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
    viewerSettings: (_: unknown, { viewer }: Work) => settingsOf(viewer.userId),
    settingsSubject({ id }: { id: string }) {
      if (id === site.id) return site;
      const user = users.users().find((one) => globalId('User', one.id) === id);
      return user === undefined ? null : createUser(user);
    },
    deepSearchQuotaUsage(_: unknown, { viewer }: Work) {
      const { limit, used, resetMs } = quotaOf(viewer.userId);
      return limit < 0 ? null : { limit, consumed: used, resetTime: new Date(resetMs).toISOString() };
    },
  };
}

/** The object of the type `User`. */
function createUser({ id, username, displayName, email = '', siteAdmin }: User): object {
  const mayAdminister = ({ viewer }: Work): boolean => viewer.userId === id || viewer.siteAdmin;
  const address = (work: Work) => (mayAdminister(work) && email !== '' ? { email, verified: true } : undefined);
  const user = {
    __typename: 'User',
    id: globalId('User', id),
    databaseID: id,
    username,
    displayName,
    email: (_: unknown, work: Work) => address(work)?.email ?? '',
    emails: (_: unknown, work: Work) => [address(work)].filter((one) => one !== undefined),
    primaryEmail: (_: unknown, work: Work) => address(work) ?? null,
    hasVerifiedEmail: (_: unknown, work: Work) => address(work) !== undefined,
    url: `/users/${encodeURIComponent(username)}`,
    settingsURL: (_: unknown, work: Work) => (mayAdminister(work) ? '/settings/tokens' : null),
    session: (_: unknown, { viewer }: Work) => ({
      canSignOut: viewer.userId === id && viewer.credential === 'session',
    }),
    tosAccepted: true,
    siteAdmin,
    organizations: NO_ORGANIZATIONS,
    settingsCascade: () => ({ subjects: [user], final: '{}' }),
    viewerCanAdminister: (_: unknown, work: Work) => mayAdminister(work),
  };
  return user;
}
