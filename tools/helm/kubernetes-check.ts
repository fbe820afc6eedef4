import { execFile } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Pod } from 'kubernetes-models/v1/Pod';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { projectFolder } from '../../test/support/processes/run.ts';
import type { Manifest } from './chart.ts';

/** A class of these packages checks an object by the JSON schema of Kubernetes 1.27, or of the Prometheus operator. */
type Model = { apiVersion: string; kind: string; new (data: object): { validate(): void } };

/** The constructor of the package wants to know at compile time that there is a `spec`. */
class AnyServiceMonitor extends ServiceMonitor {
  constructor(data: object) {
    super(Object(data));
  }
}

const core = 'kubernetes-models';
const operator = '@kubernetes-models/prometheus-operator';
const models: [Model, string][] = [
  [Deployment, core],
  [HorizontalPodAutoscaler, core],
  [Ingress, core],
  [Namespace, core],
  [NetworkPolicy, core],
  [PersistentVolumeClaim, core],
  [Pod, core],
  [PodDisruptionBudget, core],
  [Service, core],
  [ServiceAccount, core],
  [AnyServiceMonitor, operator],
];

/** What the JSON schema of the object's kind refuses. It does not notice unknown fields. */
export function schemaProblems(manifest: Manifest): string[] {
  const [model] = findModel(manifest);
  try {
    new model(manifest).validate();
    return [];
  } catch (error) {
    return [`${manifest.kind} ${manifest.metadata.name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function findModel({ apiVersion, kind }: Manifest): [Model, string] {
  const found = models.find(([model]) => model.apiVersion === apiVersion && model.kind === kind);
  if (found === undefined) throw new Error(`there is no schema of ${apiVersion} ${kind}`);
  return found;
}

/**
 * What the types of the same schemas refuse: unknown fields, missing fields and wrong values. One run of the compiler
 * checks all objects.
 */
export async function typeProblems(manifests: Manifest[]): Promise<string[]> {
  const folder = mkdtempSync(join(process.env.RUN_FOLDER ?? tmpdir(), 'manifests-'));
  symlinkSync(join(projectFolder, 'node_modules'), join(folder, 'node_modules'));
  const lines = manifests.map((manifest, index) => {
    const [{ apiVersion, kind }, from] = findModel(manifest);
    const type = `import('${from}/${apiVersion}/${kind}').I${kind}`;
    return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
  });
  writeFileSync(join(folder, 'manifests.ts'), `${lines.join('\n')}\n`);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'ES2023',
    lib: ['ES2023'],
    types: [],
    skipLibCheck: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.ts'] }));
  const output = await new Promise<string>((resolve, reject) => {
    execFile(join(projectFolder, 'node_modules/.bin/tsc'), ['-p', folder], (error, stdout) => {
      // It ends with 1 or 2 when it found something.
      if (error !== null && typeof error.code !== 'number') reject(error);
      else resolve(stdout);
    });
  });
  return output.split('\n').filter((line) => line.trim() !== '');
}
