import type { Say } from './say.ts';
import { inertMrkdwn, mrkdwnLink, oneLine } from './text.ts';

/** The contact that the operator set for people with a problem. */
type Contact = { kind: 'person' | 'group' | 'channel'; id: string } | { kind: 'words'; words: string };

const kinds = { U: 'person', W: 'person', S: 'group', C: 'channel', G: 'channel' } as const;

/**
 * Slack's ids: a digit follows the letter, or the letter is followed by at least eight characters with a digit among
 * them. Ordinary words don't look like this.
 */
const idPattern = /^[CGSUW](?:\d[A-Z0-9]{2,}|(?=[A-Z]*\d)[A-Z0-9]{8,})$/;

/**
 * The contact for a message that one person reads. A mention notifies no one there, so ids become mentions. `contact`
 * is the operator's setting: an id of a person (`U…`, `W…`), a user group (`S…`) or a channel (`C…`, `G…`); otherwise
 * words.
 */
export function privateContact(contact: string | undefined): string | undefined {
  return contact === undefined ? undefined : mention(readContact(contact));
}

/**
 * The contact for a message that a channel reads. A mention there would notify the person with each failure, so a
 * person becomes a link to their profile, if the workspace's address is known. Every way to name a user group notifies
 * its members, so a group is left out.
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

/** The contact for places where Slack shows no mentions, such as errors in forms. Ids are left out. */
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
