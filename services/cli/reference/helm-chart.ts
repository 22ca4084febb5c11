/**
 * The Helm chart, made from the manifests that kustomize takes: what differs between crawls becomes a value, and the
 * rest is copied word for word, so that neither falls behind the other.
 */
import { parseAllDocuments, stringify } from 'yaml';

// Manifests are data of a hundred shapes.
// biome-ignore lint/suspicious/noExplicitAny: read by path, as kustomize does
type Manifest = any;

const nameLabel = { 'app.kubernetes.io/name': 'crawlstream' };

/** Files of deploy/, and the value that switches each on; null: always there. */
export const chartSources: Readonly<Record<string, string | null>> = {
  'base/service-account.yaml': null,
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
};

/** Settings of every process, by the names that its arguments use; the chart's values have the same names. */
const settings: Readonly<Record<string, string | number>> = {
  BROKERS: 'kafka-bootstrap.kafka:9092',
  REGISTRY: 'http://registry.kafka:8080/apis/ccompat/v7',
  CRAWL: 'crawl',
  PARTITIONS: 12,
  CONTACT: 'https://example.org/crawler',
  SNAPSHOTS: 's3://crawlstream/snapshots',
  ARCHIVE: 's3://crawlstream/warc',
  OPENSEARCH: 'http://opensearch.search:9200',
  OPENSEARCH_INDEX: 'crawl',
  URLFRONTIER: 'urlfrontier',
};

/** Texts of the chart's files, by path in its folder. `read`: a file of deploy/. */
export function helmChart(version: string, read: (file: string) => string): Readonly<Record<string, string>> {
  const chart = new Chart();
  const templates = Object.entries(chartSources).map(([file, condition]) => {
    const documents = parseAllDocuments(read(file)).map((one) => one.toJS() as Manifest);
    // A component's labels are its own.
    if (file.startsWith('base/')) for (const one of documents) addLabels(one);
    const text = documents.map((one) => `---\n${chart.template(one)}`).join('');
    const name = file.slice(file.lastIndexOf('/') + 1);
    const guarded = condition === null ? text : `{{- if .Values.${condition} }}\n${text}{{- end }}\n`;
    return [`templates/${name}`, `{{- /* Made from deploy/${file}: npm run generate */}}\n${guarded}`] as const;
  });
  return {
    'Chart.yaml': stringify({
      apiVersion: 'v2',
      name: 'crawlstream',
      description: 'A web-crawl frontier and crawler as a Kafka stream-processing topology',
      type: 'application',
      version,
      appVersion: version,
      kubeVersion: '>=1.27.0-0',
    }),
    'values.yaml': chart.values(version),
    'templates/settings.yaml': settingsTemplate,
    ...Object.fromEntries(templates),
  };
}

const settingsTemplate = `{{- /* What every process is told. A change of it starts the pods anew: see their annotation. */}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: crawlstream
  labels:
    app.kubernetes.io/name: crawlstream
data:
  {{- range $name, $value := .Values.settings }}
  {{ $name }}: {{ $value | toString | quote }}
  {{- end }}
`;

class Chart {
  /** Go templates that stand where the marks are, in YAML that knows nothing of them. */
  readonly #marks: string[] = [];
  readonly #roles: Record<string, Record<string, unknown>> = {};

  template(manifest: Manifest): string {
    const pods = manifest.spec?.jobTemplate?.spec.template ?? manifest.spec?.template;
    if (pods !== undefined) this.#role(manifest, pods);
    if (manifest.metadata.annotations?.['internal.config.kubernetes.io/needsHashSuffix'] !== undefined) {
      // Replaces kustomize's own annotation: a Job is named by its settings.
      delete manifest.metadata.annotations;
      const checksum = '(list .Values.settings .Values.image .Values.extraEnv | toJson | sha256sum | trunc 10)';
      manifest.metadata.name = this.#mark(`{{ printf "${manifest.metadata.name}-%s" ${checksum} }}`);
    }
    return this.#filled(stringify(manifest, { lineWidth: 0 }));
  }

