import type { Accounts } from '../accounts/store.ts';
import type { Repository } from '../git/repository.ts';
import type { Search } from '../query/search.ts';

/** A conversation as GraphQL shows it; times are epoch milliseconds. */
export interface StarredConversation {
  id: number;
  title: string | undefined;
  starred: boolean;
  createdMs: number;
  updatedMs: number;
  /** Address of its page. */
  url: string;
}

/** What the schema shows, as the other folders of the service offer it. */
export interface GraphqlData {
  repositories: readonly Repository[];
  search: Search;
  users: Pick<Accounts, 'userById' | 'userByName' | 'users'>;
  /** The quota of a user; undefined without a limit. */
  quota(userId: number): { limit: number; used: number; resetMs: number } | undefined;
  conversations: {
    /** Undefined when the user has no such conversation. */
    find(userId: number, id: number): StarredConversation | undefined;
    star(userId: number, id: number, starred: boolean): Promise<StarredConversation>;
  };
  /** Names of the services beside GraphQL. */
  services: readonly string[];
  /** The version that the service speaks like. */
  productVersion: string;
  buildVersion: string;
  startedMs: number;
}
