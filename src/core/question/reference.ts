/** Characters of the id; enough to find its lines in the log. */
const referenceLength = 9;

/** The beginning of a question's id, shown to people with a failure. Finds the question's lines in the log. */
export function referenceOf(questionId: string): string {
  return questionId.slice(0, referenceLength);
}
