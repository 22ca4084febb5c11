/** The values of the Helm chart as a page for people (deploy/CHART.md). */

import { productVersion } from '../../runtime/version.ts';
import { type ChartValues, partsOf } from './chart-values.ts';
import { fixedVariables, type HelmChart } from './helm-chart.ts';

const fixed = fixedVariables.map((name) => `\`${name}\``).join(', ');

const head = `# The Helm chart

\`npm run generate\` writes this page from the chart’s declared values.

No registry has the image: build it, and push it to yours. With kind, \`kind load docker-image crawlstream:TAG\` takes the place of the push.

\`\`\`sh
docker build -f deploy/Dockerfile -t registry.your.domain/crawlstream:${productVersion} . && docker push registry.your.domain/crawlstream:${productVersion}
helm install crawlstream deploy/helm/crawlstream -n crawls --create-namespace --set image.repository=registry.your.domain/crawlstream --set settings.BROKERS=kafka.data:9092 --set settings.CONTACT=crawl@your.domain
helm test crawlstream -n crawls
\`\`\`

To change values, or to take a new chart, upgrade the release. It keeps the values that you gave before:

\`\`\`sh
helm upgrade crawlstream deploy/helm/crawlstream -n crawls --reset-then-reuse-values --set fetcher.replicas=6
\`\`\`

A new image is for all pods. Frontiers [go first](../docs/upgrading.md): pause the other roles before the upgrade, and resume them when the frontiers are done.

\`\`\`sh
kubectl -n crawls rollout pause deployment/crawlstream-fetcher deployment/crawlstream-dedup
kubectl -n crawls rollout status statefulset/crawlstream-frontier
kubectl -n crawls rollout resume deployment/crawlstream-fetcher deployment/crawlstream-dedup
\`\`\`

To remove it:

\`\`\`sh
helm uninstall crawlstream -n crawls
\`\`\`

The crawl stays: its topics, its buckets, and the volumes of its frontiers. A release of the same name continues it. To delete the volumes too, which hold only
copies but for those of \`graph\`: \`kubectl -n crawls delete pvc -l app.kubernetes.io/name=crawlstream\`.

Image, brokers and contact are yours to give. Everything else has a default, and names nothing that you did not: without
\`settings.SNAPSHOTS\` there are no snapshots, without \`settings.ARCHIVE\` there is no archive, without \`settings.REGISTRY\` there is no
registry. \`values.schema.json\` refuses misspelt and ill-typed values by name, in lists and in \`extraArgs\` too.

- **Network.** Pods reach the addresses that \`settings\` names, and fetchers the public web. \`kafka:9092\` is a pod of the same namespace,
  \`kafka.data:9092\` one of the namespace \`data\`. A name of three parts or more, none of them \`svc\`, is outside the cluster. A network policy counts the port of the
  pod. If a Service changes the port, or brokers advertise other addresses, set \`network.brokers\`:
  \`{to: [{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: data}}}], ports: [9094]}\`. For MinIO,
  set \`settings.AWS_ENDPOINT_URL=http://minio.storage:9000\`.
- **Credentials.** They come from Secrets, by \`extraEnv\`, \`extraEnvFrom\` and \`extraVolumes\`, of all pods or of a role. Settings are in a ConfigMap, which
  shows them to everybody: passwords are refused there, in URLs too. For OpenSearch with a login, name its URL without the login in
  \`settings.OPENSEARCH\`, and let \`index.extraEnv\` take a variable \`OPENSEARCH\` with the login from a Secret. On EKS, give the role by \`serviceAccount.annotations\` (IRSA), or set
  \`network.podIdentity=true\` (Pod Identity). For a login with SASL and your own authority, put [this](#logging-in) into a values file.
- **Secrets that roles expect**, with the prefix of all names (below: \`crawlstream\`). \`crawlstream-http\` with \`token\` lets frontiers and operators query a
  frontier; without it a frontier answers only probes and metrics. \`urlfrontier\` does not start without \`crawlstream-grpc\` (\`token\`) and
  \`crawlstream-grpc-tls\` (\`tls.crt\`, \`tls.key\`).
- **Several crawls in a namespace.** Each is a release with its own \`settings.CRAWL\`. All names, selectors and policies begin with the release’s name.
  Two releases with the same \`settings.CRAWL\` and brokers are one crawl: they share its topics.
- **Upgrades from 0.2.0 and 0.3.0.** These charts named everything \`crawlstream\`, whatever the release. A release of that name keeps its names and volumes.
  Any other release needs \`fullnameOverride: crawlstream\`. They also set a registry, a bucket and an index that you had not named: give those that you use.
  \`helm upgrade\` fails with the missing value’s name. Tools that render without a cluster, such as Argo CD, cannot check it.
- **What stays.** \`settings.CRAWL\` and \`settings.PARTITIONS\` are those of the first installation: an upgrade that changes them fails. Another crawl is
  another release. For more partitions, [move the crawl](KAFKA.md#more-partitions).
- **Updates.** Frontiers are updated one by one. The next begins when the last has been ready for \`frontier.minReadySeconds\`: its
  partitions are restored, and its warm copies of others have caught up.

## Logging in

\`\`\`yaml
settings:
  CRAWLSTREAM_KAFKA_MECHANISM: scram-sha-512
  CRAWLSTREAM_KAFKA_CA: /run/secrets/kafka/ca.pem
extraEnv:
  - { name: CRAWLSTREAM_KAFKA_USERNAME, valueFrom: { secretKeyRef: { name: kafka-login, key: username } } }
  - { name: CRAWLSTREAM_KAFKA_PASSWORD, valueFrom: { secretKeyRef: { name: kafka-login, key: password } } }
extraVolumes:
  - { name: kafka-ca, secret: { secretName: kafka-ca } }
extraVolumeMounts:
  - { name: kafka-ca, mountPath: /run/secrets/kafka, readOnly: true }
\`\`\`

\`\`\`sh
kubectl -n crawls create secret generic kafka-login --from-literal=username=USER --from-literal=password=PASSWORD
kubectl -n crawls create secret generic kafka-ca --from-file=ca.pem
kubectl -n crawls create secret generic crawlstream-http --from-literal=token=TOKEN
\`\`\`

## Settings

Variables of every process: those below, [those of settings](CONFIGURATION.md) that a role or \`inject\` reads (\`CRAWLSTREAM_…\`), \`AWS_…\`, \`OTEL_…\` and
\`NODE_…\`.

- A setting takes the place of the chart’s own argument: \`settings.CRAWLSTREAM_CONCURRENCY=200\` that of \`--concurrency=1000\`. For one role, give
  \`extraArgs\` or \`extraEnv\`. Settings that volumes and probes rely on are refused: ${fixed}.
- Limits and delays of a crawl, such as \`CRAWLSTREAM_DELAY\`, are read by \`inject\` in a pod. Frontiers and fetchers take them from the crawl’s policy.

`;

