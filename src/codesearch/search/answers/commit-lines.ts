import { firstSentence } from '../blocks.ts';
import type { Commit } from '../commits.ts';
import { commitPath, link, prose } from './markdown.ts';

/** A short, linked name of a commit. */
export function commitLink(repository: string, { id }: Commit): string {
  return link(id.slice(0, 8), commitPath(repository, id));
}

/** A commit as a bullet: when, who, what, and where the message says it, why. */
export function commitLine(repository: string, commit: Commit): string {
  const why = reasonOf(commit);
  return `${commitLink(repository, commit)} ${commit.date}, ${prose(commit.author)}: ${prose(commit.subject)}${why === '' ? '' : `. ${prose(why)}`}`;
}

/** The first sentence of a message's body that is words and no trailer. */
export function reasonOf({ body }: Commit): string {
  const paragraph = body
    .split(/\n\s*\n/)
    .find((part) => part.trim() !== '' && !/^[\w-]+:\s|^(?:\*|-|#|<|```)/.test(part.trim()));
  const sentence = paragraph === undefined ? '' : firstSentence(paragraph, 240);
  return sentence.length < 25 || /^(?:fix(?:es)?|close[sd]?|refs?|see)\s+#/i.test(sentence) ? '' : sentence;
}
