import { readCommit } from '../../git/commits.ts';
import type { GraphqlData, StarredConversation } from '../data.ts';
import { fieldError } from '../graphql-error.ts';
import type { Work } from '../work.ts';
import { globalId, parseGlobalId, textOfKey } from './global-id.ts';
import { createRef } from './ref.ts';
import { createRepositoryFields } from './repository.ts';
import { resolve } from './repository-context.ts';
import { createSearchField } from './search.ts';
import { createUser, createUserFields } from './user.ts';

/** The object behind `Query` and `Mutation`, whose fields have different names. */
export function createRoot(data: GraphqlData): object {
  const repositories = createRepositoryFields(data);

  const site = {
    __typename: 'Site',
    id: globalId('Site', 'site'),
    siteID: 'codesearch',
    productVersion: data.productVersion,
    buildVersion: data.buildVersion,
    hasCodeIntelligence: true,
    viewerCanAdminister: (_: unknown, { viewer }: Work) => viewer.siteAdmin,
    latestSettings: null,
    settingsURL: null,
    settingsCascade: (_: unknown, work: Work) => settingsOf(work.viewer.userId),
  };

  /** The cascade of a user: no settings are kept. */
  function settingsOf(userId: number) {
    const user = data.users.userById(userId);
    return { subjects: user === undefined ? [site] : [site, createUser(user)], final: '{}' };
  }

  async function findNode(id: string, work: Work): Promise<object | undefined> {
    const { type, key = '' } = parseGlobalId(id) ?? {};
    if (type === 'Site') return id === site.id ? site : undefined;
    if (type === 'Repository') return repositories.findById(id, work)?.object();
    if (type === 'User') {
      const user = data.users.userById(Number(key));
      return user === undefined ? undefined : createUser(user);
    }
    if (type === 'DeepSearchConversation') {
      const conversation = data.conversations.find(work.viewer.userId, Number(key));
      return conversation === undefined ? undefined : createConversation(conversation);
    }
    const context = repositories.findById(textOfKey(key, 'r') ?? '', work);
    const commit = textOfKey(key, 'c');
    const ref = textOfKey(key, 'v');
    if (context === undefined) return undefined;
    if (type === 'GitCommit' && commit !== undefined && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit)) {
      const known = await work.read(`commit ${context.repository.name} ${commit}`, () =>
        readCommit(context.repository, commit),
      );
      return known === undefined ? undefined : context.commit(commit, commit, known);
    }
    if (type === 'GitRef' && ref !== undefined && /^refs\/(?:heads|tags)\//.test(ref)) {
      const target = await resolve(context, ref, work);
      return target === undefined ? undefined : createRef(context, ref, target);
    }
    return undefined;
  }

  return {
    ...createUserFields(data),
    ...repositories.fields,
    node: async ({ id }: { id: string }, work: Work) => (await findNode(id, work)) ?? null,
    search: createSearchField(data, repositories),
    site,
    viewerSettings: (_: unknown, { viewer }: Work) => settingsOf(viewer.userId),
    async settingsSubject({ id }: { id: string }, work: Work) {
      const type = parseGlobalId(id)?.type;
      return type === 'Site' || type === 'User' ? ((await findNode(id, work)) ?? null) : null;
    },
    deepSearchQuotaUsage(_: unknown, { viewer }: Work) {
      const quota = data.quota(viewer.userId);
      if (quota === undefined) return null;
      return { limit: quota.limit, consumed: quota.used, resetTime: new Date(quota.resetMs).toISOString() };
    },
    externalAPI: { services: data.services.map((name) => ({ name })) },
    async setDeepSearchConversationStarred({ id, starred }: { id: string; starred: boolean }, { viewer }: Work) {
      const parsed = parseGlobalId(id);
      const number = Number(parsed?.type === 'DeepSearchConversation' ? parsed.key : id);
      if (!Number.isSafeInteger(number) || data.conversations.find(viewer.userId, number) === undefined) {
        throw fieldError('NOT_FOUND', 'There is no conversation with this id.');
      }
      return createConversation(await data.conversations.star(viewer.userId, number, starred));
    },
  };
}

function createConversation({ id, title, starred, createdMs, updatedMs, url }: StarredConversation) {
  return {
    __typename: 'DeepSearchConversation',
    id: globalId('DeepSearchConversation', id),
    databaseID: id,
    title: title ?? null,
    starred,
    createdAt: new Date(createdMs).toISOString(),
    updatedAt: new Date(updatedMs).toISOString(),
    url,
  };
}
