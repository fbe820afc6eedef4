import { randomBytes } from 'node:crypto';
import { BASE_MARK } from '../ask/finding.ts';

/** Marks text of repositories and people, so that a model can tell it from instructions. */
export interface Fence {
  /** Unguessable and used for one question only: no text that was written before can hold it. */
  id: string;
  /** The text between an opening and a closing mark. `kind` says what it is, in the service's own words. */
  wrap(kind: string, text: string): string;
}

export function createFence(id = randomBytes(12).toString('hex')): Fence {
  const code = new RegExp(id, 'gi');
  return {
    id,
    // Replaced, not removed: what stands around a removed code could form it again.
    wrap: (kind, text) => `<data-${id} kind="${kind}">\n${visible(text).replace(code, '…')}\n</data-${id}>`,
  };
}

/**
 * Without the service's own mark and without characters that a person does not see but a model reads: control and format
 * characters, tags and variation selectors beyond the usual ones, with which text can be hidden in files.
 */
function visible(text: string): string {
  return text
    .replaceAll(BASE_MARK, '')
    .replace(/[\p{Cc}\p{Cf}]|[\u{E0100}-\u{E01EF}]/gu, (sign) => (sign === '\n' || sign === '\t' ? sign : ''));
}
