/** Something the person at the terminal can put right: its message is all they are shown. */
export class DemoProblem extends Error {
  override readonly name = 'DemoProblem';
}
