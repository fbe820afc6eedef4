/** Enough of an id to find its lines in the log. */
const referenceLength = 9;

/** The short form of a question's id that people see of a failure: the log lines of the question begin with it. */
export function referenceOf(questionId: string): string {
  return questionId.slice(0, referenceLength);
}
