/** Mutants of one line that no test catches, and the reason why no test is needed. */
export interface AcceptedSurvivors {
  file: string;
  /** The original line, trimmed, and its mutated forms: the `-` and `+` lines of the report. */
  line: string;
  becomes: readonly string[];
  reason: string;
}

/** Reasons that apply to more than one area. */
export const unreachable = 'Unreachable: the code exists for the compiler, or callers have already handled the case.';
export const sameResult = 'Changes nothing: the result is the same.';
export const matchesNothing =
  'Changes nothing: the value for a missing text is only compared with texts, and differs from all of them.';
