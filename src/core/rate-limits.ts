/** At most `points` within each window of `windowSeconds` (a whole number). A window begins with its first point. */
export interface Allowance {
  points: number;
  windowSeconds: number;
  /** Extra points, with a separate window, for when the points of the window are used up. */
  burst?: Allowance;
}

export interface TakeOptions {
  /** How long to wait for a point. Default 0. Waiting callers get points in no fixed order. */
  patienceMs?: number;
  /** Points of a window that this caller leaves to more urgent callers. Default 0. */
  leaving?: number;
}

/** Counts points per key. Never throws. Answers within a bounded time, even if its store hangs. */
export interface Limiter {
  /** Takes a point. Returns 0 if it got one, otherwise the milliseconds until another try makes sense. */
  take(key: string, options?: TakeOptions): Promise<number>;
  /** Grants no points for `ms` (rounded up to seconds). Replaces what was counted or blocked before. */
  block(key: string, ms: number): Promise<void>;
}

/** Limiters with the same name and the same store share their counts. */
export type CreateLimiter = (name: string, allowance: Allowance) => Limiter;
