import type { Conversations } from '../conversations/conversations.ts';
import type { Repository } from '../git/repository.ts';
import type { Corpus } from '../index/corpus.ts';
import type { Search } from '../query/search.ts';
import { type CodeAddress, parseCodeAddress } from './code-address.ts';
import { commitPage, commitsPage } from './commit-page.ts';
import { conversationByAddress, conversationsPage } from './conversation-pages.ts';
import { filePage, rawFile } from './file-page.ts';
import type { MarkdownRenderer } from './markdown.ts';
import type { Page, RawFile } from './page.ts';
import type { PageRequest } from './request.ts';
import { searchPage } from './search-page.ts';
import { startPage, treePage } from './tree-page.ts';

export interface PagesSetup {
  corpus: Corpus;
  conversations: Conversations;
  search: Search;
  markdown: MarkdownRenderer;
}

/**
 * The pages people read: repositories, code, search, conversations. Undefined for an unknown address, and
 * for a repository or conversation that the viewer may not read.
 */
export function createPages({ corpus, conversations, search, markdown }: PagesSetup) {
  return async (request: PageRequest): Promise<Page | RawFile | undefined> => {
    const [first, second] = request.segments;
    if (first === undefined) return startPage(request, corpus);
    if (first === 'search' && second === undefined) return searchPage(request, search);
    if (first === 'deepsearch' && second === undefined) return conversationsPage(request, conversations);
    if (first === 'deepsearch') return conversationByAddress(request, conversations, markdown);
    const names = corpus.repositories.map(({ name }) => name).filter((name) => request.viewer.canRead(name));
    const address = parseCodeAddress(request.segments, names);
    const repository = address === undefined ? undefined : corpus.repository(address.repository);
    if (address === undefined || repository === undefined) return undefined;
    return codePage(request, repository, address);
  };

  async function codePage(
    request: PageRequest,
    repository: Repository,
    address: CodeAddress,
  ): Promise<Page | RawFile | undefined> {
    switch (address.view) {
      case 'tree':
        return treePage(request, corpus, markdown, repository, address);
      case 'blob':
        return filePage(request, corpus, repository, address);
      case 'raw':
        return rawFile(corpus, repository, address);
      case 'commits':
        return commitsPage(request, repository, address);
      case 'commit':
        return commitPage(request, repository, address);
      default:
        return undefined;
    }
  }
}
