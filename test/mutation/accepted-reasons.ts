/** Mutants of one line that no test catches, and the reason why no test is needed. */
export interface AcceptedSurvivors {
  file: string;
  /** The original line, trimmed, and its mutated forms: the `-` and `+` lines of the report. */
  line: string;
  becomes: readonly string[];
  reason: string;
}

/** Reasons that apply to more than one area. */
export const neverComes = 'Never comes: it is there for the compiler, or for what a caller has settled before.';
export const sameResult = 'Changes nothing: what it leads to is the same.';
export const likeNothing =
  'Changes nothing: what stands for a missing text is compared with words it is as unlike as before.';
