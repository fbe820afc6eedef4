import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseConfig, SETTINGS } from '../../src/config.ts';
import { type Manifest, readChart, type Values, ValuesError, valuesSchema } from './chart.ts';
import { schemaProblems, typeProblems } from './kubernetes-check.ts';
import { type PodManifest, podsOf } from './pods.ts';
import { secretSettings } from './settings-schema.ts';
import { TemplateError } from './template-syntax.ts';
import { missingValues, valueSets, wrongValues } from './value-sets.ts';
import { generatedManifests, generatedSchema } from './write-manifests.ts';

const root = new URL('../../', import.meta.url);
const chart = readChart(new URL('deploy/helm/deepsearch-slack/', root));
const sets = Object.entries(valueSets);

const kindsOf = (values: Values): string[] =>
  chart.render(values).map(({ kind, metadata }) => `${kind} ${metadata.name}`);
const find = (values: Values, kind: string): Manifest | undefined =>
  chart.render(values).find((manifest) => manifest.kind === kind);
const appOf = (values: Values, release?: { name: string; namespace: string }): PodManifest => {
  const pod = podsOf(chart.render(values, release)).find(({ container }) => container.name === 'app');
  if (pod === undefined) throw new Error('the chart has no app');
  return pod;
};

/** Secrets that must have a certain form. */
const secrets: Record<string, string> = {
  REDIS_URL: 'redis://redis:6379',
  ENCRYPTION_KEYS: `key:${Buffer.alloc(32).toString('base64')}`,
};

