/** A problem the person at the terminal can fix; only its message is shown. */
export class DemoProblem extends Error {
  override readonly name = 'DemoProblem';
}
