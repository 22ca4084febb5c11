/** Every kustomization is rendered and validated; what the schemas don't know is asserted here. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import ipaddr from 'ipaddr.js';
import { runCommand } from '../../lab/process/command.ts';
import { outcomeKinds } from '../../schemas/types.ts';
import { metrics } from '../../services/runtime/metrics/metrics.ts';
import { compileAddressGuard } from '../../topology/fetch/address.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { type Labels, reaches } from './policy-reach.ts';
import { customSchemas, type Manifest, prepareTools, problemsOf, render } from './tools.ts';

const folder = fileURLToPath(new URL('../../deploy/', import.meta.url));
const places = ['base', 'overlays/local', 'overlays/production'] as const;
const textOf = (name: string) => readFile(`${folder}${name}`, 'utf8');
const isWorkload = ({ kind }: Manifest) => ['StatefulSet', 'Deployment', 'Job', 'CronJob'].includes(kind);
const isOurs = (one: Manifest) => one.metadata.labels?.['app.kubernetes.io/name'] === 'crawlstream';
/** What pods are made from: a CronJob's is in the Job that it makes. */
const templateOf = ({ spec }: Manifest) => (spec.jobTemplate?.spec ?? spec).template;

describe('the manifests', { timeout: 300_000 }, () => {
  const rendered = new Map<string, Manifest[]>();
  const all = () => [...rendered].flatMap(([place, manifests]) => manifests.map((manifest) => ({ place, manifest })));
  const workloads = () => all().filter(({ manifest }) => isWorkload(manifest) && isOurs(manifest));

  before(async () => {
    await prepareTools();
    for (const place of places) rendered.set(place, await render(`${folder}${place}`));
  });

  it('the manifests are accepted by Kubernetes, KEDA and the Prometheus operator, in every overlay', async () => {
    const schemas = await customSchemas();
    for (const [place, manifests] of rendered) {
      assert.ok(manifests.length >= 15, place);
      assert.deepEqual(await problemsOf(manifests, schemas), [], place);
    }
  });

  it('the manifests can be applied again after any change: a Job with another template has another name', async () => {
    const copy = copyOfDeploy();
    const file = join(copy, 'overlays/production/kustomization.yaml');
    const text = readFileSync(file, 'utf8');
    const jobAfter = async (from: string, to: string) => {
      assert.ok(text.includes(from), from);
      writeFileSync(file, text.replace(from, to));
      const job = (await render(join(copy, 'overlays/production'))).find(({ kind }) => kind === 'Job')!;
      return { name: job.metadata.name, template: JSON.stringify(job['spec'].template) };
    };
    const before = await jobAfter('CRAWL=crawl', 'CRAWL=crawl');
    assert.match(before.name, /^crawlstream-topics-\w{10}$/);
    // Nothing that the Job is told.
    assert.deepEqual(await jobAfter('count: 6', 'count: 7'), before);
    assert.deepEqual(await jobAfter('- CRAWL=crawl', '- CRAWL=crawl\n      - OTEL_SERVICE_NAME=crawl'), before);
    for (const [from, to, says] of [
      ['PARTITIONS=48', 'PARTITIONS=96', '"96"'],
      ['CRAWL=crawl', 'CRAWL=news', '"news"'],
      ['newTag: 0.3.0', 'newTag: 9.9.9', ':9.9.9'],
      ['MECHANISM=scram-sha-512', 'MECHANISM=plain', '"plain"'],
    ] as const) {
      const after = await jobAfter(from, to);
      assert.notEqual(after.name, before.name, to);
      assert.ok(after.template.includes(says), `${to}: ${after.template}`);
    }
  });

  it('the local overlay changes two options of the frontier, and keeps the others', () => {
    const argsIn = (place: string): string[] =>
      rendered
        .get(place)!
        .find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'crawlstream-frontier')!['spec']
        .template.spec.containers[0].args;
    const changed: Readonly<Record<string, string>> = {
      '--standbys=1': '--standbys=0',
      '--seen-memory=1024': '--seen-memory=128',
    };
    assert.deepEqual(
      argsIn('overlays/local'),
      argsIn('base').map((option) => changed[option] ?? option),
    );
    assert.equal(argsIn('base').filter((option) => option in changed).length, 2);
  });

  it('the manifests scale fetchers by the overlay’s own crawl and brokers', async () => {
    const { data } = rendered
      .get('overlays/production')!
      .find(({ kind, data }) => kind === 'ConfigMap' && data.BROKERS)!;
    const scaled = rendered.get('overlays/production')!.find(({ kind }) => kind === 'ScaledObject')!;
    const { query } = scaled['spec'].triggers[0].metadata;
    assert.equal(query, `sum(crawlstream_frontier_hosts{crawl="${data.CRAWL}",state=~"ready|leased"})`);
    const { metadata } = scaled['spec'].triggers.find(({ type }: { readonly type: string }) => type === 'kafka');
    assert.deepEqual(
      [metadata.bootstrapServers, metadata.consumerGroup, metadata.topic],
      [data.BROKERS, `${data.CRAWL}.fetcher`, `${data.CRAWL}.tasks`],
    );
  });

  it('the manifests let frontiers and labelled operators query a frontier at its own address, and give each pod 75 s to end', () => {
    for (const [place, manifests] of rendered) {
      const frontier = manifests.find(
        ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === 'crawlstream-frontier',
      )!;
      const { env } = frontier['spec'].template.spec.containers[0];
      const address = env.find(({ name }: { readonly name: string }) => name === 'POD_IP');
      assert.equal(address.valueFrom.fieldRef.fieldPath, 'status.podIP', place);
      const policy = manifests.find(({ metadata }) => metadata.name === 'crawlstream-frontiers')!['spec'];
      const mayAsk = (labels: Record<string, string>) =>
        policy.ingress[0].from.some((from: { readonly podSelector: Selector }) => selects(from.podSelector, labels));
      const own = { 'app.kubernetes.io/name': 'crawlstream' };
      assert.ok(mayAsk({ ...own, 'app.kubernetes.io/component': 'frontier' }), place);
      assert.ok(mayAsk({ 'crawlstream.io/operator': 'true' }), `${place}: a pod of an operator's own`);
      assert.ok(!mayAsk({ ...own, 'app.kubernetes.io/component': 'fetcher' }) && !mayAsk({ app: 'other' }), place);
      assert.equal(policy.egress[0].to[0].podSelector.matchLabels['app.kubernetes.io/component'], 'frontier');
    }
    for (const { place, manifest } of workloads().filter(({ manifest: { kind } }) => !kind.endsWith('Job'))) {
      const { terminationGracePeriodSeconds } = manifest['spec'].template.spec;
      assert.ok(terminationGracePeriodSeconds >= 75, `${place} ${manifest.metadata.name}`);
    }
  });

  it('the manifests’ monitor labels its targets for the alerts', () => {
    const { spec } = rendered.get('overlays/production')!.find(({ kind }) => kind === 'ServiceMonitor')!;
    assert.deepEqual(spec.endpoints[0].relabelings, [{ targetLabel: 'program', replacement: 'crawlstream' }]);
  });

  it('the component for EKS Pod Identity opens its address to the pods that use object storage, and no other link-local one', async () => {
    const copy = copyOfDeploy();
    mkdirSync(join(copy, 'mine'));
    const kustomization = { resources: ['../base'], components: ['../components/pod-identity'] };
    writeFileSync(join(copy, 'mine/kustomization.yaml'), JSON.stringify(kustomization));
    const manifests = await render(join(copy, 'mine'));
    assert.deepEqual(await problemsOf(manifests, {}), []);
    const may = (of: readonly Manifest[], role: string, address: string) =>
      reaches({ manifests: of, namespace: 'crawls' }, podOf(role), { address }, 80);
    for (const address of ['169.254.170.23', 'fd00:ec2::23'])
      for (const role of ['frontier', 'archive', 'snapshots', 'fetcher', 'dedup']) {
        assert.equal(may(manifests, role, address), !['fetcher', 'dedup'].includes(role), `${role} ${address}`);
        assert.ok(!may(rendered.get('base')!, role, address), `${role} ${address} without it`);
      }
    for (const address of ['169.254.169.254', 'fd00:ec2::254', '169.254.170.2'])
      assert.ok(!may(manifests, 'frontier', address), address);
  });

  it('the rule that the base has as a comment lets every role reach token servers and collectors', async () => {
    const copy = copyOfDeploy();
    const file = join(copy, 'base/network.yaml');
    const text = readFileSync(file, 'utf8');
    const uncommented = text.replace(/^( +)# (- to: .*observability.*\n)\1# (.*\n)/m, '$1$2$1$3');
    assert.notEqual(uncommented, text);
    writeFileSync(file, uncommented);
    const manifests = await render(join(copy, 'base'));
    assert.deepEqual(await problemsOf(manifests, {}), []);
    for (const role of ['frontier', 'fetcher', 'dedup', 'archive', 'index', 'graph', 'topics'])
      for (const port of [4318, 443]) {
        const may = (of: readonly Manifest[], namespace: string) =>
          reaches({ manifests: of, namespace: 'crawls' }, podOf(role), { namespace }, port);
        assert.ok(may(manifests, 'observability'), `${role} ${port}`);
        assert.ok(!may(manifests, 'others'), `${role} ${port} elsewhere`);
        assert.ok(!may(rendered.get('base')!, 'observability'), `${role} ${port} without it`);
      }
  });

  it('an error in any manifest is found', async () => {
    const manifests = structuredClone(rendered.get('overlays/production')!);
    const find = (kind: string) => manifests.find((one) => one.kind === kind)!;
    find('StatefulSet')['spec'].replica = 3;
    find('Deployment')['spec'].template.spec.containers[0].livenessProbe.httpGet.port = {};
    find('ScaledObject')['spec'].maxReplicas = 3;
    find('NetworkPolicy')['spec'].policyTypes = 'Egress';
    find('ServiceMonitor')['spec'].endpoints[0].port = 9;
    find('PrometheusRule')['spec'].groups[0].rules[0].expression = 'up';
    const problems = await problemsOf(manifests, await customSchemas());
    assert.equal(problems.length, 6, problems.join('\n'));
  });

  it('every process runs as a non-root user on a read-only root, with declared resources', () => {
    assert.ok(workloads().length >= 15);
    for (const { place, manifest } of workloads()) {
      const { spec } = templateOf(manifest);
      const [container] = spec.containers;
      const where = `${place} ${manifest.metadata.name}`;
      assert.equal(spec.securityContext.runAsNonRoot, true, where);
      assert.ok(spec.securityContext.runAsUser > 0, where);
      assert.equal(spec.securityContext.seccompProfile.type, 'RuntimeDefault', where);
      assert.equal(spec.automountServiceAccountToken, false, where);
      const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext;
      assert.deepEqual([allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop], [false, true, ['ALL']]);
      assert.ok(container.resources.requests.cpu && container.resources.requests.memory, where);
      assert.ok(
        container.volumeMounts.some(({ mountPath }: { mountPath: string }) => mountPath === '/tmp'),
        where,
      );
      if (manifest.kind.endsWith('Job')) continue;
      assert.deepEqual(
        ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) => container[probe].httpGet.path),
        ['/startupz', '/livez', '/readyz'],
        where,
      );
      assert.ok(spec.topologySpreadConstraints.length > 0, where);
    }
  });

  it('the kubelet gives a process that restores a state hours before it would kill it', () => {
    for (const { place, manifest } of workloads().filter(({ manifest: { kind } }) => kind === 'StatefulSet')) {
      const { periodSeconds, failureThreshold } = templateOf(manifest).spec.containers[0].startupProbe;
      const hours = (periodSeconds * failureThreshold) / 3_600;
      assert.ok(hours >= 6, `${place} ${manifest.metadata.name}: ${hours} hours`);
    }
  });

  it('every process is started with valid options of its command', async () => {
    const help = new Map<string, string>();
    for (const { place, manifest } of workloads()) {
      const { args, env = [], envFrom = [] } = templateOf(manifest).spec.containers[0];
      const words = (args as string[]).filter((arg) => !arg.startsWith('-'));
      const command = ['topics', 'state'].includes(words[0]!) ? words.slice(0, 2) : words.slice(0, 1);
      const name = command.join(' ');
      const text = help.get(name) ?? (await runCommand([...command, '--help'])).stdout;
      help.set(name, text);
      for (const option of (args as string[]).filter((arg) => arg.startsWith('-')))
        assert.match(text, new RegExp(`${option.split('=')[0]}[ ,]`), `${place}: ${name} ${option}`);
      const config = configOf(rendered.get(place)!, envFrom);
      const set = new Set([...Object.keys(config), ...env.map((one: { name: string }) => one.name)]);
      for (const [, variable] of (args as string[]).join(' ').matchAll(/\$\((\w+)\)/g)) assert.ok(set.has(variable!));
    }
  });

  it('the manifests name no contact and no bucket, and the processes that need one refuse to start, by the option’s name', async () => {
    const configs = [...rendered].map(
      ([place, manifests]) =>
        [place, manifests.find(({ data }) => data?.BROKERS)!['data'] as Record<string, string>] as const,
    );
    for (const [place, config] of configs)
      for (const [name, value] of Object.entries(config))
        assert.doesNotMatch(value, /s3:|example\./, `${place}: ${name}`);
    for (const [place, config] of configs) assert.equal(config['CONTACT'], '', place);
    const [[, config]] = configs as [(typeof configs)[number]];
    for (const [name, option] of [
      ['crawlstream-fetcher', '--contact'],
      ['crawlstream-frontier', '--snapshot-to'],
      ['crawlstream-archive', '--archive-to'],
    ] as const) {
      const manifest = rendered.get('base')!.find((one) => isWorkload(one) && one.metadata.name === name)!;
      const args = templateOf(manifest).spec.containers[0].args as string[];
      const { code, stderr } = await runCommand(
        args.map((arg) => arg.replace(/\$\((\w+)\)/, (_, key) => config[key]!)),
      );
      assert.notEqual(code, 0, name);
      assert.match(stderr, new RegExp(`${option}\\b.*give`), name);
    }
  });

  it('budgets, services and policies select their own pods', () => {
    for (const [place, manifests] of rendered) {
      const pods = manifests.filter(isWorkload).map((one) => templateOf(one).metadata.labels);
      for (const { kind, metadata, spec } of manifests) {
        const selector = { PodDisruptionBudget: spec?.selector?.matchLabels, Service: spec?.selector }[kind];
        if (selector === undefined) continue;
        const chosen = pods.filter((labels) => Object.entries(selector).every(([name, is]) => labels[name] === is));
        assert.ok(chosen.length > 0, `${place}: ${kind} ${metadata.name} selects nothing`);
        if (kind === 'PodDisruptionBudget') assert.equal(chosen.length, 1, metadata.name);
      }
      const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
      // An empty selector would be of every pod of the namespace, whoever's.
      assert.ok(policies.length >= 5, place);
      for (const { spec, metadata } of policies) assert.ok(Object.keys(spec.podSelector).length > 0, metadata.name);
    }
  });

  it('fetchers reach the web, and no address that they would refuse themselves', () => {
    const web = rendered.get('base')!.find(({ metadata }) => metadata.name === 'crawlstream-web')!;
    const blocks = web['spec'].egress[0].to.map((one: { ipBlock: IpBlock }) => one.ipBlock) as IpBlock[];
    const isIn = (address: string, cidr: string) => {
      const [parsed, range] = [ipaddr.parse(address), ipaddr.parseCIDR(cidr)];
      return parsed.kind() === range[0].kind() && parsed.match(range as never);
    };
    const reaches = (address: string) =>
      blocks.some(({ cidr, except }) => isIn(address, cidr) && !except.some((one) => isIn(address, one)));
    const guard = compileAddressGuard(false);
    for (const address of ['93.184.216.34', '1.1.1.1', '2606:2800:220:1::1']) {
      assert.ok(reaches(address), address);
      assert.equal(guard(address), false, address);
    }
    const inner = ['10.1.2.3', '172.16.0.1', '192.168.1.1', '127.0.0.1', '169.254.169.254', '100.64.0.1', '0.0.0.0'];
    for (const address of [...inner, '224.0.0.1', '::1', 'fd00::1', 'fe80::1', '::ffff:10.0.0.1', '64:ff9b::a00:1']) {
      assert.ok(!reaches(address), address);
      assert.equal(guard(address), true, address);
    }
  });
});

