/** How long answers in this workspace usually take, in milliseconds. Nine in ten answers take at most `lateMs`. */
export interface Expectation {
  fromMs: number;
  toMs: number;
  lateMs: number;
}
