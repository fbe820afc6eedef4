import type { ButtonResult } from '../../core/intake/find-question.ts';
import type { Requests } from '../../core/intake/requests.ts';
import type { Log } from '../../core/ports.ts';

export interface WithdrawDeps {
  requests: Pick<Requests, 'cancel'>;
  log: Log;
}

/** Cancels a question that was stored after its asker had been told that it was not taken. Never throws. */
export async function withdraw({ requests, log }: WithdrawDeps, late: ButtonResult, userId: string): Promise<void> {
  if (late.kind !== 'accepted') return;
  const { id, place } = late.question;
  try {
    await requests.cancel(id, { userId, teamId: place.teamId, channelId: place.channelId });
  } catch (error) {
    log.error({ event: 'late_question_not_withdrawn', questionId: id }, error);
  }
}
