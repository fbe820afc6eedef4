import type { ThreadStore } from '../../core/ports.ts';
import { newThread, type ThreadPlace } from '../../core/question/question.ts';

/** Says whether plain replies in a thread that follows them are left alone; saying it again changes nothing. */
export async function setMuted(
  threads: Pick<ThreadStore, 'update'>,
  place: ThreadPlace,
  muted: boolean,
): Promise<void> {
  await threads.update(place, (stored = newThread(place, true)) =>
    (stored.muted === true) === muted ? stored : { ...stored, muted },
  );
}
