/** The Helm chart by Helm itself, as a platform team would use it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { historyMissing, isCutOff, type Release, releases } from '../upgrade/releases.ts';
import { chartFolder, everything, helm, kubernetes, manifestsOf, required, runHelm, template } from './helm.ts';
import { kubernetesServer } from './kubernetes-server.ts';
import { isReachedBy, type Labels, reaches, selects } from './policy-reach.ts';
import { customSchemas, type Manifest, prepareTools, problemsOf } from './tools.ts';

const run = promisify(execFile);
const skip = (await helm.skipReason()) ?? false;
const set = (...values: readonly string[]) => values.flatMap((value) => ['--set', value]);
const workloads = (manifests: readonly Manifest[]) =>
  manifests.filter(({ kind }) => ['StatefulSet', 'Deployment', 'Job', 'CronJob'].includes(kind));
const podsOf = ({ kind, spec, ...rest }: Manifest) =>
  kind === 'Pod' ? { metadata: rest.metadata, spec } : (spec.jobTemplate?.spec ?? spec).template;
const named = (manifests: readonly Manifest[], kind: string, name: string) =>
  manifests.find((one) => one.kind === kind && one.metadata.name === name);
const dataOf = (manifests: readonly Manifest[], name = 'crawlstream') =>
  named(manifests, 'ConfigMap', name)!['data'] as Record<string, string>;
const annotationsOf = ({ metadata }: Manifest) =>
  (metadata as { readonly annotations?: Record<string, string> }).annotations ?? {};
const labelsOf = (component: string, name = 'crawlstream'): Labels => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/component': component,
});

describe('the Helm chart', { skip, timeout: 300_000 }, () => {
  before(() => prepareTools());

  it('the chart passes helm lint, as it comes and with everything on', async () => {
    for (const args of [required, [...required, ...everything]]) {
      const { code, stdout } = await runHelm(['lint', '--strict', chartFolder, ...kubernetes, ...args]);
      assert.equal(code, 0, stdout);
    }
  });

  it('the chart’s objects are accepted by Kubernetes, KEDA and the Prometheus operator', async () => {
    const schemas = await customSchemas();
    for (const args of [required, [...required, ...everything], [...required, ...everything, ...podSettings]]) {
      const manifests = await manifestsOf('news', args);
      assert.deepEqual(await problemsOf(manifests, schemas), []);
    }
  });

  it('the chart refuses to render without brokers or contact, and names the missing value', async () => {
    for (const [missing, args] of [
      ['settings.BROKERS', set('settings.CONTACT=a@example.org')],
      ['settings.CONTACT', set('settings.BROKERS=kafka:9092')],
      ['settings.OPENSEARCH', [...required, ...set('index.enabled=true')]],
      ['settings.SNAPSHOTS', [...required, ...set('snapshots.enabled=true')]],
    ] as const) {
      const { code, stderr } = await template('crawlstream', args);
      assert.notEqual(code, 0, missing);
      assert.ok(stderr.includes(`${missing} is empty`), stderr);
    }
  });

  it('the chart writes the goal of freshness into its alert: a week, or other days', async () => {
    const ageIn = async (...values: string[]) => {
      const manifests = await manifestsOf('news', [...required, ...set('alerts.enabled=true', ...values)]);
      return /page_age_seconds\S+ > ([\d *.]+)/.exec(JSON.stringify(manifests))?.[1];
    };
    assert.equal(await ageIn(), '86400 * 7');
    assert.equal(await ageIn('alerts.freshnessDays=30'), '86400 * 30');
  });

  it('the chart names no contact, bucket, broker, registry or search server that the user did not give', async () => {
    const data = dataOf(await manifestsOf('crawlstream', required));
    assert.deepEqual(data, {
      BROKERS: 'kafka:9092',
      CONTACT: 'crawl@example.org',
      CRAWL: 'crawl',
      PARTITIONS: '12',
      URLFRONTIER: 'urlfrontier',
    });
    const manifests = await manifestsOf('crawlstream', required);
    const text = JSON.stringify(workloads(manifests));
    for (const unset of ['$(REGISTRY)', '$(SNAPSHOTS)', '--snapshot-every', '$(ARCHIVE)', 's3://', '--registry'])
      assert.ok(!text.includes(unset), unset);
    assert.equal(named(manifests, 'Deployment', 'crawlstream-archive'), undefined);
    // Every variable in an argument is one that the pod has.
    for (const manifest of workloads(manifests))
      for (const [, variable] of JSON.stringify(manifest).matchAll(/\$\((\w+)\)/g))
        assert.ok(variable! in data, `${manifest.metadata.name}: ${variable}`);
  });

  it('the chart refuses misspelt and ill-typed values by name', async () => {
    for (const [values, name] of [
      ['frontier.replicas=abc', 'replicas'],
      ['fetcher.replica=9', 'replica'],
      ['frontier.replicas=-1', 'replicas'],
      ['frontier.replicas=1.5', 'replicas'],
      ['image.tagg=x', 'tagg'],
      ['images.tag=x', 'images'],
      ['settings.CRAWL=', 'CRAWL'],
      ['settings.CRAWL=a b', 'CRAWL'],
      ['settings.BROKER=kafka:9092', 'BROKER'],
      ['settings.BROKERS=kafka', 'BROKERS'],
      ['settings.CONTACT=me', 'CONTACT'],
      ['settings.PARTITIONS=0', 'PARTITIONS'],
      ['settings.PARTITIONS=many', 'PARTITIONS'],
      ['settings.REGISTRY=registry', 'REGISTRY'],
      ['settings.SNAPSHOTS=bucket', 'SNAPSHOTS'],
      ['settings.CRAWLSTREAM_CONCURENCY=9', 'CRAWLSTREAM_CONCURENCY'],
      ['settings.CRAWLSTREAM_KAFKA_PASSWORD=secret', 'CRAWLSTREAM_KAFKA_PASSWORD'],
      ['networkPolicies=yes please', 'networkPolicies'],
      ['network.broker.ports={9094}', 'broker'],
      ['network.brokers.ports={high}', 'ports'],
      ['frontier.storage=20Gigabytes', 'storage'],
      ['frontier.resources.request.cpu=1', 'request'],
      ['frontier.resources.requests.memory=lots', 'memory'],
      ['frontier.extraArgs=--standbys=2', 'extraArgs'],
      ['extraEnv[0].nam=X', 'name'],
      ['tolerations=all', 'tolerations'],
      ['nodeSelector.pool=1', 'pool'],
      ['serviceAccount.anotations.a=b', 'anotations'],
      ['topics.replicas=2', 'replicas'],
      ['archive.enabled=maybe', 'enabled'],
      ['fullnameOverride=News_1', 'fullnameOverride'],
      ['fullnameOverride=2026-news', 'fullnameOverride'],
      ['nameOverride=News', 'nameOverride'],
      ['alerts.runbook=wiki', 'runbook'],
      ['storageClassname=fast', 'storageClassname'],
      ['frontier.storage=-5', 'storage'],
      ['frontier.resources.limits.memory=-1', 'memory'],
      ['frontier.extraArgs={--standbyz=2}', 'extraArgs'],
      ['topics.extraArgs={--standbys=2}', 'extraArgs'],
      ['snapshots.extraArgs={--standbys=2}', 'extraArgs'],
      ['extraEnv[0].name=X,extraEnv[0].value=5', 'value'],
      ['extraEnv[0].name=X,extraEnv[0].valuesFrom.a=b', 'valuesFrom'],
      ['extraEnvFrom[0].secret.name=login', 'secret'],
      ['extraVolumeMounts[0].name=a,extraVolumeMounts[0].mountPath=/a,extraVolumeMounts[0].readonly=true', 'readonly'],
      ['tolerations[0].key=5', 'key'],
      ['tolerations[0].keys=crawl', 'keys'],
      ['imagePullSecrets={pull}', 'imagePullSecrets'],
      ['network.brokers.to[0].podSelectr.a=b', 'podSelectr'],
      ['network.metricsFrom[0].namespace=obs', 'namespace'],
      ['serviceMonitor.interval=15', 'interval'],
      ['alerts.freshnessDays=-1', 'freshnessDays'],
    ] as const)
      await refused(values, name);
  });

  it('the chart refuses settings that no process would take, or that a ConfigMap would show, by name', async () => {
    for (const setting of [
      'BROKERS=kafka:99999',
      'BROKERS=http://kafka:9092',
      'REGISTRY=http://registry:0',
      'REGISTRY=http://me:secret@registry',
      'OPENSEARCH=https://admin:secret@search:9200',
      'OPENSEARCH_INDEX=Crawl',
      'AWS_ENDPOINT_URL=minio:9000',
      'AWS_SECRET_ACCESS_KEY=secret',
      'OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318',
      'CRAWLSTREAM_OTLP=collector:4318',
      'CRAWLSTREAM_KAFKA_TOKEN_URL=login.example.org',
      'CRAWLSTREAM_KAFKA_MECHANISM=scram',
      'CRAWLSTREAM_KAFKA_TLS=no',
      'CRAWLSTREAM_CONCURRENCY=-5',
      'CRAWLSTREAM_CONCURRENCY=many',
      'CRAWLSTREAM_FIRST_BYTE=30',
      'CRAWLSTREAM_SNAPSHOT_EVERY=soon',
      'CRAWLSTREAM_SNAPSHOT_EVERY=-15m',
      'CRAWLSTREAM_SEEN=perhaps',
      'CRAWLSTREAM_SEEN_ERRORS=2',
      'CRAWLSTREAM_DEDUP_BY=guess',
      'CRAWLSTREAM_ARCHIVE_FILE_MB=0',
      'CRAWLSTREAM_RESPONSES=perhaps',
      // No process of the chart reads these.
      ...['CRAWLSTREAM_WORKERS=2', 'CRAWLSTREAM_KEEP=30d', 'CRAWLSTREAM_FLEET=search'],
      // The chart's own arguments would come before these.
      ...['CRAWLSTREAM_BROKERS=kafka:9092', 'CRAWLSTREAM_CRAWL=news', 'CRAWLSTREAM_CONTACT=a@example.org'],
      ...['CRAWLSTREAM_DATA=/tmp', 'CRAWLSTREAM_HTTP=9464', 'CRAWLSTREAM_INSTANCE_ID=a', 'CRAWLSTREAM_PORT=7071'],
    ])
      await refused(`settings.${setting}`, setting.split('=')[0]!);
  });

  it('a setting, or a variable of pods, takes the place of the chart’s own argument', async () => {
    const cases = [
      ['fetcher', '--concurrency=1000', 'CRAWLSTREAM_CONCURRENCY=50'],
      ['fetcher', '--responses', 'CRAWLSTREAM_RESPONSES=false'],
      ['frontier', '--standbys=1', 'CRAWLSTREAM_STANDBYS=0'],
      ['frontier', '--snapshot-every=15m', 'CRAWLSTREAM_SNAPSHOT_EVERY=1h'],
      ['frontier', '--seen-memory=1024', 'CRAWLSTREAM_SEEN_MEMORY=2048'],
      ['urlfrontier', '--seen-memory=1024', 'CRAWLSTREAM_SEEN_MEMORY=2048'],
      ['render', '--browser=/usr/bin/chromium', 'CRAWLSTREAM_BROWSER=/opt/chrome'],
    ] as const;
    const argsWith = async (values: readonly string[]) => {
      const manifests = await manifestsOf('crawlstream', [...required, ...everything, ...values]);
      return (role: string): string[] =>
        podsOf(workloads(manifests).find(({ metadata }) => metadata.name === `crawlstream-${role}`)!).spec.containers[0]
          .args;
    };
    const variables = (some: readonly (typeof cases)[number][]) =>
      JSON.stringify(some.map(([, , setting]) => ({ name: setting.split('=')[0], valueFrom: {} })));
    const before = await argsWith(['--set-json', `dedup.extraEnv=${variables(cases)}`]);
    const ofRole = (role: string) => variables(cases.filter(([one]) => one === role));
    for (const [given, values] of [
      ['settings', set(...cases.map(([, , setting]) => `settings.${setting}`))],
      ['variables of all pods', ['--set-json', `extraEnv=${variables(cases)}`]],
      ['variables of a role', cases.flatMap(([role]) => ['--set-json', `${role}.extraEnv=${ofRole(role)}`])],
    ] as const) {
      const after = await argsWith(values);
      for (const role of new Set(cases.map(([one]) => one))) {
        const replaced: string[] = cases.filter(([one]) => one === role).map(([, argument]) => argument);
        assert.ok(
          replaced.every((one) => before(role).includes(one)),
          role,
        );
        const rest = before(role).filter((one) => !replaced.includes(one));
        assert.deepEqual(after(role), rest, `${role}: ${given}`);
      }
    }
  });

  it('the chart takes every setting of a process as a variable', async () => {
    const values = [
      'CRAWLSTREAM_KAFKA_MECHANISM=plain',
      'CRAWLSTREAM_CONCURRENCY=50',
      'CRAWLSTREAM_RESPONSES=true',
      'AWS_REGION=eu',
    ];
    const data = dataOf(
      await manifestsOf('crawlstream', [...required, ...set(...values.map((one) => `settings.${one}`))]),
    );
    for (const value of values) assert.equal(data[value.split('=')[0]!], value.split('=')[1]);
    const large = await manifestsOf('crawlstream', [...required, ...set('settings.CRAWLSTREAM_SEEN_URLS=5000000000')]);
    assert.equal(dataOf(large)['CRAWLSTREAM_SEEN_URLS'], '5000000000');
  });

  it('whole numbers of a values file stay whole, in names of crawls and tags of images too', async () => {
    const file = join(temporaryFolder(), 'values.yaml');
    writeFileSync(
      file,
      stringify({
        settings: { CRAWL: 20260101, PARTITIONS: 24 },
        image: { tag: 20261130 },
        frontier: { terminationGracePeriodSeconds: 1_000_000 },
        alerts: { freshnessDays: 1_000_000 },
      }),
    );
    const args = [...required, ...everything, '--values', file];
    const manifests = await manifestsOf('news', args);
    assert.doesNotMatch(JSON.stringify(manifests), /\de\+\d/);
    const [job] = manifests.filter(({ kind }) => kind === 'Job');
    const { args: words, image } = podsOf(job!).spec.containers[0];
    assert.deepEqual(words.slice(words.indexOf('--crawl')), ['--crawl', '20260101', '--partitions', '24']);
    assert.equal(image, 'crawlstream:20261130');
    const [hosts, lag] = named(manifests, 'ScaledObject', 'news-crawlstream-fetcher')!['spec'].triggers;
    assert.match(hosts.metadata.query, /crawl="20260101"/);
    assert.deepEqual([lag.metadata.consumerGroup, lag.metadata.topic], ['20260101.fetcher', '20260101.tasks']);
    assert.match(await notesOf('news', args), /--crawl "20260101"/);
  });

  it('alerts link to the runbook that values name, and to none otherwise', async () => {
    const linksIn = async (...values: string[]) => {
      const manifests = await manifestsOf('news', [...required, ...set('alerts.enabled=true', ...values)]);
      const { rules } = named(manifests, 'PrometheusRule', 'news-crawlstream')!['spec'].groups[0];
      const alerts = (rules as Manifest[]).filter(({ alert }) => alert !== undefined);
      assert.ok(alerts.length > 30 && alerts.every(({ annotations }) => annotations.summary));
      return alerts.map(({ annotations }) => annotations.runbook_url as string | undefined);
    };
    assert.deepEqual(new Set(await linksIn()), new Set([undefined]));
    for (const link of await linksIn('alerts.runbook=https://wiki.example.net/crawl/RUNBOOK'))
      assert.match(link!, /^https:\/\/wiki\.example\.net\/crawl\/RUNBOOK#[-a-z]+$/);
  });

  it('the chart’s page has an install command that renders, and every Secret that pods read', async () => {
    const page = readFileSync(join(chartFolder, '../../CHART.md'), 'utf8');
    const [, words] = /^helm install (.+)$/m.exec(page)!;
    const [release, folder, ...args] = words!.split(' ');
    assert.equal(folder, 'deploy/helm/crawlstream');
    const manifests = await manifestsOf(release!, args);
    for (const one of workloads(manifests))
      assert.match(podsOf(one).spec.containers[0].image, /^registry\.your\.domain\/crawlstream:/);
    const data = dataOf(manifests);
    assert.deepEqual([data['BROKERS'], data['CONTACT']], ['kafka.data:9092', 'crawl@your.domain']);
    const [, logIn] = /```yaml\n(.+?)```/s.exec(page)!;
    const file = join(temporaryFolder(), 'values.yaml');
    writeFileSync(file, logIn!);
    const all = await manifestsOf('crawlstream', [...required, ...everything, '--values', file]);
    const secrets = [
      ...JSON.stringify(all).matchAll(/"secretKeyRef":{[^}]*"name":"([^"]+)"|"secretName":"([^"]+)"/g),
    ].map(([, key, volume]) => key ?? volume!);
    assert.deepEqual(new Set(secrets), new Set(['kafka-login', 'kafka-ca', ...ownSecrets]));
    for (const name of secrets)
      assert.ok(page.includes(`\`${name}\``) || page.includes(`secret generic ${name} `), name);
    // The pod of `helm test` starts without the components.
    assert.ok(!JSON.stringify(manifests).includes('-grpc'));
  });

  it('pods reach the brokers, the registry and the store that the settings name, and nothing beside', async () => {
    const roles = [
      'frontier',
      'fetcher',
      'dedup',
      'topics',
      'graph',
      'index',
      'archive',
      'snapshots',
      'render',
      'test',
    ];
    const [own, data] = [{ namespace: 'crawls' }, { namespace: 'data' }];
    const outside = { address: '52.1.2.3' };
    for (const [settings, target, port] of [
      ['BROKERS=kafka:9092', own, 9092],
      ['BROKERS=kafka:19092', own, 19_092],
      ['BROKERS=kafka.data:9092\\,other.data:9094', data, 9094],
      ['BROKERS=kafka-0.kafka-headless.data.svc.cluster.local:9093', data, 9093],
      ['BROKERS=kafka.data.svc:9093', data, 9093],
      ['BROKERS=10.1.2.3:9092', { address: '10.1.2.3' }, 9092],
      ['BROKERS=[fd00::5]:9092', { address: 'fd00::5' }, 9092],
      ['BROKERS=b-1.msk.eu-west-1.amazonaws.com:9098', outside, 9098],
      ['REGISTRY=http://registry.data:8080/apis/ccompat/v7', data, 8080],
      ['REGISTRY=https://user@registry.example.com/v7', outside, 443],
      ['REGISTRY=http://registry', own, 80],
      ['CRAWLSTREAM_KAFKA_TOKEN_URL=https://keycloak.data:8443/realms/x', data, 8443],
      ['CRAWLSTREAM_REGISTRY_TOKEN_URL=https://login.example.com/token', outside, 443],
      ['OTEL_EXPORTER_OTLP_ENDPOINT=http://collector.data:4318', data, 4318],
      ['CRAWLSTREAM_OTLP=http://collector:4318', own, 4318],
    ] as const) {
      const manifests = await manifestsOf('crawlstream', [...required, ...everything, ...set(`settings.${settings}`)]);
      const network = { manifests, namespace: 'crawls' };
      for (const role of roles) {
        assert.ok(reaches(network, labelsOf(role), target, port), `${settings}: ${role}`);
        assert.ok(!reaches(network, labelsOf(role), { namespace: 'others' }, port), `${settings}: ${role} elsewhere`);
        assert.ok(reaches(network, labelsOf(role), { namespace: 'kube-system' }, 53), `${settings}: ${role} names`);
        assert.ok(!reaches(network, labelsOf(role), { address: '169.254.169.254' }, 80), `${settings}: metadata`);
      }
    }
  });

  it('pods reach object storage, OpenSearch, collectors and AWS’s credentials where values say so', async () => {
    const bucket = set('settings.SNAPSHOTS=s3://pages/snapshots', 'settings.ARCHIVE=s3://pages/warc');
    const may = async (args: readonly string[], role: string, target: Parameters<typeof reaches>[2], port: number) =>
      reaches(
        { manifests: await manifestsOf('crawlstream', [...required, ...bucket, ...args]), namespace: 'crawls' },
        labelsOf(role),
        target,
        port,
      );
    const minio = { namespace: 'storage', labels: { app: 'minio' } };
    assert.ok(await may([], 'archive', { address: '52.1.2.3' }, 443));
    assert.ok(!(await may([], 'dedup', { address: '52.1.2.3' }, 443)));
    assert.ok(!(await may([], 'archive', minio, 9000)));
    assert.ok(await may(set('settings.AWS_ENDPOINT_URL=http://minio.storage:9000'), 'archive', minio, 9000));
    const to = 'network.storage.to[0]';
    const peer = [
      `${to}.namespaceSelector.matchLabels.kubernetes\\.io/metadata\\.name=storage`,
      `${to}.podSelector.matchLabels.app=minio`,
    ];
    assert.ok(await may(set(...peer, 'network.storage.ports={9000}'), 'frontier', minio, 9000));
    assert.ok(!(await may(set(...peer, 'network.storage.ports={9000}'), 'frontier', { namespace: 'storage' }, 9000)));
    assert.ok(await may(set('network.brokers.ports={9095}'), 'dedup', { namespace: 'crawls' }, 9095));
    const cidr = set('network.brokers.to[0].ipBlock.cidr=10.9.0.0/16', 'network.brokers.ports={9092,9093}');
    assert.ok(await may(cidr, 'dedup', { address: '10.9.1.1' }, 9093));
    const index = set('index.enabled=true', 'settings.OPENSEARCH=https://search.data:9201');
    assert.ok(await may(index, 'index', { namespace: 'data' }, 9201));
    const collectors = set('network.collectors.to[0].ipBlock.cidr=10.7.0.0/16', 'network.collectors.ports={4317}');
    for (const role of ['dedup', 'index', 'graph'])
      assert.ok(await may(collectors, role, { address: '10.7.1.1' }, 4317), role);
    for (const [value, address] of [
      ['podIdentity', '169.254.170.23'],
      ['podIdentity', 'fd00:ec2::23'],
      ['instanceMetadata', '169.254.169.254'],
    ] as const) {
      for (const role of ['frontier', 'archive', 'snapshots']) {
        assert.ok(!(await may([], role, { address }, 80)), address);
        assert.ok(await may(set(`network.${value}=true`), role, { address }, 80), `${role} ${address}`);
      }
      assert.ok(!(await may(set(`network.${value}=true`), 'fetcher', { address }, 80)));
      const msk = set(`network.${value}=true`, 'settings.CRAWLSTREAM_KAFKA_MECHANISM=aws-msk-iam');
      assert.ok(await may(msk, 'dedup', { address }, 80));
    }
    const role = 'serviceAccount.annotations.eks\\.amazonaws\\.com/role-arn=arn:aws:iam::1:role/crawl';
    const tokens = { address: '52.1.2.3' };
    assert.ok(!(await may(set('settings.CRAWLSTREAM_KAFKA_MECHANISM=aws-msk-iam'), 'dedup', tokens, 443)));
    assert.ok(await may(set('settings.CRAWLSTREAM_KAFKA_MECHANISM=aws-msk-iam', role), 'dedup', tokens, 443));
    assert.ok(await may(set('settings.AWS_ENDPOINT_URL_S3=http://minio.storage:9000', role), 'archive', tokens, 443));
  });

  it('only peers that values name scrape metrics', async () => {
    const may = async (args: readonly string[], namespace: string) =>
      isReachedBy(
        { manifests: await manifestsOf('crawlstream', [...required, ...args]), namespace: 'crawls' },
        labelsOf('dedup'),
        { namespace },
        'http',
      );
    assert.ok(await may([], 'monitoring'));
    assert.ok(!(await may([], 'others')));
    assert.ok(!(await may(['--set-json', 'network.metricsFrom=[]'], 'others')));
    assert.ok(
      await may(
        [
          '--set-json',
          'network.metricsFrom=[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"obs"}}}]',
        ],
        'obs',
      ),
    );
  });

  it('two releases in a namespace share no name, and no selector of one selects a pod of the other', async () => {
    for (const [one, two] of [
      ['crawlstream', 'news'],
      ['news', 'shop'],
      ['crawlstream-a', 'crawlstream-b'],
      ['2026-news', 'c-2026-news'],
      ['news.v1', 'news-v1'],
      [`${'n'.repeat(52)}1`, `${'n'.repeat(52)}2`],
    ] as const) {
      const [a, b] = await Promise.all([one, two].map((name) => manifestsOf(name, [...required, ...everything])));
      const names = (all: readonly Manifest[]) => all.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      // As Kubernetes up to 1.33 names a Service; a StatefulSet adds 11 characters to the name in a label of its pods.
      for (const { kind, metadata } of [...a!, ...b!])
        if (kind === 'Service' || kind === 'StatefulSet')
          assert.match(metadata.name, /^[a-z]([-a-z0-9]{0,50}[a-z0-9])$/);
      assert.deepEqual(
        names(a!).filter((name) => names(b!).includes(name)),
        [],
      );
      for (const [mine, theirs] of [
        [a!, b!],
        [b!, a!],
      ]) {
        const labels = [...workloads(theirs!), ...theirs!.filter(({ kind }) => kind === 'Pod')].map(
          (pod) => podsOf(pod).metadata.labels,
        );
        for (const { kind, metadata, spec } of mine!) {
          const selector =
            kind === 'Service'
              ? { matchLabels: spec.selector }
              : kind === 'NetworkPolicy'
                ? spec.podSelector
                : spec?.selector;
          if (selector === undefined || kind === 'ServiceMonitor' || kind === 'Job') continue;
          for (const pod of labels) assert.ok(!selects(selector, pod), `${kind} ${metadata.name}`);
        }
        // What pods read is of their own release.
        const foreign = names(theirs!).map((name) => name.split(' ')[1]!);
        const words = JSON.stringify(mine!.filter(({ kind }) => kind !== 'PrometheusRule')).match(
          /"(?:name|secretName|serviceName|serviceAccountName)":"[^"]+"/g,
        )!;
        for (const word of words) assert.ok(!foreign.includes(word.split('"')[3]!), word);
      }
    }
  });

  it('an upgrade of a release `crawlstream` of 0.2.0 or 0.3.0 changes nothing that Kubernetes keeps fixed', async () => {
    const old = JSON.parse(readFileSync(join(import.meta.dirname, 'charts/until-0.3.0.json'), 'utf8')) as Record<
      string,
      object
    >;
    for (const [release, args] of [
      ['crawlstream', []],
      ['news', set('fullnameOverride=crawlstream')],
    ] as const) {
      const manifests = await manifestsOf(release, [...required, ...everything, ...args]);
      for (const [name, fields] of Object.entries(old)) {
        const now = manifests.find(({ kind, metadata }) => `${kind} ${metadata.name}` === name);
        assert.ok(now, name);
        for (const [field, was] of Object.entries(fields))
          assert.deepEqual(now['spec'][field], was, `${name} ${field}`);
      }
    }
  });

  it('the charts of 0.2.0 and 0.3.0, from the history, have the fixed fields that upgrades are held against, and an upgrade keeps their settings', async (t) => {
    const switches = ['index', 'graph', 'render', 'urlfrontier', 'snapshots'].map((role) => `${role}.enabled=true`);
    for (const release of releases) {
      const missing = await historyMissing(release);
      if (missing !== undefined) {
        assert.ok(await isCutOff(), missing);
        return t.skip(missing);
      }
      const old = await manifestsOf('crawlstream', set(...switches), await chartOf(release));
      const kept = JSON.parse(readFileSync(join(import.meta.dirname, 'charts/until-0.3.0.json'), 'utf8')) as Record<
        string,
        Record<string, unknown>
      >;
      const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
      const isFixed = ({ kind }: Manifest) => ['StatefulSet', 'Deployment', 'Service', 'CronJob'].includes(kind);
      for (const manifest of old.filter(isFixed)) {
        const fields = kept[nameOf(manifest)];
        assert.ok(fields, `${release.version}: ${nameOf(manifest)}`);
        for (const [field, value] of Object.entries(fields))
          assert.deepEqual(manifest['spec'][field], value, `${release.version}: ${nameOf(manifest)} ${field}`);
      }
      const file = join(temporaryFolder(), 'values.yaml');
      writeFileSync(file, stringify({ settings: dataOf(old) }));
      const upgraded = await manifestsOf('crawlstream', ['--values', file, ...set(...switches)]);
      assert.deepEqual(dataOf(upgraded), dataOf(old), release.version);
      const names = new Set(upgraded.map(nameOf));
      const gone = old.filter(({ kind }) => kind !== 'Job').filter((one) => !names.has(nameOf(one)));
      assert.deepEqual(gone.map(nameOf), [], release.version);
    }
  });

  it('an upgrade that would rename volumes, drop a former default, or turn a release into another crawl, fails and says what to set', async () => {
    const server = await kubernetesServer({
      '/apis/apps/v1/namespaces/crawls/statefulsets/crawlstream-frontier': {
        apiVersion: 'apps/v1',
        kind: 'StatefulSet',
        metadata: {
          name: 'crawlstream-frontier',
          namespace: 'crawls',
          annotations: { 'meta.helm.sh/release-name': 'news' },
        },
      },
      '/api/v1/namespaces/crawls/configmaps/crawlstream': {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'crawlstream', namespace: 'crawls' },
        data: { REGISTRY: 'http://registry.kafka:8080/apis/ccompat/v7', CRAWL: 'crawl', PARTITIONS: '12' },
      },
    });
    try {
      const upgrade = (release: string, ...values: readonly string[]) =>
        runHelm(
          [
            'template',
            release,
            chartFolder,
            '-n',
            'crawls',
            '--is-upgrade',
            '--dry-run=server',
            ...kubernetes,
            ...required,
            ...set(...values),
          ],
          {
            KUBECONFIG: server.kubeconfig,
          },
        );
      const renamed = await upgrade('news');
      assert.match(renamed.stderr, /Add --set fullnameOverride=crawlstream to keep names and volumes/);
      const dropped = await upgrade('news', 'fullnameOverride=crawlstream');
      assert.match(
        dropped.stderr,
        /settings.REGISTRY is empty, and was http:\/\/registry.kafka:8080\/apis\/ccompat\/v7 in this release/,
      );
      const kept = await upgrade(
        'news',
        'fullnameOverride=crawlstream',
        'settings.REGISTRY=http://registry.kafka:8080/apis/ccompat/v7',
      );
      assert.equal(kept.code, 0, kept.stderr);
      for (const [changed, was] of [
        ['settings.CRAWL=papers', 'settings.CRAWL is papers, and was crawl in this release'],
        ['settings.PARTITIONS=24', 'settings.PARTITIONS is 24, and was 12 in this release'],
      ] as const) {
        const values = ['fullnameOverride=crawlstream', 'settings.REGISTRY=http://registry.kafka:8080', changed];
        const other = await upgrade('news', ...values);
        assert.ok(other.stderr.includes(was), other.stderr);
        const unchecked = await upgrade('news', ...values, 'clusterChecks=false');
        assert.equal(unchecked.code, 0, unchecked.stderr);
      }
      const other = await upgrade('shop');
      assert.equal(other.code, 0, other.stderr);
      const unchecked = await upgrade('news', 'clusterChecks=false');
      assert.equal(unchecked.code, 0, unchecked.stderr);
    } finally {
      await server.stop();
    }
  });

  it('a release is refused the crawl that another release of its namespace runs on the same brokers', async () => {
    const server = await kubernetesServer({
      '/api/v1/namespaces/crawls/configmaps/news-crawlstream': {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'news-crawlstream',
          namespace: 'crawls',
          labels: { 'app.kubernetes.io/part-of': 'crawlstream', 'app.kubernetes.io/instance': 'news' },
        },
        data: { BROKERS: 'kafka:9092', CRAWL: 'crawl', PARTITIONS: '12' },
      },
    });
    try {
      const install = (release: string, ...values: readonly string[]) =>
        runHelm(
          [
            ...['template', release, chartFolder, '-n', 'crawls', '--dry-run=server', ...kubernetes, ...required],
            ...set(...values),
          ],
          { KUBECONFIG: server.kubeconfig },
        );
      const shared = await install('shop');
      assert.match(shared.stderr, /settings.CRAWL is crawl, which release news of this namespace runs/);
      for (const values of [['settings.CRAWL=shop'], ['settings.BROKERS=other:9092'], ['clusterChecks=false']]) {
        const { code, stderr } = await install('shop', ...values);
        assert.equal(code, 0, stderr);
      }
      const own = await install('news');
      assert.equal(own.code, 0, own.stderr);
    } finally {
      await server.stop();
    }
  });

  it('what a platform team sets on pods is on every pod, and a role’s own value on its pods alone', async () => {
    const manifests = await manifestsOf('crawlstream', [...required, ...everything, ...podSettings]);
    const all = [...workloads(manifests), ...manifests.filter(({ kind }) => kind === 'Pod')];
    assert.equal(all.length, 11);
    for (const manifest of all) {
      const { metadata, spec } = podsOf(manifest);
      const { name } = manifest.metadata;
      const isFetcher = name === 'crawlstream-fetcher';
      assert.deepEqual(spec.imagePullSecrets, [{ name: 'pull' }], name);
      assert.deepEqual(spec.nodeSelector, isFetcher ? { pool: 'edge' } : { pool: 'crawl' }, name);
      assert.equal(spec.tolerations[0].key, 'crawl', name);
      assert.equal(spec.priorityClassName, 'low', name);
      assert.ok(spec.affinity.podAntiAffinity, name);
      assert.equal(spec.securityContext.runAsUser, 2000, name);
      assert.equal(spec.securityContext.runAsNonRoot, true, name);
      const [container] = spec.containers;
      assert.equal(container.securityContext.readOnlyRootFilesystem, true, name);
      assert.equal(container.imagePullPolicy, name === 'crawlstream-render' ? undefined : 'Always', name);
      const has = (variable: string) => container.env.some((one: { name: string }) => one.name === variable);
      assert.ok(has('ALL_PODS'), name);
      assert.equal(has('FETCHERS'), isFetcher, name);
      assert.ok(
        container.envFrom.some(({ secretRef }: Manifest) => secretRef?.name === 'kafka-login'),
        name,
      );
      assert.equal(metadata.annotations['team'], 'search', name);
      assert.equal(metadata.labels['cost-centre'], '7', name);
      assert.equal(metadata.labels['app.kubernetes.io/name'], 'crawlstream', name);
    }
    const spread = podsOf(named(manifests, 'Deployment', 'crawlstream-dedup')!).spec.topologySpreadConstraints;
    assert.deepEqual(
      spread.map(({ topologyKey, labelSelector }: Manifest) => [topologyKey, labelSelector.matchLabels]),
      [['rack', labelsOf('dedup')]],
    );
    const account = named(manifests, 'ServiceAccount', 'crawlstream')!;
    assert.deepEqual(annotationsOf(account), { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/crawl' });
    for (const manifest of manifests.filter(({ kind }) => kind === 'StatefulSet')) {
      const isGraph = manifest.metadata.name === 'crawlstream-graph';
      assert.equal(manifest['spec'].volumeClaimTemplates[0].spec.storageClassName, isGraph ? 'slow' : 'fast');
    }
    assert.equal(named(manifests, 'StatefulSet', 'crawlstream-frontier')!['spec'].minReadySeconds, 90);
  });

  it('a Job gets another name with whatever its template is made of, and keeps it with the rest', async () => {
    const jobOf = async (...values: readonly string[]) =>
      (await manifestsOf('crawlstream', [...required, ...set(...values)])).find(({ kind }) => kind === 'Job')!.metadata
        .name;
    const before = await jobOf();
    assert.match(before, /^crawlstream-topics-[0-9a-f]{10}$/);
    for (const same of ['frontier.replicas=5', 'fetcher.nodeSelector.a=b', 'network.podIdentity=true'])
      assert.equal(await jobOf(same), before, same);
    for (const other of [
      'settings.CRAWL=news',
      'image.tag=9',
      'nodeSelector.a=b',
      'topics.resources.limits.memory=1Gi',
      'serviceAccount.name=x',
    ])
      assert.notEqual(await jobOf(other), before, other);
  });

  it('KEDA scales the fetchers of its own crawl, and the Deployment has no count then', async () => {
    const manifests = await manifestsOf('news', [
      ...required,
      ...set(
        'autoscaling.enabled=true',
        'settings.CRAWL=news',
        'autoscaling.kafka.sasl=plaintext',
        'autoscaling.authenticationRef.name=keda',
      ),
    ]);
    const { spec } = named(manifests, 'ScaledObject', 'news-crawlstream-fetcher')!;
    assert.equal(spec.scaleTargetRef.name, 'news-crawlstream-fetcher');
    const [hosts, lag] = spec.triggers;
    assert.equal(hosts.metadata.query, 'sum(crawlstream_frontier_hosts{crawl="news",state=~"ready|leased"})');
    assert.deepEqual(
      [
        lag.metadata.bootstrapServers,
        lag.metadata.consumerGroup,
        lag.metadata.topic,
        lag.metadata.sasl,
        lag.authenticationRef.name,
      ],
      ['kafka.crawls:9092', 'news.fetcher', 'news.tasks', 'plaintext', 'keda'],
    );
    assert.equal(named(manifests, 'Deployment', 'news-crawlstream-fetcher')!['spec'].replicas, null);
    const brokers = 'kafka:9092\\,b.data:9092\\,10.0.0.1:9092\\,[fd00::5]:9092';
    const scaled = set('autoscaling.enabled=true', `settings.BROKERS=${brokers}`);
    const asked = named(
      await manifestsOf('news', [...required, ...scaled]),
      'ScaledObject',
      'news-crawlstream-fetcher',
    )!;
    assert.equal(
      asked['spec'].triggers[1].metadata.bootstrapServers,
      'kafka.crawls:9092,b.data:9092,10.0.0.1:9092,[fd00::5]:9092',
    );
    const few = await template('news', [...required, ...set('autoscaling.enabled=true', 'autoscaling.minReplicas=13')]);
    assert.match(few.stderr, /autoscaling.minReplicas is 13, and autoscaling.maxReplicas 12/);
  });

  it('each monitor labels its targets for the alerts, whatever the release is called, and both at once are refused', async () => {
    const schemas = await customSchemas();
    for (const [monitor, kind, endpoints] of [
      ['serviceMonitor', 'ServiceMonitor', 'endpoints'],
      ['podMonitor', 'PodMonitor', 'podMetricsEndpoints'],
    ] as const) {
      const args = [...required, ...set(`${monitor}.enabled=true`, `${monitor}.interval=30s`)];
      const manifests = await manifestsOf('news', [...args, ...set('fullnameOverride=papers')]);
      const found = named(manifests, kind, 'papers')!;
      assert.deepEqual(await problemsOf([found], schemas), []);
      const [endpoint] = found['spec'][endpoints];
      assert.deepEqual([endpoint.port, endpoint.path, endpoint.interval], ['http', '/metrics', '30s']);
      assert.deepEqual(endpoint.relabelings, [{ targetLabel: 'program', replacement: 'crawlstream' }]);
      const labelled = [...manifests, ...workloads(manifests).map((one) => podsOf(one))].map(
        ({ metadata }) => metadata,
      );
      assert.ok(
        labelled.some(({ labels }) => selects(found['spec'].selector, labels!)),
        kind,
      );
    }
    const both = await template('news', [
      ...required,
      ...set('serviceMonitor.enabled=true', 'podMonitor.enabled=true'),
    ]);
    assert.match(both.stderr, /serviceMonitor.enabled and podMonitor.enabled are both true/);
  });

  it('the notes say what to do next, with the release’s own names', async () => {
    const notes = await notesOf('news', [...required, ...set('settings.CRAWL=papers')]);
    for (const text of [
      'kubectl -n crawls rollout status statefulset/news-crawlstream-frontier',
      'helm test news -n crawls',
      'crawlstream inject https://example.org',
      '--brokers "kafka:9092" --crawl "papers"',
      'set settings.SNAPSHOTS',
      'set settings.ARCHIVE',
      'is in no public registry',
    ])
      assert.ok(notes.includes(text), `${text}: ${notes}`);
    assert.ok(!(await notesOf('news', [...required, ...everything])).includes('settings.ARCHIVE'));
  });

  it('`helm test` checks brokers and topics from a pod that the release’s policies select', async () => {
    const manifests = await manifestsOf('news', required);
    const pod = named(manifests, 'Pod', 'news-crawlstream-test')!;
    assert.equal(annotationsOf(pod)['helm.sh/hook'], 'test');
    assert.deepEqual(pod['spec'].containers[0].args.slice(0, 2), ['topics', 'check']);
    assert.ok(reaches({ manifests, namespace: 'crawls' }, pod.metadata.labels!, { namespace: 'crawls' }, 9092));
  });
});

async function refused(values: string, name: string): Promise<void> {
  const { code, stderr } = await template('crawlstream', [...required, ...set(values)]);
  assert.notEqual(code, 0, values);
  assert.ok(stderr.includes(name) && stderr.includes('specifications of the schema'), `${values}: ${stderr}`);
}

/** The chart of a release, as the repository had it. */
async function chartOf({ commit }: Release): Promise<string> {
  const folder = temporaryFolder();
  const packed = join(folder, 'chart.tar');
  await run('git', ['archive', '-o', packed, commit, 'deploy/helm/crawlstream'], {
    cwd: join(chartFolder, '../../..'),
  });
  await run('tar', ['-xf', packed, '-C', folder]);
  return join(folder, 'deploy/helm/crawlstream');
}

