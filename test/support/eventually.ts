const INTERVAL_MS = 10;

/** Repeats `assertion` until it passes and returns its value; throws its last failure after `timeoutMs`. */
export async function eventually<T>(
  assertion: () => T | Promise<T>,
  options: { timeoutMs?: number } = {},
): Promise<Awaited<T>> {
  const deadlineMs = performance.now() + (options.timeoutMs ?? 60_000);
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() >= deadlineMs) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
  }
}
