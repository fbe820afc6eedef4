import { z } from 'zod';
import type { Manifest } from './chart.ts';

/** The template of a Deployment's pods: what the tests read of it. */
export type PodManifest = { labels: Record<string, string>; spec: PodSpec; container: Container };
type PodSpec = z.infer<typeof podSchema>;
type Container = z.infer<typeof containerSchema>;

const probeSchema = z.looseObject({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const keySchema = z.object({ name: z.string(), key: z.string() });
const variableSchema = z.strictObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .object({ secretKeyRef: keySchema.optional(), fieldRef: z.object({ fieldPath: z.string() }).optional() })
    .optional(),
});
const containerSchema = z.looseObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).optional(),
  env: z.array(variableSchema),
  envFrom: z.array(z.object({ secretRef: z.object({ name: z.string() }) })).optional(),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: probeSchema,
  livenessProbe: probeSchema,
  readinessProbe: probeSchema,
  lifecycle: z.looseObject({}).optional(),
  securityContext: z.looseObject({}),
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
});
const podSchema = z.looseObject({
  securityContext: z.looseObject({}),
  terminationGracePeriodSeconds: z.number(),
  containers: z.tuple([containerSchema]),
  volumes: z.array(z.looseObject({ name: z.string() })),
});
const deploymentSchema = z.looseObject({
  template: z.object({
    metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
    spec: podSchema,
  }),
});

/** The pods of all Deployments. */
export function podsOf(manifests: Manifest[]): PodManifest[] {
  return manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ spec }) => {
      const { template } = deploymentSchema.parse(spec);
      return { labels: template.metadata.labels, spec: template.spec, container: template.spec.containers[0] };
    });
}
