/** A mutant that no test catches, with the reason why none should. */
export interface AcceptedSurvivor {
  file: string;
  /** The code that is changed, and what it is changed to, as the report shows them. */
  original: string;
  replacement: string;
  reason: string;
}

export const acceptedSurvivors: readonly AcceptedSurvivor[] = [];
