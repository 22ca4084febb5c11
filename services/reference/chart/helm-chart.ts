/**
 * Makes the Helm chart from the manifests of kustomize: settings that differ between crawls become values, and the rest
 * is copied word for word, so the two never diverge. Parts without a manifest are written by hand in
 * deploy/helm/crawlstream/templates: names, egress, notes, the test, and resources of operators.
 */
import type { Command } from 'commander';
import { parseAllDocuments, stringify } from 'yaml';
import { envOf, serviceNames, settingsOf } from '../../cli/config/settings.ts';
import { argumentSettings, settingsSchema } from './chart-settings.ts';
import { type ChartValues, chartValues, roleValues, schemaOf } from './chart-values.ts';
import { addLabels, type Manifest } from './manifest-labels.ts';
import { TemplateMarks } from './template-marks.ts';

/** Files of deploy/, and the value that switches each on; null: always there. */
export const chartSources: Readonly<Record<string, string | null>> = {
  'base/topics.yaml': null,
  'base/frontier.yaml': null,
  'base/fetcher.yaml': null,
  'base/metrics.yaml': null,
  'base/network.yaml': 'networkPolicies',
  'base/dedup.yaml': 'dedup.enabled',
  'base/archive.yaml': 'archive.enabled',
  'components/index/index.yaml': 'index.enabled',
  'components/graph/graph.yaml': 'graph.enabled',
  'components/render/render.yaml': 'render.enabled',
  'components/urlfrontier/urlfrontier.yaml': 'urlfrontier.enabled',
  'components/snapshots/snapshots.yaml': 'snapshots.enabled',
  'autoscaling/fetcher.yaml': 'autoscaling.enabled',
};

/** Files of deploy/ that templates read as they are. */
const copiedFiles: Readonly<Record<string, string>> = {
  'files/alerts.yaml': 'monitoring/alerts.yaml',
  'files/board.json': 'monitoring/board.json',
};

/** Required settings of roles: a role without its setting is left out. */
const neededSettings: Readonly<Record<string, string>> = { 'archive.enabled': 'ARCHIVE' };

/** Arguments that have no effect while a setting is empty: a part of the argument, and the setting. */
const conditionalArguments: Readonly<Record<string, string>> = {
  '$(REGISTRY)': 'REGISTRY',
  '$(SNAPSHOTS)': 'SNAPSHOTS',
  '--snapshot-every': 'SNAPSHOTS',
  '$(OPENSEARCH_INDEX)': 'OPENSEARCH_INDEX',
};

/** Arguments that volumes, ports, probes and names of pods rely on, as variables. A setting cannot replace them. */
export const fixedVariables: readonly string[] = [
  ...['--data', '--http', '--http-cert', '--http-key', '--instance-id'],
  ...['--port', '--address', '--tls-cert', '--tls-key'],
].map(variableOf);

/** Egress of policies with values as peers: see templates/_egress.tpl. */
const egressTemplates: Readonly<Record<string, string>> = {
  'crawlstream-inside': 'crawlstream.egress.inside',
  'crawlstream-storage': 'crawlstream.egress.storage',
  'crawlstream-search': 'crawlstream.egress.search',
};

export interface HelmChart {
  /** Texts of the chart's files, by path in its folder. */
  readonly files: Readonly<Record<string, string>>;
  readonly values: ChartValues;
  /** Values of each role, by its name. */
  readonly roles: Readonly<Record<string, ChartValues>>;
}