describe('the chart', () => {
  it.each(sets)('makes objects of Kubernetes, with %s', (_, values) => {
    expect(chart.render(values).flatMap(schemaProblems)).toEqual([]);
  });

  it('makes objects without unknown fields, with all of these values', async () => {
    expect(await typeProblems(sets.flatMap(([, values]) => chart.render(values)))).toEqual([]);
  });

  it.each(sets)('gives pods no rights, with %s', (_, values) => {
    for (const { spec, container } of podsOf(chart.render(values))) {
      expect(spec.securityContext).toEqual({
        runAsNonRoot: true,
        ...(Object(values).fixedUser === false
          ? {}
          : { runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000, fsGroupChangePolicy: 'OnRootMismatch' }),
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(Object.keys(spec).filter((name) => name.startsWith('host'))).toEqual([]);
      const kinds = spec.volumes.flatMap(({ name: _name, ...kind }) => Object.keys(kind));
      expect(kinds.filter((kind) => !['emptyDir', 'persistentVolumeClaim', 'configMap'].includes(kind))).toEqual([]);
    }
  });

  it('runs the user of the image', () => {
    expect(readFileSync(new URL('Dockerfile', root), 'utf8')).toContain('\nUSER 1000:1000\n');
  });

  it.each(sets)('selects the pods that it makes, with %s', (_, values) => {
    const manifests = chart.render(values);
    const pods = podsOf(manifests).map(({ labels }) => labels);
    const isPart = (part: object, labels: Record<string, string>): boolean =>
      Object.entries(part).every(([name, value]) => labels[name] === value);
    const selectors = manifests.flatMap(({ kind, spec }) => {
      const { selector, podSelector } = Object(spec);
      if (kind === 'Service') return [selector];
      return [selector?.matchLabels ?? podSelector?.matchLabels ?? []].filter(() => kind !== 'ServiceMonitor').flat();
    });
    for (const selector of selectors) expect(pods.filter((labels) => isPart(selector, labels))).toHaveLength(1);
    const monitor = manifests.find(({ kind }) => kind === 'ServiceMonitor');
    const selected = manifests.filter(
      ({ kind, metadata }) =>
        kind === 'Service' && isPart(Object(monitor?.spec).selector?.matchLabels ?? {}, metadata.labels),
    );
    if (monitor !== undefined)
      expect(selected.map(({ metadata }) => metadata.name)).toEqual(['deepsearch-deepsearch-slack-metrics']);
  });

  it.each(sets)('names ports and volumes that there are, with %s', (_, values) => {
    const manifests = chart.render(values);
    for (const { container, spec } of podsOf(manifests)) {
      const ports = container.ports.map(({ name }) => name);
      const probes = [container.startupProbe, container.livenessProbe, container.readinessProbe];
      expect(probes.map((probe) => ports.includes(probe.httpGet.port))).toEqual([true, true, true]);
      expect(container.volumeMounts.map(({ name }) => name).toSorted()).toEqual(
        spec.volumes.map(({ name }) => name).toSorted(),
      );
    }
    const names = podsOf(manifests).flatMap(({ container }) => container.ports.map(({ name }) => name));
    const targets = manifests
      .filter(({ kind }) => kind === 'Service')
      .flatMap(({ spec }) => Object(spec).ports.map(({ targetPort }: { targetPort: string }) => targetPort));
    expect(targets.filter((target: string) => !names.includes(target))).toEqual([]);
  });

  it.each(sets)('gives the app settings that it accepts, with %s', (_, values) => {
    const { container } = appOf(values);
    const given = container.env.filter(({ name }) => name !== 'NODE_EXTRA_CA_CERTS' && name !== 'SRC_CA_FILE');
    expect(given.filter(({ name }) => !Object.hasOwn(SETTINGS, name))).toEqual([]);
    expect(new Set(container.env.map(({ name }) => name)).size).toBe(container.env.length);
    const environment = Object.fromEntries(
      given.map(({ name, value, valueFrom }) => {
        if (valueFrom?.fieldRef !== undefined) return [name, '10.0.0.1'];
        return [name, valueFrom === undefined ? value : (secrets[name] ?? 'secret')];
      }),
    );
    const config = parseConfig(environment);
    expect(config.SLACK_APP_TOKEN === undefined).toBe(values.mode === 'http');
    expect(container.ports.find(({ name }) => name === 'http')?.containerPort).toBe(config.PORT);
    const metricsPort = container.ports.find(({ name }) => name === 'metrics')?.containerPort;
    expect([metricsPort, config.METRICS_HOST]).toEqual(
      values === valueSets['no metrics'] ? [undefined, '127.0.0.1'] : [config.METRICS_PORT, '10.0.0.1'],
    );
    const data = container.volumeMounts.find(({ mountPath }) => mountPath === config.DATA_DIR);
    expect(data === undefined).toBe(config.REDIS_URL !== undefined);
  });

  it.each(sets)('lets the app finish its work and close, with %s', (_, values) => {
    const { container, spec } = appOf(values);
    const seconds = Number(container.env.find(({ name }) => name === 'SHUTDOWN_SECONDS')?.value);
    const before = container.lifecycle === undefined ? 0 : 5;
    expect(spec.terminationGracePeriodSeconds).toBe(seconds + before + 20);
  });

  it.each(sets)('takes every secret from the Secret, with %s', (_, values) => {
    const manifests = chart.render(values);
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    for (const { container } of podsOf(manifests)) {
      const plain = container.env.filter(({ name, value }) => secretSettings.includes(name) && (value ?? '') !== '');
      expect(plain).toEqual([]);
    }
    expect(appOf(values).container.envFrom).toEqual([{ secretRef: { name: 'deepsearch-slack' } }]);
  });

  it('counts every setting that the app keeps secret among the secrets', () => {
    const byName = Object.keys(SETTINGS).filter((name) => /(?:TOKEN|SECRET|KEYS|_PROXY)$|^REDIS_URL$/.test(name));
    expect(secretSettings).toEqual(expect.arrayContaining(byName.filter((name) => name !== 'NO_PROXY')));
  });

  it('opens nothing in Socket Mode', () => {
    expect(kindsOf(valueSets['Socket Mode'] ?? {})).toEqual([
      'Deployment deepsearch-deepsearch-slack',
      'NetworkPolicy deepsearch-deepsearch-slack',
      'PodDisruptionBudget deepsearch-deepsearch-slack',
      'ServiceAccount deepsearch-deepsearch-slack',
    ]);
  });

  it('has a Service in HTTP mode and for a sign-in, and an Ingress only where it is wanted', () => {
    const served = sets.filter(([, values]) => kindsOf(values).includes('Service deepsearch-deepsearch-slack'));
    expect(served.map(([name]) => name)).toEqual([
      'Socket Mode with a sign-in',
      'HTTP mode',
      'HTTP mode with an Ingress',
      'several workspaces',
      'a load balancer',
      'an HPA',
      'no network policy',
    ]);
    const ingress = sets.filter(([, values]) => find(values, 'Ingress') !== undefined);
    expect(ingress.map(([name]) => name)).toEqual([
      'Socket Mode with a sign-in',
      'HTTP mode with an Ingress',
      'several workspaces',
    ]);
  });

  it('shows neither the probes nor the metrics through its Ingress', () => {
    const paths = Object(find(valueSets['HTTP mode with an Ingress'] ?? {}, 'Ingress')?.spec).rules[0].http.paths;
    expect(paths.map(({ path }: { path: string }) => path)).toEqual(['/slack', '/accounts']);
  });

  it('leaves the number of copies to the HPA', () => {
    const values = valueSets['an HPA'] ?? {};
    expect(Object(find(values, 'Deployment')?.spec).replicas).toBeUndefined();
    expect(find(values, 'HorizontalPodAutoscaler')?.spec).toMatchObject({ minReplicas: 3, maxReplicas: 20 });
    expect(Object(find(valueSets['Socket Mode'] ?? {}, 'Deployment')?.spec).replicas).toBe(2);
  });

  it('keeps one of several copies during a drain, and lets a node with a single copy be drained', () => {
    expect(find(valueSets['Socket Mode'] ?? {}, 'PodDisruptionBudget')?.spec).toMatchObject({ maxUnavailable: 1 });
    expect(find(valueSets['one copy on Redis'] ?? {}, 'PodDisruptionBudget')).toBeUndefined();
    expect(find(valueSets['the embedded store'] ?? {}, 'PodDisruptionBudget')).toBeUndefined();
  });

  it('gives the embedded store to one pod at a time', () => {
    const values = valueSets['the embedded store'] ?? {};
    expect(find(values, 'Deployment')?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
    expect(find(values, 'PersistentVolumeClaim')?.spec).toMatchObject({ accessModes: ['ReadWriteOncePod'] });
    expect(find(valueSets['the embedded store on a claim'] ?? {}, 'PersistentVolumeClaim')).toBeUndefined();
  });

  it('lets the app reach the embedded code search service with the same token', () => {
    const pods = podsOf(chart.render(valueSets['the embedded code search service'] ?? {}));
    const [app, service] = [
      pods.find(({ container }) => container.name === 'app'),
      pods.find(({ container }) => container.name === 'codesearch'),
    ];
    expect(app?.container.env).toContainEqual({
      name: 'SRC_ENDPOINT',
      value: 'http://deepsearch-deepsearch-slack-codesearch:7080',
    });
    const key = ({ valueFrom }: { valueFrom?: { secretKeyRef?: unknown } | undefined }): unknown =>
      valueFrom?.secretKeyRef;
    const token = app?.container.env.find(({ name }) => name === 'SRC_ACCESS_TOKEN') ?? {};
    expect(service?.container.env.map(key)).toEqual([key(token)]);
  });

  it.each(Object.entries(wrongValues))('refuses %s', (_, { values, says }) => {
    expect(chart.problemsOf(values).join('\n')).toContain(says);
    expect(() => chart.render(values)).toThrow(ValuesError);
  });

  it.each(Object.entries(missingValues))('asks for what is missing: %s', (_, { values, says }) => {
    expect(chart.problemsOf(values)).toEqual([]);
    expect(() => chart.render(values)).toThrow(says);
    expect(() => chart.render(values)).toThrow(TemplateError);
  });

  it.each(sets)('says what to do next, with %s', (_, values) => {
    expect(chart.notes(values)).toContain('rollout status deployment/');
    expect(chart.notes(values).includes('/slack/events')).toBe(values.mode === 'http');
  });
});

describe('what is made from the chart', () => {
  it('is as `npm run manifests` writes it', () => {
    for (const [path, text] of [generatedSchema(root), ...generatedManifests(root)]) {
      expect([path, readFileSync(new URL(path, root), 'utf8')]).toEqual([path, text]);
    }
  });
});

const restorePod = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  spec: z.looseObject({
    securityContext: z.looseObject({}),
    containers: z.array(
      z.looseObject({
        image: z.string(),
        securityContext: z.looseObject({}),
        volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })),
      }),
    ),
    volumes: z.array(z.looseObject({ name: z.string() })),
  }),
});

