import { joinOrBegin } from '../join-running.ts';
import { keepNewest } from '../keep-newest.ts';
import type { Question } from '../question/question.ts';
import { mostProgressCards, mostRunningCounts, runningCountFreshMs } from '../settings.ts';
import type { LifecyclePorts } from './lifecycle-ports.ts';

/** Knows when a workspace has more cards than Slack's limits let the app close within a minute. */
export interface Crowd {
  /**
   * Whether a card must not begin to say that its question is worked on. `isNow`: counts the running questions now.
   * Otherwise the count may be a second old.
   */
  isCrowded(question: Question, isNow: boolean): Promise<boolean>;
  /** Notes that the last edit of a card waits for room, so that no card begins to need one meanwhile. */
  closingWaits(question: Question, ms: number): void;
}

export function createCrowd({ runSlots, now }: Pick<LifecyclePorts, 'runSlots' | 'now'>): Crowd {
  const counts = new Map<string, { running: Promise<number>; atMs: number }>();
  const closingUntilMs = new Map<string, number>();

  return { isCrowded, closingWaits };

  async function isCrowded({ place: { teamId } }: Question, isNow: boolean): Promise<boolean> {
    if ((closingUntilMs.get(teamId) ?? 0) > now()) return true;
    return (await countOf(teamId, isNow)) > mostProgressCards;
  }

  function countOf(teamId: string, isNow: boolean): Promise<number> {
    if (isNow) return count(teamId);
    return joinOrBegin(
      () => freshCount(teamId),
      () => count(teamId),
    );
  }

  function freshCount(teamId: string): Promise<number> | undefined {
    const known = counts.get(teamId);
    return known !== undefined && now() - known.atMs < runningCountFreshMs ? known.running : undefined;
  }

  function count(teamId: string): Promise<number> {
    const running = runSlots.countRunning(teamId);
    running.catch(() => counts.delete(teamId));
    keepNewest(counts, teamId, { running, atMs: now() }, mostRunningCounts);
    return running;
  }

  function closingWaits({ place: { teamId } }: Question, ms: number): void {
    keepNewest(closingUntilMs, teamId, Math.max(closingUntilMs.get(teamId) ?? 0, now() + ms), mostRunningCounts);
  }
}
