import { mrkdwnLink } from './links.ts';
import type { Say } from './say.ts';
import { inertMrkdwn, oneLine } from './text.ts';

/** Whom the operator named for people to turn to. */
type Contact = { kind: 'person' | 'group' | 'channel'; id: string } | { kind: 'words'; words: string };

const kinds = { U: 'person', W: 'person', S: 'group', C: 'channel', G: 'channel' } as const;

/** Slack's ids: a digit follows the letter, or somewhere in at least eight more characters, which words do not look like. */
const idPattern = /^[CGSUW](?:\d[A-Z0-9]{2,}|(?=[A-Z]*\d)[A-Z0-9]{8,})$/;

/**
 * The contact as one reader sees it alone: a mention notifies no one there, so ids are mentions. `contact` is as the operator
 * wrote it: an id of a person (`U…`, `W…`), a user group (`S…`) or a channel (`C…`, `G…`); else words.
 */
export function privateContact(contact: string | undefined): string | undefined {
  return contact === undefined ? undefined : mention(readContact(contact));
}

/**
 * The contact as everyone in a channel sees it. A mention there would notify the person with each failure, so their profile
 * is linked, where the address of the workspace is known. Each form of a user group notifies its members: it is left out.
 */
export function publicContact(
  contact: string | undefined,
  say: Say,
  workspaceUrl: string | undefined,
): string | undefined {
  const known = contact === undefined ? undefined : readContact(contact);
  if (known === undefined || known.kind === 'group') return undefined;
  if (known.kind !== 'person') return mention(known);
  return workspaceUrl === undefined ? undefined : mrkdwnLink(`${workspaceUrl}team/${known.id}`, say.words.profile());
}

/** The contact where Slack reads no mentions, as in the errors of forms: ids are left out. */
export function plainContact(contact: string | undefined): string | undefined {
  const known = contact === undefined ? undefined : readContact(contact);
  return known?.kind === 'words' ? oneLine(known.words) : undefined;
}

function mention(contact: Contact): string {
  switch (contact.kind) {
    case 'person':
      return `<@${contact.id}>`;
    case 'group':
      return `<!subteam^${contact.id}>`;
    case 'channel':
      return `<#${contact.id}>`;
    case 'words':
      return inertMrkdwn(oneLine(contact.words));
  }
}

function readContact(written: string): Contact {
  const letter = idPattern.test(written) ? written[0] : undefined;
  return isLetter(letter) ? { kind: kinds[letter], id: written } : { kind: 'words', words: written };
}

function isLetter(letter: string | undefined): letter is keyof typeof kinds {
  return letter !== undefined && letter in kinds;
}