export function chartPage({ values, roles }: HelmChart): string {
  const plain = Object.fromEntries(Object.entries(values).filter(([name]) => !(name in partsOf)));
  const [settings, network] = [partsOf['settings']!, partsOf['network']!];
  const ofRoles = Object.entries(roles).map(([role, own]) => {
    const facts = Object.entries(own).filter(([name]) => !(name in values) || name === 'storageClassName');
    return `\n## ${role}\n\n${table(prefixed(role, Object.fromEntries(facts)))}`;
  });
  const shared = Object.keys(values).filter((name) => Object.values(roles).every((own) => name in own));
  return `${head}${table(prefixed('settings', settings))}
## Network

${table(prefixed('network', network))}
## All pods

${table(plain)}
Each role below has these, too, for its own pods: ${shared.map((name) => `\`${name}\``).join(', ')}.
${ofRoles.join('')}`;
}

function prefixed(name: string, values: ChartValues): ChartValues {
  return Object.fromEntries(Object.entries(values).map(([field, one]) => [`${name}.${field}`, one]));
}

function table(values: ChartValues): string {
  const rows = Object.entries(values).map(([name, { about, default: otherwise }]) => {
    const shown = otherwise === '' ? 'empty' : `\`${JSON.stringify(otherwise)}\``;
    return `| \`${name}\` | ${[about, shown].map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return `| value | what it is | default |\n| --- | --- | --- |\n${rows.join('\n')}\n`;
}
