import type { Acceptance } from '../../core/intake/accept.ts';
import type { CancelResult } from '../../core/intake/cancel.ts';
import type { ReadersChoice } from '../../core/question/reader-choices.ts';
import { referenceOf } from '../../core/question/reference.ts';
import type { Notice } from '../../render/notices.ts';

/** The private notice for a question that was not taken; undefined when it was taken. */
export function noticeOfAcceptance(result: Acceptance, text: string): Notice | undefined {
  switch (result.kind) {
    case 'empty':
      return { kind: 'emptyQuestion' };
    case 'tooLong':
      return { kind: 'questionTooLong', text };
    case 'queueFull':
      return { kind: 'queueFull', limit: result.limit, reference: referenceOf(result.questionId) };
    case 'refused':
      return { kind: 'actionNotAllowed', reason: result.reason, reference: referenceOf(result.questionId) };
    case 'accepted':
    case 'duplicate':
      return undefined;
  }
}

/** The private notice for a cancel request that came too late or found nothing to cancel; undefined otherwise. */
export function noticeOfCancel(result: CancelResult): Notice | undefined {
  switch (result.kind) {
    case 'answered':
      return { kind: 'answeredBeforeCancel' };
    case 'nothing':
      return { kind: 'nothingToCancel' };
    case 'cancelling':
      return undefined;
  }
}

/** The private notice after the asker chose who sees the answer. An answer that is shown in its thread needs none. */
export function noticeOfChoice(choice: ReadersChoice, channelId: string): Notice {
  switch (choice) {
    case 'here':
      return { kind: 'shownHere', channelId };
    case 'always':
      return { kind: 'alwaysShown', channelId };
    case 'onlyMe':
      return { kind: 'shownPrivately' };
  }
}
