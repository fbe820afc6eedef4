import type { ThreadStore } from '../../core/ports.ts';
import { newThread, type ThreadPlace } from '../../core/question/question.ts';

/** Sets whether the app ignores plain replies in a thread. Setting the same value again changes nothing. */
export async function setMuted(
  threads: Pick<ThreadStore, 'update'>,
  place: ThreadPlace,
  muted: boolean,
): Promise<void> {
  await threads.update(place, (stored = newThread(place, true)) =>
    (stored.muted === true) === muted ? stored : { ...stored, muted },
  );
}
