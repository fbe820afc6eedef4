import type { ButtonResult } from '../../core/intake/find-question.ts';
import type { Requests } from '../../core/intake/requests.ts';
import type { Log } from '../../core/ports.ts';

export interface WithdrawDeps {
  requests: Pick<Requests, 'withdraw'>;
  log: Log;
}

/** Withdraws a question that was accepted after its asker had been told that it was not taken. Never throws. */
export async function withdraw({ requests, log }: WithdrawDeps, late: ButtonResult): Promise<void> {
  if (late.kind !== 'accepted') return;
  try {
    await requests.withdraw(late.question);
  } catch (error) {
    log.error({ event: 'late_question_not_withdrawn', questionId: late.question.id }, error);
  }
}
