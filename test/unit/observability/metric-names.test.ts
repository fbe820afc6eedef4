import { beforeAll, describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/observability/metrics.ts';

interface Metric {
  name: string;
  type: string;
  help: string;
  labels: string[];
}

/** Gauges of the metrics library whose names end like those of counters. Nothing of ours may. */
const foreignTotals = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Units that are no base units (https://prometheus.io/docs/practices/naming/#base-units), and their abbreviations. */
const otherUnits =
  /_(?:milliseconds?|ms|microseconds?|minutes?|hours?|days?|sec|secs|kilobytes?|kb|megabytes?|mb|bits?|percent|percentage)(?:_|$)/;

let metrics: Metric[];
let page: string;

beforeAll(async () => {
  const created = createMetrics({
    countOpen: async () => 1,
    countRuns: async () => ({ delayed: 2, waiting: 1, active: 1 }),
    dependencies: () => [{ name: 'storage', check: async () => true }],
    farSides: () => [{ target: 'slack', state: async () => 'fine' }],
    generation: () => 1,
    now: () => 0,
  });
  created.count({ event: 'question_closed', outcome: 'answered', durationMs: 1_000 });
  page = await created.expose();
  const types = new Map([...page.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  metrics = [...page.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => ({
    name,
    help,
    type: types.get(name) ?? '',
    labels: labelsOf(name),
  }));
});

function labelsOf(metric: string): string[] {
  const series = page.matchAll(new RegExp(`^${metric}(?:_bucket|_sum|_count)?\\{(.*)\\} `, 'gm'));
  return [...series].flatMap(([, labels = '']) => [...labels.matchAll(/(\w+)="/g)].map(([, name = '']) => name));
}

/** Those without the prefixes that the metrics library uses for the process and for Node. */
const ours = (): Metric[] => metrics.filter(({ name }) => !/^(?:process|nodejs)_/.test(name));

describe('the names of the metrics', () => {
  it('begin with the name of the app, except those of the process and of Node', () => {
    expect(ours().length).toBeGreaterThan(6);
    expect(ours().filter(({ name }) => !/^deepsearch_slack_[a-z][a-z_]*[a-z]$/.test(name))).toEqual([]);
  });

  it('end in _total for counters and for nothing else', () => {
    const wrong = metrics.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'));
    expect(wrong.map(({ name }) => name).toSorted()).toEqual(foreignTotals);
  });

  it('have base units, and time in seconds', () => {
    expect(metrics.filter(({ name }) => otherUnits.test(name))).toEqual([]);
    const timed = ours().filter(({ type, help }) => type === 'histogram' || /\b(?:time|long|late)\b/i.test(help));
    expect(timed.filter(({ name }) => !name.endsWith('_seconds'))).toEqual([]);
  });

  it('do not repeat their type or the names of their labels', () => {
    const repeats = ours().filter(({ name, type, labels }) =>
      [type, ...labels.filter((label) => label !== 'le')].some((word) => name.split('_').includes(word)),
    );
    expect(repeats).toEqual([]);
  });

  it('have a help text that is a sentence', () => {
    expect(metrics.filter(({ help }) => help.trim() === '')).toEqual([]);
    expect(ours().filter(({ help }) => !/^[A-Z0-9].{20,}\.$/.test(help))).toEqual([]);
  });

  it('have labels in lower case, and none that Prometheus uses itself', () => {
    const labels = ours().flatMap(({ type, labels: all }) =>
      all.filter((label) => type !== 'histogram' || label !== 'le'),
    );
    expect(labels.filter((label) => !/^[a-z][a-z_]*$/.test(label))).toEqual([]);
    expect(labels.filter((label) => ['le', 'quantile', 'job', 'instance'].includes(label))).toEqual([]);
  });
});
