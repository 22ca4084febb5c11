/** Values of the chart, declared once: values.yaml, values.schema.json and deploy/CHART.md are made of them. */
import type { JsonSchema } from '../../runtime/value-schema.ts';
import { argumentSettings } from './chart-settings.ts';

export interface ChartValue {
  readonly default: unknown;
  readonly about: string;
  readonly schema: JsonSchema;
}

export type ChartValues = Readonly<Record<string, ChartValue>>;

const value = (otherwise: unknown, about: string, schema: JsonSchema): ChartValue => ({
  default: otherwise,
  about,
  schema,
});
const object: JsonSchema = { type: ['object', 'null'] };
const texts: JsonSchema = { type: ['object', 'null'], additionalProperties: { type: 'string' } };
const objects: JsonSchema = { type: ['array', 'null'], items: { type: 'object' } };
const string: JsonSchema = { type: 'string' };
const flag: JsonSchema = { type: 'boolean' };
const quantity: JsonSchema = {
  type: ['string', 'number'],
  minimum: 0,
  pattern: '^[0-9]+(\\.[0-9]+)?([EPTGMk]i?|m)?$',
};
const count = (minimum: number): JsonSchema => ({ type: 'integer', minimum });
const named = (...names: readonly string[]): JsonSchema => ({
  type: ['array', 'null'],
  items: { type: 'object', required: names },
});
/** A list of objects that have these fields and no others. */
const listOf = (properties: Readonly<Record<string, JsonSchema>>, ...required: readonly string[]): JsonSchema => ({
  type: ['array', 'null'],
  items: { ...closed(properties), required },
});
const closed = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  additionalProperties: false,
  properties,
});
const resourcesSchema: JsonSchema = {
  ...closed({
    requests: { type: ['object', 'null'], additionalProperties: { ...quantity, type: ['string', 'number', 'null'] } },
    limits: { type: ['object', 'null'], additionalProperties: { ...quantity, type: ['string', 'number', 'null'] } },
    claims: objects,
  }),
};
const ports: JsonSchema = { type: ['array', 'null'], items: { type: 'integer', minimum: 1, maximum: 65_535 } };
/** As in a NetworkPolicy. */
const peers = listOf({ ipBlock: object, namespaceSelector: object, podSelector: object });
const egress = (from: string, otherwise: string): ChartValue =>
  value({ to: [], ports: [] }, `peers (\`to\`) and ports of ${from}. ${otherwise}`, closed({ to: peers, ports }));

/**
 * Settings that a platform team puts on pods: for all of them, and for a single role, which adds to or replaces them.
 */
export const podValues: ChartValues = {
  podAnnotations: value({}, 'annotations of pods; added', texts),
  podLabels: value({}, 'labels of pods; added', texts),
  nodeSelector: value({}, 'labels of nodes', texts),
  tolerations: value(
    [],
    'tolerations',
    listOf({ key: string, operator: string, value: string, effect: string, tolerationSeconds: { type: 'integer' } }),
  ),
  affinity: value({}, 'affinity', object),
  topologySpreadConstraints: value(
    [],
    'replace the chart’s own, which spread over nodes, and frontiers over zones. Without a `labelSelector`, one gets that of its role',
    named('maxSkew', 'topologyKey', 'whenUnsatisfiable'),
  ),
  priorityClassName: value('', 'priority class', string),
  podSecurityContext: value({}, 'fields added to the chart’s own; null removes one, as on OpenShift', object),
  containerSecurityContext: value({}, 'the same of containers', object),
  extraEnv: value(
    [],
    'variables, as in a container’s `env`; added',
    listOf({ name: string, value: string, valueFrom: object }, 'name'),
  ),
  extraEnvFrom: value(
    [],
    'ConfigMaps and Secrets with variables, as in a container’s `envFrom`; added',
    listOf({ prefix: string, configMapRef: object, secretRef: object }),
  ),
  extraVolumes: value([], 'volumes; added', named('name')),
  extraVolumeMounts: value(
    [],
    'mounts of volumes; added',
    listOf(
      {
        ...{ name: string, mountPath: string, subPath: string, subPathExpr: string },
        ...{ readOnly: flag, recursiveReadOnly: string, mountPropagation: string },
      },
      'name',
      'mountPath',
    ),
  ),
};

