import { ConversationError } from '../conversations/conversation-error.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { ConversationRecord } from '../conversations/records.ts';
import type { GraphqlData, StarredConversation } from './data.ts';
import { createGraphql, type Graphql } from './graphql.ts';
import { toExpectedError } from './objects/failures.ts';
import { createRoot } from './objects/query.ts';
import { createFieldResolver } from './resolve-field.ts';
import { createSchema } from './schema/schema.ts';
import { DEFAULT_RATE_LIMITS, type RateLimits } from './site-configuration.ts';

export interface GraphqlServiceSetup extends Pick<GraphqlData, 'repositories' | 'search' | 'users' | 'services'> {
  conversations: Pick<Conversations, 'get' | 'star' | 'quotaOf'>;
  /** Address of the service, without a slash at the end. */
  baseUrl: () => string;
  version: string;
  /** Default: those of the site configuration's documentation. */
  limits?: RateLimits | undefined;
  /** Milliseconds for one request; default `LIMITS.graphqlDeadlineMs`. */
  deadlineMs?: number | undefined;
  startedMs: number;
  onProblem: (error: unknown) => void;
}

/** The GraphQL API over the parts of the service. */
export function createGraphqlService(setup: GraphqlServiceSetup): Graphql {
  const { conversations, baseUrl, version, onProblem } = setup;

  const toStarred = (record: ConversationRecord): StarredConversation => ({
    id: record.id,
    title: record.questions[0]?.title,
    starred: record.starred ?? false,
    createdMs: record.createdMs,
    updatedMs: record.updatedMs,
    url: `${baseUrl()}/deepsearch/${record.readToken}`,
  });

  const root = createRoot({
    ...setup,
    productVersion: version,
    buildVersion: version,
    quota(userId) {
      const { limit, used, resetMs } = conversations.quotaOf(userId);
      return limit < 0 ? undefined : { limit, used, resetMs };
    },
    conversations: {
      find(userId, id) {
        try {
          return toStarred(conversations.get(userId, id));
        } catch (error) {
          if (error instanceof ConversationError && error.kind === 'notFound') return undefined;
          throw error;
        }
      },
      star: async (userId, id, starred) => toStarred(await conversations.star(userId, id, starred)),
    },
  });
  return createGraphql({
    schema: createSchema(),
    root,
    fieldResolver: createFieldResolver(toExpectedError, onProblem),
    limits: setup.limits ?? DEFAULT_RATE_LIMITS,
    deadlineMs: setup.deadlineMs,
  });
}