describe('docs/install-kubernetes.md', () => {
  const blocks = [
    ...readFileSync(new URL('docs/install-kubernetes.md', root), 'utf8').matchAll(/^```yaml\n([\s\S]*?)^```$/gm),
  ];
  const texts = blocks.map(([, text = '']) => text);
  const [socket = '', http = '', ...others] = texts.filter((text) => !text.includes('\nkind: Pod\n'));

  it('shows the values of deploy/values', () => {
    expect(socket).toBe(readFileSync(new URL('deploy/values/socket-mode.yaml', root), 'utf8'));
    expect(http).toBe(readFileSync(new URL('deploy/values/http-mode.yaml', root), 'utf8'));
  });

  it('shows further values that the chart takes', () => {
    const { settings, ...rest } = valuesSchema.parse(parse(socket));
    const given = others.map((text) => valuesSchema.parse(parse(text)));
    expect(given.map((values) => Object.keys(values)[0])).toEqual(['replicaCount', 'extraVolumes', 'codesearch']);
    for (const values of given) {
      const needed = 'codesearch' in values ? rest : { ...rest, settings: settings ?? {} };
      expect(chart.render({ ...needed, ...values }).length).toBeGreaterThan(0);
    }
  });

  it('restores a backup from where the app writes it, to where the app stores', () => {
    const given = Object.assign({}, ...others.slice(0, 2).map((text) => valuesSchema.parse(parse(text))));
    const release = { name: 'deepsearch-slack', namespace: 'deepsearch' };
    const app = appOf({ ...valuesSchema.parse(parse(socket)), ...given }, release);
    const pod = restorePod.parse(parse(texts.find((text) => text.includes('\nkind: Pod\n')) ?? ''));
    const { spec } = pod;
    expect(schemaProblems({ ...pod, metadata: { ...pod.metadata, labels: {} } })).toEqual([]);
    const claims = (volumes: object[]) => volumes.filter((volume) => 'persistentVolumeClaim' in volume);
    expect(spec.volumes).toEqual(claims(app.spec.volumes));
    const names = spec.volumes.map(({ name }) => name);
    const [container] = spec.containers;
    expect(container?.volumeMounts).toEqual(app.container.volumeMounts.filter(({ name }) => names.includes(name)));
    expect(container?.image).toBe(app.container.image);
    expect(container?.securityContext).toEqual(app.container.securityContext);
    const { fsGroupChangePolicy: _, ...context } = Object(app.spec.securityContext);
    expect(spec.securityContext).toEqual(context);
  });
});