/** `read`: a file of deploy/. */
export function helmChart(version: string, program: Command, read: (file: string) => string): HelmChart {
  const chart = new Chart(program);
  const templates = Object.entries(chartSources).map(([file, condition]) => {
    const documents = parseAllDocuments(read(file)).map((one) => one.toJS() as Manifest);
    // A component's labels are its own.
    if (file.startsWith('base/')) for (const one of documents) addLabels(one);
    const text = documents.map((one) => `---\n${chart.template(one)}`).join('');
    const name = file === 'autoscaling/fetcher.yaml' ? 'autoscaling.yaml' : file.slice(file.lastIndexOf('/') + 1);
    const guarded = condition === null ? text : `{{- if ${conditionOf(condition)} }}\n${text}{{- end }}\n`;
    return [`templates/${name}`, `{{- /* Made from deploy/${file}: npm run generate */}}\n${guarded}`] as const;
  });
  const values = chartValues(version, settingsSchema(program, chart.settable));
  const roles = chart.roles;
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...schemaOf({
      ...values,
      ...Object.fromEntries(
        Object.entries(roles).map(([name, one]) => [
          name,
          { default: {}, about: `the role ${name}`, schema: schemaOf(one) },
        ]),
      ),
      global: { default: {}, about: 'what Helm gives charts within charts', schema: { type: 'object' } },
    }),
  };
  const description = 'A web-crawl frontier and crawler as a Kafka stream-processing topology';
  const chartFile = { apiVersion: 'v2', name: 'crawlstream', description, type: 'application', version };
  const files = {
    'Chart.yaml': stringify({ ...chartFile, appVersion: version, kubeVersion: '>=1.27.0-0' }),
    'values.yaml': valuesFile(values, roles),
    'values.schema.json': `${JSON.stringify(schema, null, 2)}\n`,
    ...Object.fromEntries(templates),
    ...Object.fromEntries(Object.entries(copiedFiles).map(([name, file]) => [name, read(file)])),
  };
  return { files, values, roles };
}

function conditionOf(condition: string): string {
  const setting = neededSettings[condition];
  return setting === undefined ? `.Values.${condition}` : `and .Values.${condition} .Values.settings.${setting}`;
}

class Chart {
  readonly #program: Command;
  readonly #variables: ReadonlySet<string>;
  readonly #marks = new TemplateMarks();
  readonly #roles: Record<string, ChartValues> = {};
  readonly #fixed = new Set(fixedVariables);
  /** Of commands that run in the pods: `inject` is typed there. */
  readonly #read: Set<string>;

  constructor(program: Command) {
    this.#program = program;
    this.#variables = new Set(settingsOf(program).map(({ env }) => env));
    this.#read = new Set(variablesOf(commandOf(program, ['inject'])));
  }

  get roles(): Readonly<Record<string, ChartValues>> {
    return this.#roles;
  }

