import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock, LogFields } from '../core/ports.ts';
import type { FarSide } from './health.ts';
import { type Dependency, isUsable } from './http-server.ts';

/** How long one computed page answers all scrapes, because counting open questions reads the storage. */
const keptMs = 1_000;

const unknownCounts = { delayed: Number.NaN, waiting: Number.NaN, active: Number.NaN };

/** Histogram buckets: seconds from a question to its visible end. */
const durationBuckets = [1, 2, 5, 10, 20, 40, 60, 120, 300, 600, 900];

let processMetrics: Registry | undefined;

/** What prom-client measures of the process. It cannot be ended; so a process begins it once, however many apps it starts. */
function ofProcess(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return processMetrics;
}

/** Prometheus metrics of one app, in a separate registry. Metrics that are functions are read at each scrape. */
export function createMetrics({
  countOpen,
  countRuns,
  dependencies,
  farSides,
  generation,
  now,
}: {
  countOpen: () => Promise<number>;
  /** Runs of questions, by their state. */
  countRuns: () => Promise<Record<'delayed' | 'waiting' | 'active', number>>;
  dependencies: () => Dependency[];
  farSides: () => FarSide[];
  /** Which generation of the service's API is used. Undefined before the start. */
  generation: () => number | undefined;
  now: Clock;
}) {
  const registry = Registry.merge([ofProcess()]);
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
      // Without storage the number is unknown. The other metrics must still be shown.
      this.set(await countOpen().catch(() => Number.NaN));
    },
  });
  new Gauge({
    name: 'deepsearch_slack_runs',
    help: 'Questions with a run that is not due yet (delayed), due and not begun (waiting), or in progress (active).',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const counts = await countRuns().catch(() => unknownCounts);
      for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
    },
  });
  new Gauge({
    name: 'deepsearch_slack_ready',
    help: '1 while this copy can use what it needs to take questions, as on /readyz; 0 while it can not.',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      const states = dependencies().map(async ({ name, check }) => [name, await isUsable(check)] as const);
      for (const [dependency, usable] of await Promise.all(states)) this.set({ dependency }, Number(usable));
    },
  });
  new Gauge({
    name: 'deepsearch_slack_access',
    help: "1 while the target takes the app's token, 0 from a refusal until the token is taken again.",
    labelNames: ['target'],
    registers: [registry],
    async collect() {
      for (const { target, state } of await latestStates()) this.set({ target }, state === 'refused' ? 0 : 1);
    },
  });
  new Gauge({
    name: 'deepsearch_slack_reachable',
    help: '1 while calls of the target get a proper reply, a refusal included; 0 while they do not.',
    labelNames: ['target'],
    registers: [registry],
    async collect() {
      for (const { target, state } of await latestStates()) {
        this.set({ target }, state === 'fine' || state === 'refused' ? 1 : 0);
      }
    },
  });
  new Gauge({
    name: 'deepsearch_slack_api_used',
    help: '1 for the generation of the API that calls of the service use, 0 for the other one.',
    labelNames: ['generation'],
    registers: [registry],
    collect() {
      const used = generation();
      if (used === undefined) return;
      for (const each of [1, 2]) this.set({ generation: each }, Number(each === used));
    },
  });

  let latest: Promise<string> | undefined;
  let expiresMs = 0;

  return { count, expose, contentType: registry.contentType };

  /** The text of all metrics. Computes one page at a time, and reuses it for a second. */
  function expose(): Promise<string> {
    if (latest === undefined || now() >= expiresMs) {
      expiresMs = Number.POSITIVE_INFINITY;
      latest = registry.metrics().finally(() => {
        expiresMs = now() + keptMs;
      });
    }
    return latest;
  }

  function latestStates() {
    return Promise.all(farSides().map(async ({ target, state }) => ({ target, state: await state() })));
  }

  function count({ event, outcome = '', durationMs }: LogFields): void {
    events.inc({ event, outcome });
    if (event === 'question_closed' && durationMs !== undefined) durations.observe({ outcome }, durationMs / 1000);
  }
}
