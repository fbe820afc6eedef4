import { isInThread, type Question } from '../question/question.ts';
import { atOnce, type Standing } from './decide.ts';
import type { LifecyclePorts } from './lifecycle-ports.ts';
import { isCardShown, saysWorking } from './shown-steps.ts';
import { readPositionInQueue } from './thread-queue.ts';

/** Creates `readStanding`: reads what a question may have to wait for, and what its card may show. Changes nothing. */
export function createReadStanding(
  ports: Pick<LifecyclePorts, 'runSlots' | 'threads' | 'questions'>,
  {
    isAccountBack: readAccountBack,
    isCrowded,
  }: {
    isAccountBack: (question: Question) => Promise<boolean | undefined>;
    isCrowded: (question: Question) => Promise<boolean>;
  },
): (question: Question) => Promise<Standing> {
  return async function readStanding(question) {
    const { phase, place } = question;
    if (phase !== 'waiting' && phase !== 'parked' && phase !== 'running') return atOnce;
    const isAccountBack = await readAccountBack(question);
    const mayBegin = phase === 'running' && isCardShown(question) && !saysWorking(question);
    const about = {
      ...(isAccountBack === undefined ? {} : { isAccountBack }),
      ...(mayBegin ? { isCrowded: await isCrowded(question) } : {}),
    };
    if (!isInThread(place)) return { ...atOnce, ...about, positionInQueue: -1 };
    const position = { ...about, ...(await readPositionInQueue(ports, question.id, place)) };
    const needsSlot = phase === 'waiting' && position.positionInQueue === 0;
    return { ...position, slot: needsSlot ? await ports.runSlots.readSlot(question) : atOnce.slot };
  };
}