  #role(manifest: Manifest, pods: Manifest): void {
    const { spec } = pods;
    const [container] = spec.containers;
    const role: string = container.name;
    const values: Record<string, unknown> = { resources: container.resources };
    const value = (path: string) => this.#mark(`{{ .Values.${role}.${path} }}`);
    if (chartSources[`base/${role}.yaml`] !== null) values['enabled'] = chartSources[`base/${role}.yaml`] !== undefined;
    if (manifest.spec.replicas !== undefined) {
      values['replicas'] = manifest.spec.replicas;
      manifest.spec.replicas = value('replicas');
    }
    const claim = manifest.spec.volumeClaimTemplates?.[0];
    if (claim !== undefined) {
      values['storage'] = claim.spec.resources.requests.storage;
      claim.spec.resources.requests.storage = value('storage');
    }
    const image = container.image === 'crawlstream' ? 'image' : 'renderImage';
    container.image = this.#mark(`{{ .Values.${image}.repository }}:{{ .Values.${image}.tag }}`);
    container.resources = this.#block(`.Values.${role}.resources`);
    const args = container.args.map((arg: string) => (arg in settings ? this.#setting(arg) : arg));
    // The graph is made of what fetchers publish.
    if (role === 'fetcher') args.push(this.#block('.Values.graph.enabled | ternary (list "--outlinks") list'));
    values['extraArgs'] = [];
    container.args = this.#list(args, `.Values.${role}.extraArgs`);
    container.env = this.#list(container.env, '.Values.extraEnv');
    container.envFrom = this.#list(container.envFrom, '.Values.extraEnvFrom');
    container.volumeMounts = this.#list(container.volumeMounts, '.Values.extraVolumeMounts');
    spec.volumes = this.#list(spec.volumes, '.Values.extraVolumes');
    if (!manifest.kind.endsWith('Job')) {
      pods.metadata.annotations = {
        'checksum/settings': this.#mark('{{ toJson .Values.settings | sha256sum }}', true),
      };
    }
    this.#roles[role] = values;
  }

  values(version: string): string {
    const flat = {
      image: { repository: 'crawlstream', tag: version },
      renderImage: { repository: 'crawlstream-render', tag: version },
      settings,
      networkPolicies: true,
      extraEnv: [],
      extraEnvFrom: [],
      extraVolumes: [],
      extraVolumeMounts: [],
      ...this.#roles,
    };
    const notes: Readonly<Record<string, string>> = {
      settings: 'The crawl: every process gets the same. SNAPSHOTS, ARCHIVE: s3://bucket/prefix.',
      networkPolicies: 'Nothing in or out of the pods but what they need; brokers in the namespace kafka.',
      extraEnv: 'Of every container: credentials by reference, as in deploy/overlays/production.',
    };
    const head = '# Made from the manifests in deploy/base and deploy/components: npm run generate\n';
    return (
      head +
      Object.entries(flat)
        .map(([name, value]) => noted(notes[name], { [name]: value }))
        .join('')
    );
  }

  /** What is told by the ConfigMap elsewhere, in the words of a Job, which is named by them. */
  #setting(name: string): string {
    return this.#mark(`{{ .Values.settings.${name} | toString }}`, true);
  }

  /** `own` entries first, then those of a value. */
  #list(own: readonly unknown[] | undefined, value: string): unknown[] {
    return [...(own ?? []), this.#block(value)];
  }

  #block(value: string): string {
    return this.#mark(`block ${value}`);
  }

  #mark(template: string, quotes = false): string {
    this.#marks.push(quotes ? template.replace('}}', '| quote }}') : template);
    return `<<mark ${this.#marks.length - 1}>>`;
  }

  #filled(text: string): string {
    const lines = text.split('\n').flatMap((line) => {
      const [mark, number] = /<<mark (\d+)>>/.exec(line) ?? [];
      if (mark === undefined) return [line];
      const template = this.#marks[Number(number)]!;
      if (!template.startsWith('block ')) return [line.replace(mark, template)];
      const value = template.slice('block '.length);
      const indent = line.length - line.trimStart().length;
      // An item of a list is as many items as the value has; a field holds the value below it.
      if (line.trimStart().startsWith('- '))
        return [
          `${' '.repeat(indent)}{{- with ${value} }}`,
          `${' '.repeat(indent)}{{- toYaml . | nindent ${indent} }}`,
          `${' '.repeat(indent)}{{- end }}`,
        ];
      const field = line.slice(0, line.indexOf(mark)).trimEnd();
      return [field, `${' '.repeat(indent)}{{- toYaml ${value} | nindent ${indent + 2} }}`];
    });
    // A list that a value alone fills is none where the value is empty.
    return lines.join('\n').replaceAll(loneList, '$3$1$2:\n$4');
  }
}

const loneList = /^( *)(env|envFrom):\n( *\{\{- with [.\w]+ \}\}\n)(.*\n *\{\{- end \}\}\n)/gm;

function noted(note: string | undefined, value: object): string {
  return `\n${note === undefined ? '' : `# ${note}\n`}${stringify(value, { lineWidth: 0 })}`;
}

/** The label of all our pods, wherever kustomize's `labels` with selectors puts it. */
function addLabels(manifest: Manifest): void {
  const add = (object: Manifest, field: string) => {
    object[field] = { ...object[field], ...nameLabel };
  };
  add(manifest.metadata, 'labels');
  const { kind, spec } = manifest;
  if (spec === undefined) return;
  const pods = spec.template;
  if (pods !== undefined) add(pods.metadata, 'labels');
  for (const { metadata } of spec.volumeClaimTemplates ?? []) add(metadata, 'labels');
  if (kind === 'Service') add(spec, 'selector');
  else if (kind === 'NetworkPolicy') addToPolicy(spec, add);
  else if (spec.selector !== undefined) add(spec.selector, 'matchLabels');
  for (const { labelSelector } of pods?.spec.topologySpreadConstraints ?? []) add(labelSelector, 'matchLabels');
}

function addToPolicy(spec: Manifest, add: (object: Manifest, field: string) => void): void {
  add(spec.podSelector, 'matchLabels');
  const peers = [...(spec.ingress ?? []), ...(spec.egress ?? [])].flatMap((rule) => rule.from ?? rule.to ?? []);
  for (const { podSelector } of peers) {
    if (podSelector?.matchLabels?.['app.kubernetes.io/component'] !== undefined) add(podSelector, 'matchLabels');
  }
}
