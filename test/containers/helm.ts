/** The Helm chart, by Helm itself: what it makes is what kustomize makes, as it comes and with everything switched on. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';
import { fetchOnce } from '../../lab/kafka/components.ts';
import { type Manifest, render } from '../deploy/tools.ts';
import { MissingTool, output, root } from './engine.ts';

const run = promisify(execFile);
const helmModule = 'helm.sh/helm/v3/cmd/helm@v3.19.0';
const chart = join(root, 'deploy/helm/crawlstream');
const optional = ['index', 'graph', 'render', 'urlfrontier', 'snapshots'];

export async function helmChart(): Promise<string> {
  const helm = await helmCommand();
  await output(helm, ['lint', '--strict', chart]);
  const template = async (...args: readonly string[]) => {
    const text = await output(helm, ['template', 'crawlstream', chart, '--kube-version', '1.31', ...args]);
    return parseAllDocuments(text).flatMap((one) => (one.toJS() === null ? [] : [one.toJS() as Manifest]));
  };
  const tag = (await template()).find(({ kind }) => kind === 'StatefulSet')!['spec'].template.spec.containers[0].image;
  const basis = same(await template(), await kustomized([], tag));
  const all = optional.flatMap((name) => ['--set', `${name}.enabled=true`]);
  const everything = same(await template(...all), await kustomized(optional, tag));
  const set = await template(
    '--set',
    'settings.CRAWL=news',
    '--set',
    'frontier.replicas=5',
    '--set',
    'archive.enabled=false',
  );
  assert.equal(set.find(({ kind }) => kind === 'StatefulSet')!['spec'].replicas, 5);
  assert.ok(!set.some(({ metadata }) => metadata.name === 'crawlstream-archive'));
  const jobs = [await template(), set].map((one) => one.find(({ kind }) => kind === 'Job')!.metadata.name);
  assert.notEqual(jobs[0], jobs[1], 'a Job that is told something else has another name');
  return `lints, and makes what kustomize makes: ${basis} objects as it comes, ${everything} with everything on`;
}

/** One that is here, or Helm's own source, built once. */
export async function helmCommand(): Promise<string> {
  if (await run('helm', ['version']).catch(() => null)) return 'helm';
  const folder = await fetchOnce('helm-3.19.0', (into) =>
    run('go', ['install', helmModule], { env: { ...process.env, GOBIN: into } }).catch((error: Error) => {
      throw new MissingTool(`Helm: install helm, or Go to build it with (${error.message.slice(0, 300)})`);
    }),
  );
  return join(folder, 'helm');
}

/** The base with components, of the image that the chart names. */
async function kustomized(components: readonly string[], image: string): Promise<Manifest[]> {
  const folder = join(root, 'deploy', '.helm-check');
  mkdirSync(folder);
  try {
    const newTag = image.split(':')[1];
    const images = ['crawlstream', 'crawlstream-render'].map((name) => ({ name, newTag }));
    const kustomization = {
      resources: ['../base'],
      components: components.map((name) => `../components/${name}`),
      images,
    };
    writeFileSync(join(folder, 'kustomization.yaml'), stringify(kustomization));
    return await render(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns how many objects there are. Throws with the difference where one differs. */
function same(made: readonly Manifest[], wanted: readonly Manifest[]): number {
  const byName = (manifests: readonly Manifest[]) =>
    Object.fromEntries(manifests.map((one) => [`${one.kind} ${unhashed(one.metadata.name)}`, comparable(one)]).sort());
  const [ours, theirs] = [byName(made), byName(wanted)];
  assert.deepEqual(Object.keys(ours), Object.keys(theirs));
  for (const name of Object.keys(ours)) assert.deepEqual(ours[name], theirs[name], name);
  return made.length;
}

/** Without what differs by design: names by content, the note that starts pods anew, settings of what is not there. */
function comparable(manifest: Manifest): unknown {
  const copy = JSON.parse(JSON.stringify(manifest).replaceAll(/(crawlstream(?:-topics)?)-[0-9a-z]{10}"/g, '$1"'));
  delete copy.spec?.template?.metadata.annotations;
  if (copy.kind === 'ConfigMap')
    copy.data = Object.keys(copy.data)
      .filter((key) => !optionalSettings.includes(key))
      .sort();
  return copy;
}

const optionalSettings = ['OPENSEARCH', 'OPENSEARCH_INDEX', 'URLFRONTIER'];
const unhashed = (name: string) => name.replace(/^(crawlstream(?:-topics)?)-[0-9a-z]{10}$/, '$1');
