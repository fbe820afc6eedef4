import { isInThread, type Question } from '../question/question.ts';
import type { Slot } from '../run-slots.ts';
import { atOnce, type Standing } from './decide.ts';
import type { LifecyclePorts } from './lifecycle-ports.ts';
import { isCardShown, saysWorking } from './shown-steps.ts';
import { readPositionInQueue } from './thread-queue.ts';

/**
 * Creates what begins a run: returns `readStanding`, which reads what the question may have to wait for, and what its card
 * may show. Changes nothing. A slot that the run found granted is not read again: only the question gives it back.
 */
export function createReadStanding(
  ports: Pick<LifecyclePorts, 'runSlots' | 'threads' | 'questions'>,
  {
    isAccountBack: readAccountBack,
    isCrowded,
  }: {
    isAccountBack: (question: Question) => Promise<boolean | undefined>;
    isCrowded: (question: Question) => Promise<boolean>;
  },
): () => (question: Question) => Promise<Standing> {
  return () => {
    let granted: Slot | undefined;
    return async function readStanding(question) {
      const { phase, place } = question;
      if (phase !== 'waiting') granted = undefined;
      if (phase !== 'waiting' && phase !== 'parked' && phase !== 'running') return atOnce;
      const isAccountBack = await readAccountBack(question);
      const mayBegin = phase === 'running' && isCardShown(question) && !saysWorking(question);
      const about = {
        ...(isAccountBack === undefined ? {} : { isAccountBack }),
        ...(mayBegin ? { isCrowded: await isCrowded(question) } : {}),
      };
      if (!isInThread(place)) return { ...atOnce, ...about, positionInQueue: -1 };
      const position = { ...about, ...(await readPositionInQueue(ports, question.id, place)) };
      // No slot is taken before the admission.
      const needsSlot = phase === 'waiting' && position.positionInQueue === 0 && question.admittedMs !== undefined;
      if (!needsSlot) return { ...position, slot: atOnce.slot };
      const slot = granted ?? (await ports.runSlots.readSlot(question));
      if (slot?.granted === true) granted = slot;
      return { ...position, slot };
    };
  };
}