const ownSecrets = ['crawlstream-http', 'crawlstream-grpc', 'crawlstream-grpc-tls'];

const podSettings = [
  ...set(
    'imagePullSecrets[0].name=pull',
    'nodeSelector.pool=crawl',
    'fetcher.nodeSelector.pool=edge',
    'tolerations[0].key=crawl',
    'tolerations[0].operator=Exists',
    'priorityClassName=low',
    'podSecurityContext.runAsUser=2000',
    'image.pullPolicy=Always',
    'extraEnv[0].name=ALL_PODS',
    'extraEnv[0].value=yes',
    'fetcher.extraEnv[0].name=FETCHERS',
    'fetcher.extraEnv[0].value=yes',
    'extraEnvFrom[0].secretRef.name=kafka-login',
    'podAnnotations.team=search',
    'topologySpreadConstraints[0].topologyKey=rack',
    'topologySpreadConstraints[0].maxSkew=1',
    'topologySpreadConstraints[0].whenUnsatisfiable=DoNotSchedule',
    'serviceAccount.annotations.eks\\.amazonaws\\.com/role-arn=arn:aws:iam::1:role/crawl',
    'storageClassName=fast',
    'graph.storageClassName=slow',
    'frontier.minReadySeconds=90',
  ),
  ...['--set-string', 'podLabels.cost-centre=7'],
  ...['--set-json', 'affinity={"podAntiAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}}'],
];

/** Helm prints notes only of what it installs: here, a copy of the chart holds them as an object. */
async function notesOf(release: string, args: readonly string[]): Promise<string> {
  const copy = join(temporaryFolder(), 'crawlstream');
  cpSync(chartFolder, copy, { recursive: true });
  const notes = join(copy, 'templates/NOTES.txt');
  const text = readFileSync(notes, 'utf8');
  renameSync(notes, join(copy, 'templates/_notes.tpl'));
  writeFileSync(join(copy, 'templates/_notes.tpl'), `{{- define "notes" }}${text}{{ end }}`);
  writeFileSync(
    join(copy, 'templates/notes.yaml'),
    'kind: Notes\nmetadata: { name: notes }\ntext: {{ include "notes" . | toJson }}\n',
  );
  return named(await manifestsOf(release, args, copy), 'Notes', 'notes')!['text'];
}
