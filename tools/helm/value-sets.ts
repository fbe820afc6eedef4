import type { Values } from './chart.ts';

/** What every release needs. */
const needed: Values = {
  image: { repository: 'registry.example.com/deepsearch-slack' },
  existingSecret: 'deepsearch-slack',
  settings: { SRC_ENDPOINT: 'https://sourcegraph.example.com' },
};

const http: Values = { ...needed, mode: 'http' };
const embeddedStore: Values = { ...needed, replicaCount: 1, store: { kind: 'embedded' } };
const codesearch: Values = {
  ...needed,
  settings: {},
  codesearch: {
    enabled: true,
    image: { repository: 'registry.example.com/deepsearch-codesearch' },
    repositoriesClaim: 'repositories',
    repositories: ['one', 'group/two.git'],
  },
};

/** Every combination of values that makes other objects, or other fields of them. */
export const valueSets: Record<string, Values> = {
  'Socket Mode': needed,
  'Socket Mode with a sign-in': {
    ...needed,
    settings: { SRC_ENDPOINT: 'https://sourcegraph.example.com', PUBLIC_URL: 'https://deepsearch.example.com' },
    ingress: { enabled: true, host: 'deepsearch.example.com' },
  },
  'HTTP mode': http,
  'HTTP mode with an Ingress': {
    ...http,
    ingress: { enabled: true, className: 'nginx', host: 'deepsearch.example.com', tlsSecretName: 'deepsearch-tls' },
    networkPolicy: { httpFrom: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }] },
  },
  'several workspaces': {
    ...http,
    settings: {
      SRC_ENDPOINT: 'https://sourcegraph.example.com',
      SLACK_CLIENT_ID: '123.456',
      SLACK_WORKSPACES: 'T0123456789',
      PUBLIC_URL: 'https://deepsearch.example.com',
    },
    ingress: { enabled: true, host: 'deepsearch.example.com' },
  },
  'a client in place of an access token': {
    ...needed,
    settings: {
      SRC_ENDPOINT: 'https://sourcegraph.example.com',
      SRC_CLIENT_ID: 'app',
      SRC_TOKEN_URL: 'https://login.example.com/token',
    },
  },
  'a load balancer': { ...http, service: { type: 'LoadBalancer', port: 443, annotations: { internal: 'true' } } },
  'a user that the platform chooses': { ...needed, fixedUser: false },
  'an HPA': { ...http, autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 20 } },
  'a ServiceMonitor': { ...needed, metrics: { serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } } },
  'no metrics': { ...needed, metrics: { enabled: false } },
  'no network policy': { ...http, networkPolicy: { enabled: false } },
  'one copy on Redis': { ...needed, replicaCount: 1 },
  'the embedded store': embeddedStore,
  'the embedded store on a claim': {
    ...embeddedStore,
    store: { kind: 'embedded', persistence: { existingClaim: 'my-claim' } },
  },
  'the embedded store of a class': {
    ...embeddedStore,
    store: { kind: 'embedded', persistence: { storageClassName: 'fast', accessMode: 'ReadWriteOnce', size: '20Gi' } },
  },
  'the embedded code search service': codesearch,
  'the embedded code search service with all of its values': {
    ...codesearch,
    codesearch: {
      enabled: true,
      image: { repository: 'registry.example.com/codesearch', digest: `sha256:${'a'.repeat(64)}` },
      repositoriesClaim: 'repositories',
      repositories: ['one'],
      dataClaim: 'conversations',
      baseUrl: 'https://code.example.com',
      pagesFrom: [{ namespaceSelector: {} }],
    },
    imagePullSecrets: [{ name: 'pull' }],
  },
  'all other values': {
    ...needed,
    image: { repository: 'registry.example.com/app', digest: `sha256:${'b'.repeat(64)}`, pullPolicy: 'Always' },
    imagePullSecrets: [{ name: 'pull' }],
    fullnameOverride: 'answers',
    shutdownSeconds: 60,
    serviceCaConfigMap: 'company-ca',
    settings: {
      SRC_ENDPOINT: 'https://code.example.com',
      LOG_LEVEL: 'debug',
      PATIENCE_SECONDS: 600,
      ACCOUNTS: 'shared',
    },
    networkPolicy: {
      metricsFrom: [],
      egressPorts: [443, 8443],
      extraEgress: [{ to: [{ ipBlock: { cidr: '192.0.2.7/32' } }], ports: [{ port: 6380, protocol: 'TCP' }] }],
    },
    podDisruptionBudget: { enabled: false },
    resources: { requests: { cpu: '500m', memory: '512Mi' }, limits: { memory: '2Gi', cpu: 2 } },
    serviceAccount: { create: false },
    podAnnotations: { 'example.com/owner': 'platform' },
    podLabels: { team: 'platform' },
    priorityClassName: 'important',
    nodeSelector: { 'kubernetes.io/arch': 'amd64' },
    tolerations: [{ key: 'dedicated', operator: 'Equal', value: 'apps', effect: 'NoSchedule' }],
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['apps'] }] }],
        },
      },
    },
    extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/extra/ca.crt' }],
    extraVolumes: [{ name: 'extra', configMap: { name: 'proxy-ca' } }],
    extraVolumeMounts: [{ name: 'extra', mountPath: '/extra', readOnly: true }],
  },
};

