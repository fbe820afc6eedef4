import type { Viewer } from '../accounts/viewer.ts';
import type { Conversations } from '../conversations/conversations.ts';
import type { Corpus } from '../search/corpus.ts';
import { commitPage, filePage, startPage, treePage } from './code-pages.ts';
import { conversationPage } from './conversation-page.ts';
import type { Page } from './html.ts';

/**
 * The pages people open from links: files, folders, commits, conversations. Returns undefined for an unknown address,
 * and for a conversation that this viewer may not read.
 */
export function createPages(corpus: Corpus, byReadToken: Conversations['byReadToken']) {
  return async (segments: readonly string[], search: string, viewer: Viewer): Promise<Page | undefined> => {
    if (segments.length === 0) return startPage(corpus);
    if (segments[0] === 'deepsearch' && segments.length === 2) {
      const shared = byReadToken(viewer, segments[1] ?? '');
      return shared && conversationPage(shared.conversation);
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
