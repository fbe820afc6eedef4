import type { Say } from './say.ts';
import { inertCut } from './text.ts';

/** Names repositories in mrkdwn, in at most about `room` characters. Says how many others there are, of `total`. */
export function namesOf(
  repositories: readonly string[],
  room: number,
  { words }: Say,
  total = repositories.length,
): string {
  const shown: string[] = [];
  let length = 0;
  for (const name of repositories) {
    const written = `\`${inertCut(name.replaceAll('`', "'"), Math.floor(room / 2))}\``;
    length += written.length + 2;
    if (length > room && shown.length > 0) break;
    shown.push(written);
  }
  const left = Math.max(total, repositories.length) - shown.length;
  return left === 0 ? shown.join(', ') : `${shown.join(', ')} ${words.andMore(left)}`;
}
