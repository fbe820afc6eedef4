import { readdirSync, readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import type { Acceptance } from '../../../src/core/intake/accept.ts';
import type { Outcome } from '../../../src/core/question/question.ts';
import { createMetrics } from '../../../src/observability/metrics.ts';

/** A metric as an expression selects it, and the values of its labels that the expression names. */
interface Selector {
  metric: string;
  /** A value of a regular expression is one of its alternatives. */
  labels: { name: string; values: string[] }[];
}

interface Expression {
  selectors: Selector[];
  /** Labels of `by (…)`, `without (…)` and `on (…)`. */
  groupedBy: string[];
}

/** Parses PromQL with the grammar of Prometheus' own editor. Throws for an expression that is none. */
function parsePromQl(text: string): Expression {
  const selectors: Selector[] = [];
  const groupedBy: string[] = [];
  let isInGrouping = false;
  parser.parse(text).iterate({
    enter: (node) => {
      const part = text.slice(node.from, node.to);
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${text}`);
      if (node.name === 'GroupingLabels') isInGrouping = true;
      if (node.name === 'LabelName' && isInGrouping) groupedBy.push(part);
      if (node.name === 'VectorSelector') selectors.push({ metric: '', labels: [] });
      const selector = selectors.at(-1);
      if (node.name === 'Identifier' && selector?.metric === '') selector.metric = part;
      if (node.name === 'UnquotedLabelMatcher') selector?.labels.push(matcherOf(part));
    },
    leave: (node) => {
      if (node.name === 'GroupingLabels') isInGrouping = false;
    },
  });
  return { selectors, groupedBy };
}

function matcherOf(text: string): { name: string; values: string[] } {
  const [, name = '', operator = '', value = ''] = /^(\w+)\s*(=~|!~|!=|=)\s*"(.*)"$/.exec(text) ?? [];
  return { name, values: operator.includes('~') ? value.split('|') : [value] };
}

const root = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^DeepSearch[A-Za-z]+$/),
          expr: z.string(),
          for: z
            .string()
            .regex(/^\d+[smh]$/)
            .optional(),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning', 'info']) }),
          annotations: z.strictObject({ summary: z.string(), description: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});

const gridSchema = z.strictObject({ h: z.number().positive(), w: z.number().max(24), x: z.number(), y: z.number() });
const panelSchema = z.looseObject({
  id: z.number(),
  type: z.enum(['row', 'timeseries', 'stat']),
  title: z.string().min(1),
  gridPos: gridSchema,
  targets: z.array(z.looseObject({ refId: z.string(), expr: z.string(), legendFormat: z.string() })).optional(),
});
const dashboardSchema = z.looseObject({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.number(),
  templating: z.looseObject({ list: z.array(z.looseObject({ name: z.string(), definition: z.string().optional() })) }),
  panels: z.array(panelSchema),
});

const { groups } = rulesSchema.parse(parse(read('docs/observability/prometheus-alerts.yaml')));
const rules = groups.flatMap((group) => group.rules);
const dashboard = dashboardSchema.parse(JSON.parse(read('docs/observability/grafana-dashboard.json')));
const operations = read('docs/operations.md');

/** Grafana's own variable in a place where PromQL has a duration. */
const plain = (expression: string): string => expression.replaceAll('$__rate_interval', '5m');

/** The rows of the table in docs/operations.md: name of the alert, and the events and metrics that it names. */
const rows = [...operations.matchAll(/^\| <a id="(\w+)"><\/a>`(\w+)` \| (.+?) \| .+ \|$/gm)].map(
  ([, anchor = '', alert = '', meaning = '']) => ({
    anchor,
    alert,
    named: [...meaning.matchAll(/`([a-z]+[._][a-z._]+)`/g)].map(([, name = '']) => name),
  }),
);

const expressions: [string, string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [`panel ${title}`, plain(expr)]),
  ),
  ...dashboard.templating.list.flatMap(({ name, definition }): [string, string][] => {
    const [, selector] = /^label_values\((.+), \w+\)$/.exec(definition ?? '') ?? [];
    return selector === undefined ? [] : [[`variable ${name}`, selector]];
  }),
];

/** Source texts of the app: those that count events. */
const sources = readdirSync(new URL('src/', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !/^(?:codesearch|demo|cli)\//.test(path))
  .map((path) => read(`src/${path}`));

function sourcesOf(event: string): string[] {
  const named = [`event: '${event}'`, `settle(w, '${event}'`, `repeat('${event}'`];
  return sources.filter((text) => named.some((each) => text.includes(each)));
}

/** Outcomes that come from types of the core. They compile only while the types have exactly these. */
const ends: Record<Outcome['kind'] | 'none', true> = {
  answered: true,
  failed: true,
  cancelled: true,
  gaveUp: true,
  undeliverable: true,
  notAllowed: true,
  none: true,
};
const acceptances: Record<Exclude<Acceptance['kind'], 'empty' | 'tooLong'>, true> = {
  accepted: true,
  duplicate: true,
  queueFull: true,
};

function isOutcomeOf(event: string, outcome: string): boolean {
  if (event === 'question_closed') return Object.hasOwn(ends, outcome);
  if (event === 'question_received') return Object.hasOwn(acceptances, outcome);
  return sourcesOf(event).some((text) => text.includes(`'${outcome}'`));
}

/** Labels that Prometheus adds to every series. */
const added = new Set(['job', 'instance']);

/** The app's metrics: label names by metric, and the values that the app sets itself, by metric and label. */
let exposed: Map<string, Map<string, Set<string>>>;

beforeAll(async () => {
  const target = 'deepsearch';
  const metrics = createMetrics({
    countOpen: async () => 1,
    countRuns: async () => ({ delayed: 2, waiting: 1, active: 1 }),
    dependencies: () => [{ name: 'storage', check: async () => true }],
    farSides: () => [{ target, state: async () => 'fine' }],
    generation: () => 1,
    now: () => 0,
  });
  metrics.count({ event: 'question_closed', outcome: 'answered', durationMs: 1_000 });
  exposed = readExposition(await metrics.expose());
});

function readExposition(page: string): Map<string, Map<string, Set<string>>> {
  const found = new Map<string, Map<string, Set<string>>>();
  // A histogram shows nothing before its first value.
  for (const [, metric = ''] of page.matchAll(/^# TYPE (\w+) histogram$/gm)) {
    for (const suffix of ['bucket', 'sum', 'count']) found.set(`${metric}_${suffix}`, new Map());
  }
  for (const [, metric = '', labels = ''] of page.matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? \S+$/gm)) {
    const known = found.get(metric) ?? new Map<string, Set<string>>();
    for (const [, name = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      known.set(name, (known.get(name) ?? new Set()).add(value));
    }
    found.set(metric, known);
  }
  return found;
}

/** What is wrong with an expression. */
function problemsOf({ selectors, groupedBy }: Expression): string[] {
  const known = new Set([...added, ...selectors.flatMap(({ metric }) => [...(exposed.get(metric)?.keys() ?? [])])]);
  return [
    ...groupedBy.filter((label) => !known.has(label)).map((label) => `no label ${label}`),
    ...selectors.flatMap(({ metric, labels }) => {
      const ofMetric = exposed.get(metric);
      if (metric === 'up') return [];
      if (ofMetric === undefined) return [`no metric ${metric}`];
      const events = labels.filter(({ name }) => name === 'event').flatMap(({ values }) => values);
      return labels.flatMap(({ name, values }) => {
        if (added.has(name)) return [];
        const set = ofMetric.get(name);
        if (set === undefined) return [`${metric} has no label ${name}`];
        return values
          .filter((value) => !isValue({ metric, name, value, events, set }))
          .map((value) => `${metric}: ${name} is never ${value}`);
      });
    }),
  ];
}

function isValue(of: { metric: string; name: string; value: string; events: string[]; set: Set<string> }): boolean {
  const { metric, name, value, events, set } = of;
  if (name === 'event') return sourcesOf(value).length > 0;
  if (name === 'outcome' && metric.startsWith('deepsearch_slack_question_duration_seconds')) {
    return Object.hasOwn(ends, value);
  }
  if (name === 'outcome') return events.some((event) => isOutcomeOf(event, value));
  if (name === 'target') return sources.some((text) => text.includes(`target: '${value}'`));
  // Prometheus 3 writes whole numbers as 600.0.
  if (name === 'le') return set.has(value.replace(/\.0$/, ''));
  return set.has(value);
}

describe('every expression of the alerts and the dashboard', () => {
  it('is among those that are read', () => {
    expect(rules.length).toBeGreaterThan(18);
    expect(expressions.length).toBeGreaterThan(60);
    expect(expressions.filter(([name]) => name.startsWith('variable'))).toHaveLength(2);
  });

  it.each(expressions)('%s names metrics, labels and values that the app has: %s', (_, expression) => {
    expect(problemsOf(parsePromQl(expression))).toEqual([]);
  });
});

describe('the check of expressions', () => {
  it.each([
    ['rate(deepsearch_slack_event_total[5m])', 'no metric deepsearch_slack_event_total'],
    [
      'deepsearch_slack_events_total{event="question_sweept"}',
      'deepsearch_slack_events_total: event is never question_sweept',
    ],
    ['deepsearch_slack_events_total{kind="a"}', 'deepsearch_slack_events_total has no label kind'],
    [
      'deepsearch_slack_events_total{event="scheduler.lease",outcome=~"lost|notrenewed"}',
      'deepsearch_slack_events_total: outcome is never notrenewed',
    ],
    ['min by (dependencies) (deepsearch_slack_ready)', 'no label dependencies'],
    ['deepsearch_slack_access{target="github"}', 'deepsearch_slack_access: target is never github'],
    [
      'deepsearch_slack_question_duration_seconds_bucket{le="500"}',
      'deepsearch_slack_question_duration_seconds_bucket: le is never 500',
    ],
  ])('finds what is wrong with %s', (expression, problem) => {
    expect(problemsOf(parsePromQl(expression))).toEqual([problem]);
  });

  it('refuses what is no PromQL', () => {
    expect(() => parsePromQl('rate(a_total[5m]')).toThrow('no PromQL');
    expect(() => parsePromQl('a_total >')).toThrow('no PromQL');
  });
});

describe('the alert rules', () => {
  it('have one name each, and link to their row of the runbook', () => {
    const names = rules.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
    expect(rules.map(({ annotations }) => annotations.runbook_url)).toEqual(
      names.map((name) => `docs/operations.md#${name}`),
    );
  });

  it('are those of the runbook, in its order', () => {
    expect(rows.map(({ anchor }) => anchor)).toEqual(rules.map(({ alert }) => alert));
    expect(rows.map(({ alert }) => alert)).toEqual(rules.map(({ alert }) => alert));
    expect(rows.flatMap(({ named }) => named).length).toBeGreaterThan(8);
    const others = rows.filter(({ named }, index) => !named.every((name) => rules[index]?.expr.includes(name)));
    expect(others).toEqual([]);
  });

  it('notice the first occurrence of an event, which `increase` does not count', () => {
    const counting = rules.filter(({ expr }) => expr.includes('increase('));
    expect(counting.length).toBeGreaterThan(10);
    for (const { alert, expr } of counting) {
      const selectors = parsePromQl(expr).selectors.map((selector) => JSON.stringify(selector));
      expect(`${alert}: ${selectors.length} ${new Set(selectors).size}`).toBe(`${alert}: 3 1`);
      expect(expr).toMatch(/unless \(.* offset 1h\)/);
    }
  });
});

describe('the dashboard', () => {
  it('has panels with different ids that do not overlap', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)}:${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });

  it('shows only the chosen job and copies', () => {
    const unbound = dashboard.panels
      .flatMap(({ targets = [] }) => targets)
      .flatMap(({ expr }) => parsePromQl(plain(expr)).selectors)
      .filter(({ labels }) => !labels.some(({ name }) => name === 'job'));
    expect(unbound).toEqual([]);
  });
});