  /** Variables that have an effect: a process reads them, and no argument of the templates comes before them. */
  get settable(): ReadonlySet<string> {
    return new Set([...this.#read].filter((variable) => !this.#fixed.has(variable)));
  }

  template(manifest: Manifest): string {
    const pods = manifest.spec?.jobTemplate?.spec.template ?? manifest.spec?.template;
    if (pods !== undefined) this.#role(manifest, pods);
    if (manifest.metadata.annotations?.['internal.config.kubernetes.io/needsHashSuffix'] !== undefined) {
      // Replaces kustomize's own annotation. A Job can't be changed: it is named by all that its template is made of.
      delete manifest.metadata.annotations;
      manifest.metadata.name = this.#marks.inline('{{ include "crawlstream.topicsJob" . }}');
    }
    if (manifest.kind === 'NetworkPolicy') this.#policy(manifest);
    if (manifest.kind === 'ScaledObject') this.#scaling(manifest);
    manifest.metadata.labels = {
      'app.kubernetes.io/name': 'crawlstream',
      ...manifest.metadata.labels,
      ...this.#ownLabels(),
    };
    return named(this.#marks.filled(stringify(manifest, { lineWidth: 0 })));
  }

  #ownLabels(): Readonly<Record<string, string>> {
    return { ['<<labels>>']: this.#marks.lines('include "crawlstream.labels" .') };
  }

  #policy(manifest: Manifest): void {
    const { name } = manifest.metadata;
    const egress = egressTemplates[name];
    if (egress !== undefined) manifest.spec.egress = this.#marks.block(`include "${egress}" . | fromYamlArray`);
    if (name !== 'crawlstream-inside') return;
    manifest.spec.ingress = this.#marks.block('include "crawlstream.ingress.inside" . | fromYamlArray');
  }

  #scaling({ spec }: Manifest): void {
    const value = (path: string) => this.#marks.inline(shown(`.Values.${path}`));
    spec.minReplicaCount = value('autoscaling.minReplicas');
    spec.maxReplicaCount = value('autoscaling.maxReplicas');
    const [hosts, lag] = spec.triggers;
    hosts.metadata.serverAddress = value('autoscaling.prometheus');
    hosts.metadata.query = hosts.metadata.query.replace('crawl="crawl"', `crawl="${value('settings.CRAWL')}"`);
    lag.metadata.bootstrapServers = this.#marks.inline('{{ include "crawlstream.kedaBrokers" . | quote }}');
    for (const field of ['consumerGroup', 'topic'])
      lag.metadata[field] = lag.metadata[field].replace(/^crawl\./, `${value('settings.CRAWL')}.`);
    lag.metadata['<<kafka>>'] = this.#marks.lines('include "crawlstream.kedaKafka" .');
    lag['<<login>>'] = this.#marks.lines('include "crawlstream.kedaLogin" .');
  }

  #role(manifest: Manifest, pods: Manifest): void {
    const { spec } = pods;
    const [container] = spec.containers;
    const role: string = container.name;
    const marks = this.#marks;
    const scope = `(dict "root" . "role" .Values.${role})`;
    const { replicas } = manifest.spec;
    const claim = manifest.spec.volumeClaimTemplates?.[0];
    const storage = claim?.spec.resources.requests.storage;
    const { minReadySeconds } = manifest.spec;
    const grace = spec.terminationGracePeriodSeconds;
    const condition = chartSources[`base/${role}.yaml`];
    const command = commandOf(this.#program, container.args);
    if (serviceNames.includes(command.name())) for (const variable of variablesOf(command)) this.#read.add(variable);
    const flags = command.options.flatMap(({ long }) => long ?? []);
    this.#roles[role] = roleValues(flags, {
      ...(condition !== null && { enabled: condition !== undefined }),
      ...(replicas !== undefined && { replicas }),
      ...(storage !== undefined && { storage }),
      ...(minReadySeconds !== undefined && { minReadySeconds }),
      ...(grace !== undefined && { terminationGracePeriodSeconds: grace }),
      resources: container.resources,
    });
    const value = (path: string) => marks.inline(shown(`.Values.${role}.${path}`));
    if (replicas !== undefined) manifest.spec.replicas = replicasOf(role, marks, value);
    if (minReadySeconds !== undefined) manifest.spec.minReadySeconds = value('minReadySeconds');
    if (grace !== undefined) spec.terminationGracePeriodSeconds = value('terminationGracePeriodSeconds');
    if (claim !== undefined) {
      claim.spec.resources.requests.storage = value('storage');
      claim.spec['<<class>>'] = marks.lines(`include "crawlstream.storageClass" ${scope}`);
    }
    spec.serviceAccountName = marks.inline('{{ include "crawlstream.serviceAccount" . }}');
    if (spec.topologySpreadConstraints !== undefined) {
      const own = spec.topologySpreadConstraints.map(({ labelSelector: _, ...one }: Manifest) => one);
      const args = `"root" . "role" .Values.${role} "component" "${role}" "own" (fromJsonArray ${JSON.stringify(JSON.stringify(own))})`;
      spec.topologySpreadConstraints = marks.block(`include "crawlstream.spread" (dict ${args}) | fromYamlArray`);
    }
    const { fsGroupChangePolicy } = spec.securityContext;
    const change = fsGroupChangePolicy === undefined ? 'dict' : `dict "fsGroupChangePolicy" "${fsGroupChangePolicy}"`;
    const merged = (field: string, first = 'dict') =>
      marks.block(
        `mergeOverwrite (${first}) (deepCopy (.Values.${field} | default dict)) (deepCopy (.Values.${role}.${field} | default dict))`,
      );
    spec.securityContext = merged('podSecurityContext', change);
    container.securityContext = merged('containerSecurityContext');
    spec['<<scheduling>>'] = marks.lines(`include "crawlstream.scheduling" ${scope}`);
    this.#container(role, container, spec);
    pods.metadata.labels['<<labels>>'] = marks.lines(`include "crawlstream.podLabels" ${scope}`);
    const checksum = manifest.kind.endsWith('Job') ? '' : ' "checksum" true';
    pods.metadata['<<annotations>>'] = marks.lines(
      `include "crawlstream.podAnnotations" (dict "root" . "role" .Values.${role}${checksum})`,
    );
  }

  #container(role: string, container: Manifest, spec: Manifest): void {
    const marks = this.#marks;
    const image = container.image === 'crawlstream' ? 'image' : 'renderImage';
    container.image = marks.inline(`{{ include "crawlstream.image" .Values.${image} }}`);
    container['<<pull>>'] = marks.lines(`include "crawlstream.pullPolicy" .Values.${image}`);
    container.resources = marks.block(`.Values.${role}.resources`);
    const args = this.#arguments(role, container.args);
    // The graph is made of what fetchers publish.
    if (role === 'fetcher') args.push(marks.item('.Values.graph.enabled | ternary (list "--outlinks") list'));
    const added = (own: readonly unknown[] | undefined, field: string) => [
      ...(own ?? []),
      marks.item(`concat (.Values.${field} | default list) (.Values.${role}.${field} | default list)`),
    ];
    container.args = [...args, marks.item(`.Values.${role}.extraArgs`)];
    container.env = added(container.env, 'extraEnv');
    container.envFrom = added(container.envFrom, 'extraEnvFrom');
    container.volumeMounts = added(container.volumeMounts, 'extraVolumeMounts');
    spec.volumes = added(spec.volumes, 'extraVolumes');
  }

  /**
   * Arguments of a Job name settings that other manifests read from the ConfigMap. They become conditions on values. An
   * argument with a literal value is a default: a variable that the user gives takes its place.
   */
  #arguments(role: string, args: readonly string[]): unknown[] {
    return args.map((arg, at) => {
      const next = args[at + 1];
      const setting =
        Object.entries(conditionalArguments).find(([text]) => arg.includes(text))?.[1] ??
        (arg === 'REGISTRY' || (arg === '--registry' && next === 'REGISTRY') ? 'REGISTRY' : undefined);
      const text = arg in argumentSettings ? `{{ include "crawlstream.text" .Values.settings.${arg} | quote }}` : arg;
      const conditions = [
        ...(setting === undefined ? [] : [`.Values.settings.${setting}`]),
        ...(next === undefined || next.startsWith('--') ? this.#unlessGiven(role, arg) : []),
      ];
      if (conditions.length > 1) return this.#marks.when(`and ${conditions.join(' ')}`, text);
      if (conditions.length === 1) return this.#marks.when(conditions[0]!.replace(/^\((.*)\)$/, '$1'), text);
      return text === arg ? arg : this.#marks.inline(text);
    });
  }

  #unlessGiven(role: string, arg: string): string[] {
    const variable = variableOf(arg.split('=', 1)[0]!);
    if (arg.includes('$(')) this.#fixed.add(variable);
    if (this.#fixed.has(variable) || !this.#variables.has(variable)) return [];
    return [`(not (include "crawlstream.given" (dict "root" . "role" .Values.${role} "name" "${variable}")))`];
  }
}

