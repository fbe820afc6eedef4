import { type Commit, log } from '../git/commits.ts';
import { LIMITS } from '../limits.ts';
import { rangesOf } from './content.ts';
import { commitMatch, searchDiffs } from './diffs.ts';
import type { Place } from './files.ts';
import type { PlannedBranch } from './plan.ts';
import { evaluate, passes, type Run, shownPatterns } from './run.ts';

/** Searches messages (`type:commit`) or changes (`type:diff`) of the commits that a revision reaches, newest first. */
export async function searchCommits(
  place: Place,
  branch: PlannedBranch,
  type: 'commit' | 'diff',
  side: 'added' | 'removed' | undefined,
  run: Run,
): Promise<void> {
  if (place.commit === '') return;
  const most = type === 'commit' ? LIMITS.commitsSearched : LIMITS.diffsSearched;
  const first = type === 'commit' ? LIMITS.commitsPerSearchPage : LIMITS.diffsPerSearchPage;
  let searched = 0;
  let after: string | undefined;
  do {
    const page = await log(place.repository, {
      revision: place.commit,
      first,
      after,
      committedAfter: branch.after[0],
      committedBefore: branch.before[0],
    });
    if (page === undefined) return;
    const chosen: Commit[] = [];
    for (const commit of page.commits) {
      await run.pause();
      if (hasFields(commit, branch)) chosen.push(commit);
    }
    if (type === 'diff') await searchDiffs(place, chosen, branch, side, run);
    else for (const commit of chosen) await addMessage(place, commit, branch, run);
    searched += page.commits.length;
    after = page.hasNextPage ? page.endCursor : undefined;
  } while (after !== undefined && searched < most);
  if (after !== undefined) run.limitHit = true;
}

function hasFields({ author, committer, message }: Commit, branch: PlannedBranch): boolean {
  return (
    passes(branch.author, `${author.name} <${author.email}>`) &&
    passes(branch.committer, `${committer.name} <${committer.email}>`) &&
    passes(branch.message, message)
  );
}

async function addMessage(place: Place, commit: Commit, branch: PlannedBranch, run: Run): Promise<void> {
  const { expression, patterns } = branch;
  const holds = (index: number): boolean => patterns[index]?.test(commit.message) === true;
  if (expression !== undefined && !evaluate(expression, holds)) return;
  const shown = shownPatterns(expression, patterns);
  const highlights: { line: number; character: number; length: number }[] = [];
  for (const [line, text] of commit.message.split('\n').entries()) {
    for (const { start, length } of await rangesOf(shown, text, run))
      highlights.push({ line, character: start, length });
  }
  await run.add(commitMatch(place, commit, { messagePreview: { content: commit.message, highlights } }));
}
