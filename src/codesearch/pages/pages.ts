import type { ConversationRecord } from '../conversations/records.ts';
import type { Corpus } from '../search/corpus.ts';
import { commitPage, filePage, startPage, treePage } from './code-pages.ts';
import { conversationPage } from './conversation-page.ts';
import type { Page } from './page.ts';

/**
 * The pages people open from links: files, folders, commits, conversations. They need no access token: the service
 * listens on 127.0.0.1, and a conversation needs its secret read token. Returns undefined for an unknown address.
 */
export function createPages(corpus: Corpus, byReadToken: (token: string) => ConversationRecord | undefined) {
  return async (segments: readonly string[], search: string): Promise<Page | undefined> => {
    if (segments.length === 0) return startPage(corpus);
    if (segments[0] === 'deepsearch' && segments.length === 2) {
      const conversation = byReadToken(segments[1] ?? '');
      return conversation === undefined ? undefined : conversationPage(conversation);
    }
    for (const repository of corpus.repositories) {
      const own = repository.name.split('/');
      if (!own.every((part, index) => segments[index] === part)) continue;
      const [dash, kind, ...rest] = segments.slice(own.length);
      if (dash === undefined) return treePage(corpus, repository, '');
      if (dash !== '-') continue;
      if (kind === 'blob') return filePage(corpus, repository, rest.join('/'), search);
      if (kind === 'tree') return treePage(corpus, repository, rest.join('/'));
      if (kind === 'commit' && rest.length === 1) return commitPage(repository, rest[0] ?? '');
    }
    return undefined;
  };
}
