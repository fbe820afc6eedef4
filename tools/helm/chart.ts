import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { readTemplates } from './template.ts';
import type { Value } from './template-functions.ts';

/** An object of Kubernetes. */
export type Manifest = z.infer<typeof manifestSchema>;
export type Values = z.infer<typeof valuesSchema>;

export const valuesSchema = z.record(z.string(), z.json());
const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()) }),
});
const chartSchema = z.looseObject({ name: z.string(), version: z.string(), appVersion: z.string() });

/** Values that the chart's schema refuses. The message names all problems. */
export class ValuesError extends Error {
  override readonly name = 'ValuesError';
}

export interface Chart {
  /** The objects of a release, in the order of the templates' names. Throws {@link ValuesError} or `TemplateError`. */
  render(values: Values, release?: { name: string; namespace: string }): Manifest[];
  /** What Helm prints after an installation. */
  notes(values: Values): string;
  /** What is wrong with the values, after those of values.yaml were filled in. */
  problemsOf(values: Values): string[];
}

const exampleRelease = { name: 'deepsearch', namespace: 'deepsearch' };

/** Reads a chart as Helm does, as far as decision 34 says. `folder` ends with a slash. */
export function readChart(folder: URL): Chart {
  const read = (path: string): string => readFileSync(new URL(path, folder), 'utf8');
  const { name, version, appVersion } = chartSchema.parse(parse(read('Chart.yaml')));
  const defaults = valuesSchema.parse(parse(read('values.yaml')));
  const validate = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false }).compile(
    z.looseObject({}).parse(JSON.parse(read('values.schema.json'))),
  );
  const files = readdirSync(new URL('templates/', folder)).toSorted();
  const write = readTemplates(new Map(files.map((file) => [file, read(`templates/${file}`)])));

  return {
    problemsOf,
    notes: (values) => write('NOTES.txt', context(values, exampleRelease)),
    render: (values, release = exampleRelease) => {
      const given = context(values, release);
      return files.filter((file) => file.endsWith('.yaml')).flatMap((file) => documents(file, write(file, given)));
    },
  };

  function problemsOf(values: Values): string[] {
    if (validate(merge(defaults, values))) return [];
    return (validate.errors ?? []).map(({ instancePath, message, params }) => {
      const unknown = 'additionalProperty' in params ? ` (${params.additionalProperty})` : '';
      return `${instancePath.slice(1).replaceAll('/', '.')}: ${message}${unknown}`;
    });
  }

  function context(values: Values, { name: releaseName, namespace }: { name: string; namespace: string }): Value {
    const problems = problemsOf(values);
    if (problems.length > 0) throw new ValuesError(problems.join('\n'));
    return {
      Values: merge(defaults, values),
      Chart: { Name: name, Version: version, AppVersion: appVersion },
      Release: { Name: releaseName, Namespace: namespace, Service: 'Helm' },
    };
  }
}

/** Fills in what is not given. Lists are replaced, and null removes a value, as in Helm. */
function merge(defaults: Values, values: Values): Values {
  const merged = { ...defaults };
  for (const [name, value] of Object.entries(values)) {
    const base = defaults[name];
    if (value === null) delete merged[name];
    else merged[name] = isMap(base) && isMap(value) ? merge(base, value) : value;
  }
  return merged;
}

function isMap(value: Values[string] | undefined): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function documents(file: string, text: string): Manifest[] {
  return [...parseAllDocuments(text, { uniqueKeys: true })].flatMap((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw new Error(`${file}: ${problem.message}`);
    const content: unknown = document.toJS();
    return content === null ? [] : [manifestSchema.parse(content)];
  });
}