describe('the check of objects', () => {
  const [deployment] = chart.render(valueSets['Socket Mode'] ?? {});
  const changed = (change: (spec: Record<string, unknown>) => unknown): Manifest => {
    const copy = structuredClone(deployment);
    if (copy === undefined) throw new Error('the chart has no Deployment');
    change(Object(Object(copy.spec).template.spec));
    return copy;
  };

  it('notices a field that Kubernetes does not know, a field that is missing, and a word that it does not take', async () => {
    const wrong = [
      changed((spec) => Object.assign(spec, { gracePeriod: 3 })),
      changed((spec) => Object.assign(Object(spec.securityContext), { readOnlyRootFilesystem: true })),
      changed((spec) => delete Object(spec.containers)[0].name),
      changed((spec) => Object.assign(Object(spec.containers)[0], { imagePullPolicy: 'Sometimes' })),
    ];
    const problems = (await typeProblems(wrong)).filter((line) => line.startsWith('/') || /error TS/.test(line));
    expect(problems.map((line) => /\((\d+),/.exec(line)?.[1])).toEqual(['1', '2', '3', '4']);
  });

  it('notices a quantity that is none', () => {
    const limits = { memory: '1 GB' };
    const wrong = changed((spec) => Object.assign(Object(spec.containers)[0], { resources: { limits } }));
    expect(schemaProblems(wrong).join()).toContain('must match format "quantity"');
  });
});
