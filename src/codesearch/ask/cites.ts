import { repositoryPath } from '../addresses.ts';
import { BASE_MARK, type SourceRecord } from './finding.ts';

/** Whether an answer or its sources link to a repository or to something in it. */
export function cites(
  { answer = '', sources = [] }: { answer?: string; sources?: readonly SourceRecord[] },
  repository: string,
): boolean {
  const path = repositoryPath(repository);
  const links = [...sources.map(({ link }) => link), ...answer.split(BASE_MARK).slice(1)];
  return links.some((link) => link === path || ['/-/', '@', ')'].some((next) => link.startsWith(`${path}${next}`)));
}
