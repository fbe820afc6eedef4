/** Reads the samples without labels from Prometheus' text format. */
export async function readMetrics(metricsUrl: string): Promise<Record<string, number>> {
  const text = await (await fetch(metricsUrl)).text();
  const samples = text.split('\n').map((line) => /^([a-z_0-9]+) (\S+)$/.exec(line));
  return Object.fromEntries(samples.flatMap((sample) => (sample === null ? [] : [[sample[1], Number(sample[2])]])));
}
