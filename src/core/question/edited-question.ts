/** A later version of a question's message. `wholeText`: the text including its leading verb "new". */
export interface EditedQuestion {
  text: string;
  atMs: number;
  wholeText?: string;
}
