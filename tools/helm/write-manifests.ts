import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { type Chart, type Manifest, readChart, type Values, valuesSchema } from './chart.ts';
import { settingsSchema } from './settings-schema.ts';

// Writes what is made from the chart and from src/config.ts: `npm run manifests`.

const chartPath = 'deploy/helm/deepsearch-slack/';
const schemaPath = `${chartPath}values.schema.json`;
const namespace = 'deepsearch';

/** The namespace refuses pods that are not restricted. */
const namespaceManifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: namespace,
    labels: {
      'pod-security.kubernetes.io/enforce': 'restricted',
      'pod-security.kubernetes.io/warn': 'restricted',
    },
  },
};

/** What an object needs comes before it. */
const order = [
  'NetworkPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'PersistentVolumeClaim',
  'Service',
  'Deployment',
  'HorizontalPodAutoscaler',
  'Ingress',
  'ServiceMonitor',
];

/** The schema of the chart's values, with the settings of src/config.ts, by its path. `root` ends with a slash. */
export function generatedSchema(root: URL): [path: string, text: string] {
  const schema = z.record(z.string(), z.unknown()).parse(JSON.parse(read(root, schemaPath)));
  const properties = { ...Object(schema.properties), settings: settingsSchema() };
  return [schemaPath, `${JSON.stringify({ ...schema, properties }, undefined, 2)}\n`];
}

/** The plain manifests of each file in deploy/values, by path. */
export function generatedManifests(root: URL): [path: string, text: string][] {
  const chart = readChart(new URL(chartPath, root));
  const examples = readdirSync(new URL('deploy/values/', root)).toSorted();
  return examples.map((name) => {
    const values = valuesSchema.parse(parse(read(root, `deploy/values/${name}`)));
    return [`deploy/kubernetes/${name}`, plainManifests(chart, name, values)];
  });
}

/** Writes all of them. */
export function writeGenerated(root: URL): void {
  const write = ([path, text]: [string, string]): void => writeFileSync(new URL(path, root), text);
  write(generatedSchema(root));
  mkdirSync(new URL('deploy/kubernetes/', root), { recursive: true });
  generatedManifests(root).forEach(write);
}

function read(root: URL, path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** The objects of the chart for one set of values, for `kubectl apply`. */
function plainManifests(chart: Chart, name: string, values: Values): string {
  const manifests = chart
    .render(values, { name: 'deepsearch-slack', namespace })
    .toSorted((left, right) => order.indexOf(left.kind) - order.indexOf(right.kind));
  const header = `# Made from deploy/helm and deploy/values/${name} by \`npm run manifests\`. The Secret is not among them: see
# docs/install-kubernetes.md.
`;
  return header + [namespaceManifest, ...manifests.map(withoutHelm)].map((each) => stringify(each)).join('---\n');
}

/** Leaves out the labels and annotations that only Helm uses. */
function withoutHelm(manifest: Manifest): unknown {
  const marks = ['app.kubernetes.io/managed-by', 'helm.sh/chart', 'helm.sh/resource-policy'];
  return JSON.parse(JSON.stringify(manifest), (key, value) => (marks.includes(key) ? undefined : value));
}

if (process.argv[1] === import.meta.filename) writeGenerated(new URL('../../', import.meta.url));
