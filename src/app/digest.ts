import { createHash } from 'node:crypto';

/** Names a key by 24 hexadecimal digits: the same ones each time, and in each process. */
export function shortDigest(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 24);
}
