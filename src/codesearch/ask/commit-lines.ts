import { commitPath } from '../addresses.ts';
import type { Commit } from '../index/commits.ts';
import { firstSentence } from './blocks.ts';
import { link, prose } from './markdown.ts';

/** A link to a commit, labeled with its short id. */
export function commitLink(repository: string, { id }: Commit): string {
  return link(id.slice(0, 8), commitPath(repository, id));
}

/** When something changed, if a shallow clone does not know the commit: "at or before 2024-05-01: this clone has …". */
export function atOrBefore({ date }: Pick<Commit, 'date'>): string {
  return `at or before ${date}: this clone has no older history`;
}

/** A commit as a bullet: when, who, what, and why if its message has a body. */
export function commitLine(repository: string, commit: Commit): string {
  if (commit.isBoundary) return `${commitLink(repository, commit)} ${atOrBefore(commit)}`;
  const why = reasonOf(commit);
  return `${commitLink(repository, commit)} ${commit.date}, ${prose(commit.author)}: ${prose(commit.subject)}${why === '' ? '' : `. ${prose(why)}`}`;
}

/** The first sentence of the message's body, without trailers. */
export function reasonOf({ body }: Commit): string {
  const paragraph = body
    .split(/\n\s*\n/)
    .find((part) => part.trim() !== '' && !/^[\w-]+:\s|^(?:\*|-|#|<|```)/.test(part.trim()));
  const sentence = paragraph === undefined ? '' : firstSentence(paragraph, 240);
  return sentence.length < 25 || /^(?:fix(?:es)?|close[sd]?|refs?|see)\s+#/i.test(sentence) ? '' : sentence;
}
