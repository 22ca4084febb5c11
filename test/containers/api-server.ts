/**
 * A real Kubernetes API server on loopback, with its default admission (Pod Security among it) and nothing that would run a
 * pod: every overlay, and what Helm makes, is applied, applied again, and applied again after settings were changed.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../lab/kafka/daemon.ts';
import { everything, required } from '../deploy/helm.ts';
import { definitions } from '../deploy/tools.ts';
import { MissingTool, output, root } from './engine.ts';
import { helmCommand } from './helm.ts';

const patienceMs = 120_000;

/** A change of a setting, of an image and of a size, as an operator makes them. */
const changes: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  base: [['PARTITIONS=12', 'PARTITIONS=24']],
  'overlays/local': [['PARTITIONS=4', 'PARTITIONS=8']],
  'overlays/production': [
    ['- CRAWL=crawl', '- CRAWL=news'],
    ['PARTITIONS=48', 'PARTITIONS=96'],
    ['newTag: 0.3.0', 'newTag: 9.9.9'],
    ['count: 6', 'count: 7'],
  ],
};

export async function applyEverywhere(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-api-server-'));
  const server = await startServer(folder);
  try {
    const kubectl = (...args: readonly string[]) => output('kubectl', ['--kubeconfig', server.kubeconfig, ...args]);
    await kubectl('apply', '--server-side', ...(await definitions()).flatMap((file) => ['-f', file]));
    await untilServed(kubectl);
    const said: string[] = [];
    for (const overlay of Object.keys(changes)) said.push(`${overlay} ${await applied(overlay, folder, kubectl)}`);
    said.push(`Helm ${await appliedByHelm(folder, kubectl)}`);
    await refused(kubectl);
    return `Kubernetes ${server.version}, objects applied, again, and after a change: ${said.join(', ')}`;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Kubectl = (...args: readonly string[]) => Promise<string>;

/** Three times, the last with the overlay's changes. Returns the counts. */
async function applied(overlay: string, folder: string, kubectl: Kubectl): Promise<string> {
  const copy = join(folder, 'deploy');
  cpSync(join(root, 'deploy'), copy, { recursive: true });
  const file = join(copy, overlay, 'kustomization.yaml');
  let text = readFileSync(file, 'utf8');
  // One of its own for each: nothing here ends a namespace. The Namespace of the overlay is renamed with it.
  const own = `crawlstream-${overlay.slice(overlay.lastIndexOf('/') + 1)}`;
  const namespace = overlay === 'base' ? ['-n', await namespaceOf(own, kubectl)] : [];
  text = text.replace('\nnamespace: crawlstream\n', `\nnamespace: ${own}\n`);
  writeFileSync(file, text);
  const apply = () => kubectl('apply', ...namespace, '-k', join(copy, overlay));
  const first = lines(await apply());
  assert.ok(first.every((line) => /(created|configured|unchanged)$/.test(line)));
  // By versions: kubectl says "configured" of a StatefulSet or a budget that the server finds to be the same.
  const versions = () => kubectl('get', ...namespace, '-k', join(copy, overlay), '-o', versionColumns);
  const before = await versions();
  const again = lines(await apply());
  assert.equal(await versions(), before, 'the same again changes nothing');
  for (const [from, to] of changes[overlay]!) {
    assert.ok(text.includes(from), `${overlay} has ${from}`);
    text = text.replaceAll(from, to);
  }
  writeFileSync(file, text);
  const changed = lines(await apply());
  assert.ok(
    changed.some((line) => line.startsWith('job.batch/') && line.endsWith('created')),
    changed.join('\n'),
  );
  rmSync(copy, { recursive: true });
  const touched = changed.filter((line) => !line.endsWith(' unchanged')).length;
  return `${first.length}/${again.length}/${changed.length} (${touched} touched)`;
}

const versionColumns = 'custom-columns=KIND:.kind,NAME:.metadata.name,VERSION:.metadata.resourceVersion';

async function appliedByHelm(folder: string, kubectl: Kubectl): Promise<string> {
  const helm = await helmCommand();
  const namespace = await namespaceOf('helm', kubectl);
  const install = (...args: readonly string[]) =>
    output(
      helm,
      [
        'upgrade',
        '--install',
        'crawlstream',
        join(root, 'deploy/helm/crawlstream'),
        '-n',
        namespace,
        ...required,
        ...args,
      ],
      {
        KUBECONFIG: join(folder, 'kubeconfig'),
      },
    );
  await install();
  await install('--set', 'settings.CRAWL=news', '--set', 'image.tag=9.9.9', ...everything);
  const there = lines(await kubectl('get', 'all,configmaps,networkpolicies,pdb', '-n', namespace, '-o', 'name'));
  assert.ok(
    there.some((line) => line === 'statefulset.apps/crawlstream-urlfrontier'),
    there.join('\n'),
  );
  return `${there.length}`;
}

/** Admission is at work: a pod that gives up no right is refused, in words. */
async function refused(kubectl: Kubectl): Promise<void> {
  const namespace = await namespaceOf('refused', kubectl);
  const said = await kubectl('run', 'root', '-n', namespace, '--image', 'crawlstream').catch(
    (error: Error) => error.message,
  );
  assert.match(said, /violates PodSecurity "restricted/);
}

/** With the rules that our own namespaces have, and the ServiceAccount that a controller would make. */
async function namespaceOf(name: string, kubectl: Kubectl): Promise<string> {
  await kubectl('create', 'namespace', name);
  await kubectl('label', 'namespace', name, 'pod-security.kubernetes.io/enforce=restricted');
  await kubectl('create', 'serviceaccount', 'default', '-n', name);
  return name;
}

const lines = (text: string) => text.trim().split('\n');

async function untilServed(kubectl: Kubectl): Promise<void> {
  const untilMs = performance.now() + patienceMs;
  for (const kind of ['scaledobjects.keda.sh', 'prometheusrules.monitoring.coreos.com']) {
    while ((await kubectl('get', kind, '-A').catch(() => null)) === null) {
      assert.ok(performance.now() < untilMs, `${kind} is served`);
      await sleep(200);
    }
  }
}

interface Server {
  readonly kubeconfig: string;
  readonly version: string;
  stop(): Promise<void>;
}

async function startServer(folder: string): Promise<Server> {
  const [apiServer, etcd] = [programOf('kube-apiserver'), programOf('etcd')];
  if (spawnSync('kubectl', ['version', '--client']).status !== 0) throw new MissingTool('kubectl: install it');
  const [port, clients, peers] = await freePorts(3);
  const key = join(folder, 'sa.key');
  execFileSync('openssl', ['genrsa', '-out', key, '2048'], { stdio: 'ignore' });
  const tokens = join(folder, 'tokens.csv');
  writeFileSync(tokens, 'tok,admin,1,"system:masters"\n');
  mkdirSync(join(folder, 'etcd'), { mode: 0o700 });
  const at = `http://127.0.0.1:${clients}`;
  const children = [
    spawn(etcd, [
      ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', at, '--advertise-client-urls', at],
      ...['--listen-peer-urls', `http://127.0.0.1:${peers}`, '--unsafe-no-fsync'],
    ]),
    spawn(apiServer, [
      ...['--etcd-servers', at, '--bind-address', '127.0.0.1', '--advertise-address', '127.0.0.1'],
      ...['--secure-port', String(port), '--cert-dir', join(folder, 'certs'), '--token-auth-file', tokens],
      ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-account-key-file', key],
      ...['--service-account-signing-key-file', key, '--authorization-mode', 'RBAC'],
      ...['--service-cluster-ip-range', '10.0.0.0/24', '--endpoint-reconciler-type', 'none'],
    ]),
  ];
  let log = '';
  for (const { stdout, stderr } of children)
    for (const one of [stdout, stderr]) one.on('data', (text) => (log = `${log}${text}`.slice(-4000)));
  const stop = async () => void (await Promise.all(children.reverse().map(ended)));
  const kubeconfig = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 'tok' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  try {
    const untilMs = performance.now() + patienceMs;
    const ask = (path: string) =>
      output('kubectl', ['--kubeconfig', kubeconfig, 'get', '--raw', path]).catch(() => null);
    while ((await ask('/readyz')) === null) {
      assert.ok(performance.now() < untilMs, `the API server is ready within ${patienceMs / 1000} s:\n${log}`);
      await sleep(500);
    }
    const { gitVersion } = JSON.parse((await ask('/version'))!) as { readonly gitVersion: string };
    return { kubeconfig, version: gitVersion, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Where envtest puts them (KUBEBUILDER_ASSETS), else in PATH. */
function programOf(name: string): string {
  const folder = process.env['KUBEBUILDER_ASSETS'];
  const tries = [...(folder === undefined ? [] : [join(folder, name)]), name];
  const found = tries.find((one) => spawnSync(one, ['--version']).status === 0);
  if (found !== undefined) return found;
  const remedy = 'go run sigs.k8s.io/controller-runtime/tools/setup-envtest@latest use -p path, as KUBEBUILDER_ASSETS';
  throw new MissingTool(`${name}: ${remedy}`);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const over = new Promise((resolve) => child.once('close', resolve));
  child.kill('SIGTERM');
  const killing = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await over;
  clearTimeout(killing);
}