/** `--seen-memory`: CRAWLSTREAM_SEEN_MEMORY. */
function variableOf(flag: string): string {
  return `CRAWLSTREAM_${flag.slice(2).replaceAll('-', '_').toUpperCase()}`;
}

function variablesOf({ options }: Command): string[] {
  return options.map((option) => envOf(option.attributeName()));
}

/** The command that these arguments begin with. */
function commandOf(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const word of args) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    command = next;
  }
  return command;
}

/** Helm would write a whole number of a million or more as 1e+06. */
function shown(value: string): string {
  return `{{ include "crawlstream.text" ${value} }}`;
}

/** With autoscaling, KEDA sets the number of fetchers. */
function replicasOf(role: string, marks: TemplateMarks, value: (path: string) => string): string {
  if (role !== 'fetcher') return value('replicas');
  return marks.inline('{{ .Values.autoscaling.enabled | ternary "null" .Values.fetcher.replicas }}');
}

/**
 * Prefixes names with the release's, so that two crawls in a namespace share nothing and select no pod of each other.
 */
function named(text: string): string {
  const full = '{{ include "crawlstream.fullname" . }}';
  return text
    .replaceAll(/^( *(?:- )?(?:name|secretName|serviceName): )crawlstream(-[-a-z]+)?$/gm, `$1${full}$2`)
    .replaceAll(/(app\.kubernetes\.io\/name: )crawlstream$/gm, `$1${full}`);
}

function valuesFile(values: ChartValues, roles: Readonly<Record<string, ChartValues>>): string {
  const head =
    '# Made from the manifests in deploy/base and deploy/components: npm run generate\n# deploy/CHART.md describes every value.\n';
  const noted = (about: string, name: string, value: unknown) =>
    `\n# ${about}\n${stringify({ [name]: value }, { lineWidth: 0 })}`;
  return (
    head +
    Object.entries(values)
      .map(([name, one]) => noted(one.about, name, one.default))
      .join('') +
    Object.entries(roles)
      .map(([name, one]) =>
        noted(
          `The role ${name}`,
          name,
          Object.fromEntries(Object.entries(one).map(([field, { default: otherwise }]) => [field, otherwise])),
        ),
      )
      .join('')
  );
}