const podOf = (role: string): Labels => ({
  'app.kubernetes.io/name': 'crawlstream',
  'app.kubernetes.io/component': role,
});

function copyOfDeploy(): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: 'In'; readonly values: string[] }[];
}

/** As Kubernetes selects: by every label and every expression. */
function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Readonly<Record<string, string>>) {
  const isOne = ({ key, operator, values }: { key: string; operator: string; values: readonly string[] }) => {
    assert.equal(operator, 'In');
    return values.includes(labels[key] ?? '');
  };
  return Object.entries(matchLabels).every(([name, is]) => labels[name] === is) && matchExpressions.every(isOne);
}

interface IpBlock {
  readonly cidr: string;
  readonly except: readonly string[];
}

/** What its ConfigMaps put into a container's environment. */
function configOf(manifests: readonly Manifest[], envFrom: readonly { configMapRef?: { name: string } }[]) {
  const names = envFrom.map(({ configMapRef }) => configMapRef?.name);
  const maps = manifests.filter(({ kind, metadata }) => kind === 'ConfigMap' && names.includes(metadata.name));
  return Object.assign({}, ...maps.map(({ data }) => data)) as Record<string, string>;
}

describe('alerts, board and scaling', () => {
  const files = ['monitoring/alerts.yaml', 'monitoring/board.json', 'autoscaling/fetcher.yaml'];

  it('alerts, board and scaling query exported metrics, by existing labels', async () => {
    let asked = 0;
    for (const file of files) {
      for (const [, name, labels = ''] of (await textOf(file)).matchAll(/\b(crawlstream_\w+)(?:\{([^}]*)\})?/g)) {
        const base = name!.replace(/_(bucket|sum|count)$/, '');
        const spec = (metrics as Record<string, { kind: string; labels: readonly string[] }>)[base];
        assert.ok(spec, `${file}: ${name} is not told`);
        assert.equal(base !== name, spec.kind === 'histogram', `${file}: ${name}`);
        for (const [, label] of labels.matchAll(/(\w+)=~?\\?"/g))
          assert.ok(label === 'crawl' || spec.labels.includes(label!), `${file}: ${name} has no ${label}`);
        asked += 1;
      }
    }
    assert.ok(asked > 40);
  });

  it('alerts, board and scaling cover what should never grow: stopped partitions, cut inputs, foreign or misrouted records', async () => {
    for (const file of files.slice(0, 2)) {
      const text = await textOf(file);
      for (const name of ['stopped', 'cut_inputs_total', 'foreign_records_total', 'misrouted_total', 'fetchers'])
        assert.ok(text.includes(`crawlstream_frontier_${name}`), `${file}: ${name}`);
    }
  });

  it('alerts, board and scaling name existing outcomes', async () => {
    for (const file of files) {
      for (const [, values] of (await textOf(file)).matchAll(/outcome=~?\\?"([^"\\]+)\\?"/g))
        for (const one of values!.split('|')) assert.ok((outcomeKinds as readonly string[]).includes(one), one);
    }
  });

  it('the board can be drawn: panels have queries, and none overlaps another', async () => {
    const { panels } = JSON.parse(await textOf('monitoring/board.json')) as { panels: Panel[] };
    assert.ok(panels.length >= 15);
    const cells = new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`));
    assert.equal(cells.size, panels.length);
    for (const { targets, title } of panels) assert.ok(targets.length > 0, title);
  });
});

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number };
  readonly targets: readonly unknown[];
}
