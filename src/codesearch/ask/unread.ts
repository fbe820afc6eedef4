import type { IndexView } from '../index/file-index.ts';

type Counts = Pick<IndexView, 'size' | 'unread'>;

/** The files that a claim about "all files" may speak of: those that are read. */
export function searchedFiles(index: Counts): string {
  const unread = index.unread();
  return unread === 0 ? countFiles(index.size()) : `${countFiles(index.size() - unread)} read so far`;
}

/** That an answer does not come from all files, while the service still reads them; empty when it does. */
export function saysUnread(index: Counts): string {
  const unread = index.unread();
  return unread === 0
    ? ''
    : `${unread} of ${countFiles(index.size())} are not read yet, so this may lack something. Ask again in a few minutes.`;
}

function countFiles(amount: number): string {
  return `${amount} ${amount === 1 ? 'file' : 'files'}`;
}
