import type { ConfirmedAudience } from './question/confirmed-audience.ts';
import type { Place, Refusal } from './question/question.ts';

/** Whether a person may ask in a place. */
export type Admission =
  /** `isHidden`: the app is not a member, so Slack hides the place from it, and the app posts nothing there. */
  { may: true; locale?: string; isHidden?: true } | { may: false; reason: Refusal; locale?: string };

/**
 * Decides who may ask. Throws `AppError` if another try may help later. If Slack cannot say, the person may not ask.
 */
export interface AccessPolicy {
  /**
   * `confirmed`: the asker saw these readers and agreed. Any other reader is a reason to refuse. `sinceMs`: what Slack said
   * before this time does not count.
   */
  admit(
    userId: string,
    place: Place,
    options?: { confirmed?: ConfirmedAudience | undefined; sinceMs?: number },
  ): Promise<Admission>;
}

/** Checks that the readers of a place may see what is posted there now. Throws `AppError` if not. */
export type Confirm = () => Promise<void>;
