/** At most `points` within each window of `windowSeconds`, a whole number; a window begins with its first point. */
export interface Allowance {
  points: number;
  windowSeconds: number;
  /** Points granted on top while the window's own are used up, in a window of their own. */
  burst?: Allowance;
}

export interface TakeOptions {
  /** How long to wait for a point; default 0. Waiters are not served in order. */
  patienceMs?: number;
  /** Points of a window that this taker leaves to more urgent ones; default 0. */
  leaving?: number;
}

/** Counts what passes, per key. Never throws, and answers within a bounded time whatever its store does. */
export interface Limiter {
  /** Takes a point: 0 when it got one, otherwise the milliseconds after which asking again makes sense. */
  take(key: string, options?: TakeOptions): Promise<number>;
  /** Lets nothing pass for so long (rounded up to seconds), in place of what was counted or blocked before. */
  block(key: string, ms: number): Promise<void>;
}

/** Limiters of the same name, over the same store, count together. */
export type CreateLimiter = (name: string, allowance: Allowance) => Limiter;
