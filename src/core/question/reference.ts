/** Characters of the id. Enough to find its lines in the log. */
const referenceLength = 9;

/**
 * The beginning of a question's id. Failures show it, so that the operator can find the question's lines in the log.
 */
export function referenceOf(questionId: string): string {
  return questionId.slice(0, referenceLength);
}
