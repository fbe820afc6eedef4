import { directoryPath, repositoryPath } from '../../addresses.ts';
import { countAuthors } from '../../index/commits.ts';
import { atOrBefore } from '../commit-lines.ts';
import { type Asked, type Draft, pointToCommit, saying } from '../draft.ts';
import { repositoryWords } from '../investigation.ts';
import { code, count, fileLink, joinWords, link, prose } from '../markdown.ts';

/** Asks back where several repositories could be meant, without their names: others may read a shared answer. */
function whichRepository({ corpus: { repositories } }: Asked['investigation']): Draft {
  return {
    ...saying('Which repository?', `I search ${repositories.length} repositories. Which one do you mean?`),
    isRefusal: true,
  };
}

const MOST_COMMITS = 5_000;
const MOST_NAMED = 3;
const ASKS_FIRST = /\b(?:original\w*|first|created?|started?|founded|began|introduced)\b/i;

/** "Who wrote X", "who knows X": who made the commits to the lines or the path that matches, with counts. */
export async function who({ targets, passages, question, investigation }: Asked): Promise<Draft | undefined> {
  await investigation.step('Counting who made the commits');
  const [definition] = targets.names[0]?.definitions ?? [];
  const [directory] = targets.directories;
  const names = repositoryWords(investigation.corpus);
  const isOfAll = question.subjects.every(({ word, weight }) => weight < 0.5 || names.has(word));
  const named = targets.files[0] ?? definition?.file;
  const file = named ?? (directory === undefined && !isOfAll ? passages[0]?.file : undefined);
  if (file === undefined && directory === undefined && investigation.corpus.repositories.length > 1)
    return whichRepository(investigation);
  const repository = file?.repository ?? directory?.repository ?? investigation.corpus.repositories[0]?.name;
  if (repository === undefined) return undefined;
  const path = file?.path ?? directory?.path;
  // Staged lines have no commit.
  const lines = targets.files.length > 0 || file?.commit === undefined ? undefined : definition?.symbol;
  const commits = await investigation.commitsOf(repository, MOST_COMMITS, {
    withoutMerges: true,
    ...(path === undefined ? {} : { path }),
    ...(lines === undefined || file?.commit === undefined
      ? {}
      : { revision: file.commit, lines: { start: lines.line, end: lines.end } }),
  });
  const place =
    file !== undefined
      ? `${lines === undefined ? '' : `${code(lines.name)}, `}${fileLink(file, lines?.line, lines?.end)}`
      : directory !== undefined
        ? link(`${directory.path}/`, directoryPath(repository, directory.path))
        : link(repository, repositoryPath(repository));
  const own = commits.filter(({ isBoundary }) => !isBoundary);
  const [newest] = own;
  const [boundary] = commits;
  if (newest === undefined) {
    return boundary === undefined ? undefined : saying('Who worked on it', `${place} came in ${atOrBefore(boundary)}.`);
  }
  const by = countAuthors(own).slice(0, MOST_NAMED);
  const oldest = own.length < MOST_COMMITS && ASKS_FIRST.test(question.text) ? own.at(-1) : undefined;
  const before = commits.some(({ isBoundary }) => isBoundary)
    ? ' This clone has no older history.'
    : oldest === undefined
      ? ''
      : ` The first commit is by ${prose(oldest.author)}, on ${oldest.date}.`;
  const closest = named === undefined && file !== undefined ? ', the closest file,' : '';
  return {
    title: `Who worked on ${lines?.name ?? path ?? repository}`,
    sentence: `Most commits to ${place}${closest} are by ${joinWords(by.map(([author, amount]) => `${prose(author)} (${amount})`))} of ${own.length < MOST_COMMITS ? '' : 'the last '}${count(own.length, 'commit')}.${before}`,
    pointers: [pointToCommit(repository, newest)],
    followUps: path === undefined ? ['What changed recently?'] : [`What changed last in \`${path}\`?`],
    symbols: lines === undefined ? [] : [lines.name],
    files: file === undefined ? [] : [file],
  };
}