/** Values that the schema refuses, and a part of what it says. */
export const wrongValues: Record<string, { values: Values; says: string }> = {
  'a value with a wrong name': { values: { ...needed, replicas: 3 }, says: '(replicas)' },
  'a setting with a wrong name': {
    values: { ...needed, settings: { LOGLEVEL: 'debug' } },
    says: 'settings: must NOT have additional properties (LOGLEVEL)',
  },
  'a secret among the settings': {
    values: { ...needed, settings: { SLACK_BOT_TOKEN: 'xoxb-1' } },
    says: 'settings: must NOT have additional properties (SLACK_BOT_TOKEN)',
  },
  'a port among the settings': { values: { ...needed, settings: { PORT: 8080 } }, says: '(PORT)' },
  'a number that would get an exponent': {
    values: { ...needed, settings: { QUESTIONS_PER_PERSON_PER_DAY: 1_000_000 } },
    says: 'settings.QUESTIONS_PER_PERSON_PER_DAY: must be <= 999999',
  },
  'an unknown mode': { values: { ...needed, mode: 'websocket' }, says: 'mode: must be equal to one of' },
  'no copy': { values: { ...needed, replicaCount: 0 }, says: 'replicaCount: must be >= 1' },
  'more copies than Slack allows connections': {
    values: { ...needed, replicaCount: 10 },
    says: 'replicaCount: must be <= 9',
  },
  'an HPA beyond the connections of Slack': {
    values: { ...needed, autoscaling: { enabled: true, maxReplicas: 10 } },
    says: 'autoscaling.maxReplicas: must be <= 9',
  },
  'two copies on the embedded store': {
    values: { ...needed, store: { kind: 'embedded' } },
    says: 'replicaCount: must be equal to constant',
  },
  'an HPA on the embedded store': {
    values: { ...embeddedStore, autoscaling: { enabled: true } },
    says: 'autoscaling.enabled: must be equal to constant',
  },
  'a volume that many pods write': {
    values: { ...embeddedStore, store: { kind: 'embedded', persistence: { accessMode: 'ReadWriteMany' } } },
    says: 'store.persistence.accessMode: must be equal to one of',
  },
  'an Ingress without a host': {
    values: { ...http, ingress: { enabled: true } },
    says: 'ingress.host: must NOT have fewer',
  },
  'an Ingress for every path': {
    values: { ...http, ingress: { enabled: true, host: 'a.example.com', paths: ['/'] } },
    says: 'ingress.paths.0: must NOT be valid',
  },
  'a ServiceMonitor without metrics': {
    values: { ...needed, metrics: { enabled: false, serviceMonitor: { enabled: true } } },
    says: 'metrics.serviceMonitor.enabled: must be equal to constant',
  },
  'a code search service without repositories': {
    values: { ...needed, settings: {}, codesearch: { enabled: true } },
    says: 'codesearch.repositoriesClaim: must NOT have fewer',
  },
  'a code search service beside another': {
    values: { ...codesearch, settings: { SRC_ENDPOINT: 'https://sourcegraph.example.com' } },
    says: 'settings.SRC_ENDPOINT: must be equal to constant',
  },
  'a repository outside the volume': {
    values: { ...codesearch, codesearch: { enabled: true, repositoriesClaim: 'r', repositories: ['../etc'] } },
    says: 'codesearch.repositories.0: must NOT be valid',
  },
  'a time that is none': { values: { ...needed, shutdownSeconds: '10s' }, says: 'shutdownSeconds: must be integer' },
};

/** Values that pass the schema, and what a template says about them. */
export const missingValues: Record<string, { values: Values; says: string }> = {
  'no image': { values: { ...needed, image: {} }, says: 'image.repository is needed' },
  'no Secret': { values: { ...needed, existingSecret: '' }, says: 'existingSecret is needed' },
  'no service': { values: { ...needed, settings: {} }, says: 'settings.SRC_ENDPOINT is needed' },
  'an Ingress to nothing': {
    values: { ...needed, ingress: { enabled: true, host: 'a.example.com' } },
    says: 'ingress.enabled needs mode http, or settings.PUBLIC_URL',
  },
};