/** Defaults that differ from those of a role: all manifests have these. */
const allPods: Readonly<Record<string, unknown>> = {
  podSecurityContext: {
    runAsNonRoot: true,
    runAsUser: 1000,
    runAsGroup: 1000,
    fsGroup: 1000,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  containerSecurityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
};

const image = (repository: string, about: string, version: string): ChartValue =>
  value(
    { repository, tag: version, digest: '', pullPolicy: '' },
    about,
    closed({
      repository: { type: 'string', minLength: 1 },
      tag: { type: ['string', 'number'] },
      digest: { type: 'string', pattern: '^$|^sha256:[0-9a-f]{64}$' },
      pullPolicy: { enum: ['', 'Always', 'IfNotPresent', 'Never'] },
    }),
  );

/** `settings`: their schema. */
export function chartValues(version: string, settings: JsonSchema): ChartValues {
  return {
    nameOverride: value('', 'in place of `crawlstream` behind the release’s name', {
      type: 'string',
      pattern: '^$|^[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?$',
    }),
    fullnameOverride: value(
      '',
      'prefix of all names. Empty: the release’s name, with `-crawlstream` where that is not in it, and a hash where it is long, has a dot or begins with a digit',
      { type: 'string', pattern: '^$|^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$' },
    ),
    image: image('crawlstream', 'image of all processes but `render`; `digest` replaces `tag`', version),
    renderImage: image('crawlstream-render', 'image of `render`', version),
    imagePullSecrets: value(
      [],
      'Secrets for the images’ registry, as in `[{name: pull}]`',
      listOf({ name: string }, 'name'),
    ),
    settings: value(
      Object.fromEntries(Object.entries(argumentSettings).map(([name, one]) => [name, one.default])),
      'variables of every process',
      settings,
    ),
    serviceAccount: value(
      { create: true, name: '', annotations: {} },
      'its annotations name a role of the cloud, as in `eks.amazonaws.com/role-arn`. `name` empty: that of the release',
      closed({ create: flag, name: string, annotations: texts }),
    ),
    storageClassName: value('', 'class of all volumes. Empty: the cluster’s default', string),
    networkPolicies: value(true, 'nothing in or out of the pods but what `network` and `settings` say', flag),
    network: value(networkDefaults(), 'see below', closed(networkSchemas())),
    ...operatorValues(),
    clusterChecks: value(
      true,
      'ask the cluster. A crawl that another release of the namespace runs on the same brokers is refused. So is an upgrade that changes crawl or partitions, renames volumes, or drops a default of an earlier chart',
      flag,
    ),
    ...withDefaults(podValues, allPods),
  };
}

/** For clusters with KEDA, the Prometheus operator or Grafana. */
function operatorValues(): ChartValues {
  return {
    autoscaling: value(
      {
        enabled: false,
        minReplicas: 1,
        maxReplicas: 12,
        prometheus: 'http://prometheus-operated.monitoring:9090',
        authenticationRef: {},
        kafka: {},
      },
      'KEDA scales fetchers by ready hosts and lag of this crawl. To log in to brokers, it needs `authenticationRef`, and `kafka` as in `{sasl: scram_sha512, tls: enable}`',
      closed({
        enabled: flag,
        minReplicas: count(0),
        maxReplicas: count(1),
        prometheus: { type: 'string', pattern: '^https?://' },
        authenticationRef: texts,
        kafka: texts,
      }),
    ),
    serviceMonitor: value(
      { enabled: false, labels: {}, interval: '15s' },
      'a ServiceMonitor for the Prometheus operator; `labels`: those that your Prometheus selects',
      closed({ enabled: flag, labels: texts, interval: { type: 'string', pattern: '^[0-9]+(ms|s|m|h)$' } }),
    ),
    podMonitor: value(
      { enabled: false, labels: {}, interval: '15s' },
      'a PodMonitor in its place',
      closed({ enabled: flag, labels: texts, interval: { type: 'string', pattern: '^[0-9]+(ms|s|m|h)$' } }),
    ),
    alerts: value(
      { enabled: false, labels: {}, freshnessDays: 7, runbook: '' },
      'a PrometheusRule with our alerts. One release of a cluster is enough. `freshnessDays`: an alert fires if one page in twenty was last visited longer ago. `runbook`: URL of your copy of deploy/RUNBOOK.md. Empty: alerts have no link',
      closed({
        enabled: flag,
        labels: texts,
        freshnessDays: { type: 'number', exclusiveMinimum: 0 },
        runbook: { type: 'string', pattern: '^$|^https?://[^\\s#]+$' },
      }),
    ),
    board: value(
      { enabled: false, labels: { grafana_dashboard: '1' } },
      'a ConfigMap with the Grafana board, which Grafana’s sidecar picks up by its labels',
      closed({ enabled: flag, labels: texts }),
    ),
  };
}

const networkValues: ChartValues = {
  dns: egress('the DNS server', 'Empty: the namespace kube-system, port 53'),
  metricsFrom: value(
    [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
    'peers that may scrape metrics',
    peers,
  ),
  brokers: egress('the brokers', 'Empty: where `settings.BROKERS` says'),
  registry: egress('the schema registry', 'Empty: where `settings.REGISTRY` says'),
  storage: egress(
    'object storage (frontier, archive, snapshots)',
    'Empty: where `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL` in `settings` says, else port 443 of any address but link-local ones',
  ),
  search: egress('OpenSearch (index)', 'Empty: where `settings.OPENSEARCH` says'),
  collectors: egress(
    'OpenTelemetry collectors and the servers that grant tokens (all pods)',
    'Empty: where `settings` says: `CRAWLSTREAM_OTLP`, `OTEL_EXPORTER_OTLP_…ENDPOINT`, `CRAWLSTREAM_…_TOKEN_URL`',
  ),
  podIdentity: value(
    false,
    'let pods that use object storage or log in with AWS’s IAM ask EKS Pod Identity (169.254.170.23, fd00:ec2::23)',
    flag,
  ),
  instanceMetadata: value(
    false,
    'let the same pods ask the node’s metadata service (169.254.169.254, fd00:ec2::254), which has the node’s rights',
    flag,
  ),
  extraEgress: value([], 'further egress rules of all pods, as in a NetworkPolicy', objects),
  extraIngress: value([], 'further ingress rules of all pods', objects),
};

function networkDefaults(): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(networkValues).map(([name, one]) => [name, one.default]));
}

function networkSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(Object.entries(networkValues).map(([name, one]) => [name, one.schema]));
}

/** The parts of values that are objects with named parts. */
export const partsOf: Readonly<Record<string, ChartValues>> = {
  network: networkValues,
  settings: Object.fromEntries(Object.entries(argumentSettings)),
};

/** Facts about a role that its manifest states. */
export interface RoleDefaults {
  readonly resources: unknown;
  readonly enabled?: boolean;
  readonly replicas?: number;
  readonly storage?: string;
  readonly minReadySeconds?: number;
  readonly terminationGracePeriodSeconds?: number;
}

/** `flags`: those of the role's command. */
export function roleValues(flags: readonly string[], defaults: RoleDefaults): ChartValues {
  const own: Readonly<Record<keyof RoleDefaults, readonly [about: string, schema: JsonSchema]>> = {
    enabled: ['whether it runs', flag],
    replicas: ['number of pods', count(0)],
    storage: ['size of each volume; a StatefulSet’s can’t be changed later', quantity],
    minReadySeconds: ['how long a pod is ready, its warm copies included, before the next is updated', count(0)],
    terminationGracePeriodSeconds: ['time to hand over and to write state', count(75)],
    resources: ['requests and limits', resourcesSchema],
  };
  const stated = Object.entries(own).filter(([name]) => name in defaults);
  return {
    ...Object.fromEntries(
      stated.map(([name, [about, schema]]) => [name, value(defaults[name as keyof RoleDefaults], about, schema)]),
    ),
    ...(defaults.storage !== undefined && {
      storageClassName: value('', 'class of its volumes. Empty: `storageClassName` of the chart', string),
    }),
    extraArgs: value([], 'further arguments, as in `[--seen-memory=2048]`', {
      type: ['array', 'null'],
      // A flag of the command, or a value behind one.
      items: { type: 'string', pattern: `^(${flags.join('|')})(=[\\s\\S]*)?$|^[^-]|^-[^-]` },
    }),
    ...podValues,
  };
}

function withDefaults(values: ChartValues, defaults: Readonly<Record<string, unknown>>): ChartValues {
  return Object.fromEntries(
    Object.entries(values).map(([name, one]) => [name, name in defaults ? { ...one, default: defaults[name] } : one]),
  );
}

/** A JSON schema of values: other names are refused. `global` is what Helm gives charts within charts. */
export function schemaOf(values: ChartValues): JsonSchema {
  return closed(
    Object.fromEntries(
      Object.entries(values).map(([name, { about, schema }]) => [name, { ...schema, description: about }]),
    ),
  );
}
