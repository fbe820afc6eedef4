import { directoryPath, repositoryPath } from '../../addresses.ts';
import { blameAuthors, type Commit, countAuthors } from '../../index/commits.ts';
import { atOrBefore } from '../commit-lines.ts';
import { type Asked, type Draft, pointToCommit, saying } from '../draft.ts';
import { repositoryWords } from '../investigation.ts';
import { code, count, fileLink, joinWords, link, prose } from '../markdown.ts';

const MOST_COMMITS = 5_000;
const MOST_NAMED = 3;
const ASKS_FIRST = /\b(?:original\w*|first|created?|started?|founded|began|introduced)\b/i;

/** "Who wrote X", "who knows X": who made the commits to the path that matches, with counts. */
export async function who({ targets, passages, question, investigation }: Asked): Promise<Draft | undefined> {
  await investigation.step('Counting who made the commits');
  const [definition] = targets.names[0]?.definitions ?? [];
  const [directory] = targets.directories;
  const names = repositoryWords(investigation.corpus);
  const isOfAll = question.subjects.every(({ word, weight }) => weight < 0.5 || names.has(word));
  const passage = isOfAll ? undefined : passages[0];
  const file = targets.files[0] ?? definition?.file ?? (directory === undefined ? passage?.file : undefined);
  const repository = file?.repository ?? directory?.repository ?? investigation.corpus.repositories[0]?.name;
  if (repository === undefined) return undefined;
  const path = file?.path ?? directory?.path;
  const commits = await investigation.commitsOf(repository, MOST_COMMITS, {
    withoutMerges: true,
    ...(path === undefined ? {} : { path }),
  });
  const own = commits.filter(({ isBoundary }) => !isBoundary);
  const [newest] = own;
  const place =
    file !== undefined
      ? fileLink(file)
      : directory !== undefined
        ? link(`${directory.path}/`, directoryPath(repository, directory.path))
        : link(repository, repositoryPath(repository));
  const [boundary] = commits;
  if (newest === undefined) {
    return boundary === undefined ? undefined : saying('Who worked on it', `${place} came in ${atOrBefore(boundary)}.`);
  }
  const isChosen =
    file !== undefined && file === passage?.file && targets.files.length === 0 && definition === undefined;
  const by = authors(own);
  const lines =
    definition === undefined ? '' : await linesOf(definition.file, definition.symbol.line, definition.symbol.end);
  const about =
    definition === undefined || lines === '' ? '' : ` The lines of ${code(definition.symbol.name)} are by ${lines}.`;
  const oldest = own.at(-1);
  const first =
    oldest !== undefined && own.length < MOST_COMMITS && ASKS_FIRST.test(question.text)
      ? ` The first commit is by ${prose(oldest.author)}, on ${oldest.date}.`
      : '';
  const most = own.length >= MOST_COMMITS ? 'the last ' : '';
  return {
    title: `Who worked on ${path ?? repository}`,
    sentence: `Most commits to ${place}${isChosen ? ', the closest file,' : ''} are by ${by} of ${most}${count(own.length, 'commit')}.${first}${about}`,
    pointers: [pointToCommit(repository, newest)],
    followUps:
      path === undefined
        ? ['What changed recently?']
        : [`What changed last in \`${path}\`?`, ...(file === undefined ? [] : [`Which tests cover \`${path}\`?`])],
    symbols: definition === undefined ? [] : [definition.symbol.name],
    files: file === undefined ? [] : [file],
  };

  async function linesOf(own_: NonNullable<typeof file>, start: number, end: number): Promise<string> {
    const opened = investigation.corpus.repository(own_.repository);
    const found = opened === undefined ? [] : await blameAuthors(opened, own_, start, end);
    return joinWords(found.slice(0, MOST_NAMED).map(({ author, lines: amount }) => `${prose(author)} (${amount})`));
  }
}

/** "Ada (12), Grace (3) and Joan (1)". */
function authors(commits: readonly Commit[]): string {
  const counted = countAuthors(commits.map(({ author }) => author));
  return joinWords(counted.slice(0, MOST_NAMED).map(({ author, lines }) => `${prose(author)} (${lines})`));
}
