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
   * `confirmed`: the ids of guests whom the asker was shown as readers, and agreed. Any other reader who is no member is a
   * reason to refuse. `sinceMs`: what Slack said before this time does not count.
   */
  admit(
    userId: string,
    place: Place,
    options?: { confirmed?: readonly string[]; sinceMs?: number },
  ): Promise<Admission>;
}

/** Checks that the readers of a place may see what is posted there now. Throws `AppError` if not. */
export type Confirm = () => Promise<void>;
