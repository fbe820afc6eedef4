import { createHash } from 'node:crypto';

/** A digest of a key as 24 hexadecimal digits. Every process gets the same digest. */
export function shortDigest(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}
