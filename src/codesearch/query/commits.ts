import { type Commit, log } from '../git/commits.ts';
import { LIMITS } from '../limits.ts';
import { rangesOf } from './content.ts';
import type { Place } from './files.ts';
import type { PlannedBranch } from './plan.ts';
import { evaluate, passes, type Run, shownPatterns } from './run.ts';

/** Searches the messages of the commits that a revision reaches, newest first. */
export async function searchCommits(place: Place, branch: PlannedBranch, run: Run): Promise<void> {
  if (place.commit === '') return;
  let searched = 0;
  let after: string | undefined;
  do {
    const page = await log(place.repository, {
      revision: place.commit,
      first: LIMITS.commitsPerSearchPage,
      after,
      committedAfter: branch.after,
      committedBefore: branch.before,
    });
    if (page === undefined) return;
    for (const commit of page.commits) {
      await run.pause();
      if (isFound(commit, branch)) await addCommit(place, commit, branch, run);
    }
    searched += page.commits.length;
    after = page.hasNextPage ? page.endCursor : undefined;
  } while (after !== undefined && searched < LIMITS.commitsSearched);
  if (after !== undefined) run.limitHit = true;
}

function isFound({ author, committer, message }: Commit, branch: PlannedBranch): boolean {
  const { expression, patterns } = branch;
  return (
    passes(branch.author, `${author.name} <${author.email}>`) &&
    passes(branch.committer, `${committer.name} <${committer.email}>`) &&
    passes(branch.message, message) &&
    (expression === undefined || evaluate(expression, (index) => patterns[index]?.test(message) === true))
  );
}

async function addCommit(
  { repository }: Place,
  { oid, message, author, committer }: Commit,
  { expression, patterns }: PlannedBranch,
  run: Run,
): Promise<void> {
  const shown = shownPatterns(expression, patterns);
  const highlights: { line: number; character: number; length: number }[] = [];
  for (const [line, text] of message.split('\n').entries()) {
    for (const { start, length } of await rangesOf(shown, text, run))
      highlights.push({ line, character: start, length });
  }
  await run.add({ kind: 'commit', repository: repository.name, commit: oid, message, author, committer, highlights });
}
