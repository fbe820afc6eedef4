import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { JournalFields } from '../core/ports.ts';

/** Seconds a question may take from being asked to its visible end. */
const durationBuckets = [1, 2, 5, 10, 20, 40, 60, 120, 300, 600, 900];

/** Prometheus metrics of one app, in a registry of its own. */
export function createMetrics(countOpen: () => Promise<number>) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const events = new Counter({
    name: 'deepsearch_slack_events_total',
    help: 'Things that happened, by event and outcome; the same names as in the log.',
    labelNames: ['event', 'outcome'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'deepsearch_slack_question_duration_seconds',
    help: 'Time from taking a question to its visible end, by how it ended.',
    labelNames: ['outcome'],
    buckets: durationBuckets,
    registers: [registry],
  });
  new Gauge({
    name: 'deepsearch_slack_open_questions',
    help: 'Questions taken that have not ended visibly yet.',
    registers: [registry],
    async collect() {
      // Without storage the number is unknown, which must not take the other metrics away.
      this.set(await countOpen().catch(() => Number.NaN));
    },
  });

  return { count, expose: (): Promise<string> => registry.metrics(), contentType: registry.contentType };

  function count({ event, outcome = '', durationMs }: JournalFields): void {
    events.inc({ event, outcome });
    if (event === 'question_closed' && durationMs !== undefined) durations.observe({ outcome }, durationMs / 1000);
  }
}
