const timedOut = Symbol('timed out');

/**
 * Waits for `work`, at most `ms` milliseconds. After that, returns or throws what `late` returns or throws. The work
 * then continues, and its result or failure is ignored. If the work fails in time, throws the same error.
 */
export async function withTimeout<Result, Late>(
  work: Promise<Result>,
  ms: number,
  late: () => Late,
): Promise<Result | Late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(resolve, ms, timedOut);
  });
  try {
    const first = await Promise.race([work, timeout]);
    return first === timedOut ? late() : first;
  } finally {
    clearTimeout(timer);
  }
}

/** Like {@link withTimeout}, but returns undefined if the work takes longer. */
export function within<Result>(work: Promise<Result>, ms: number): Promise<Result | undefined> {
  return withTimeout(work, ms, () => undefined);
}

/** Begins `work`, unless it is under way: then callers share it, whatever they asked with. */
export function sharing<Asked extends unknown[], Result>(
  work: (...asked: Asked) => Promise<Result>,
): (...asked: Asked) => Promise<Result> {
  let running: Promise<Result> | undefined;
  return (...asked) => {
    running ??= work(...asked).finally(() => {
      running = undefined;
    });
    return running;
  };
}
