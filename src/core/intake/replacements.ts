import type { LifecyclePorts } from '../lifecycle/lifecycle-ports.ts';
import { replace } from '../lifecycle/replacing.ts';
import { replacedBy } from '../question/question.ts';

/** Lets a question cancel the one that it was asked instead of. */
export function createReplacements(
  ports: Pick<LifecyclePorts, 'questions' | 'scheduler' | 'observer' | 'log' | 'now'>,
) {
  return { replaceNow };

  /** Call this once the request is acknowledged. If the process dies before, the question does it by itself later. */
  async function replaceNow(questionId: string): Promise<void> {
    const question = await ports.questions.get(questionId);
    const replacedId = question === undefined ? undefined : replacedBy(question);
    if (question !== undefined && replacedId !== undefined) await replace(ports, question, replacedId);
  }
}
