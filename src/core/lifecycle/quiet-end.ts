import { isAppError } from '../errors.ts';
import { isInThread, type Question } from '../question/question.ts';
import { asClosed } from './as-closed.ts';
import { cancelAtService } from './at-service.ts';
import { changeQuestion, delist, type LifecyclePorts, type Progress, releaseSlot, wake } from './lifecycle-ports.ts';
import { leaveQueue } from './thread-queue.ts';

/**
 * Ends a question whose workspace removed the app: stops it at the service if it runs there, tells no one, and closes
 * it. Never calls Slack. One try, because the service ends the question by itself too. Safe to repeat after a crash at
 * any line.
 */
export async function endQuietly(ports: LifecyclePorts, question: Question): Promise<Progress> {
  await stopAtService(ports, question);
  if (isInThread(question.place)) {
    await wake(ports, await leaveQueue(ports.threads, question.id, question.place));
  }
  await releaseSlot(ports, question);
  const closed = await changeQuestion(ports, question, (stored) => {
    const { endsQuietlyMs: _ends, recheckMs: _recheck, mayHaveCopies: _copies, ...rest } = stored;
    const endedMs = rest.endedMs ?? ports.now();
    return asClosed({ ...rest, outcome: rest.outcome ?? { kind: 'cancelled' }, endedMs });
  });
  await delist(ports, question.id);
  ports.log.info({ event: 'question_ended_with_workspace', outcome: 'ok', questionId: question.id });
  return { question: closed };
}

async function stopAtService(ports: LifecyclePorts, question: Question): Promise<void> {
  if (question.upstream.askedMs === undefined || question.outcome !== undefined) return;
  try {
    await cancelAtService(ports, question);
  } catch (error) {
    if (!isAppError(error) || error.kind === 'storage') throw error;
    ports.log.warn({ event: 'not_cancelled_with_workspace', questionId: question.id, kind: error.kind }, error);
  }
}
