/** The Helm chart, by Helm itself: what it makes is what kustomize makes, as it comes and with everything switched on. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { helm, manifestsOf, required } from '../deploy/helm.ts';
import { type Manifest, render } from '../deploy/tools.ts';
import { MissingTool, output, root } from './engine.ts';

const chart = join(root, 'deploy/helm/crawlstream');
/** Settings with which the chart renders all that the base has. */
const named = [
  'REGISTRY=http://registry.kafka:8080/apis/ccompat/v7',
  'SNAPSHOTS=s3://crawlstream/snapshots',
  'ARCHIVE=s3://crawlstream/warc',
  'OPENSEARCH=http://opensearch.search:9200',
  'OPENSEARCH_INDEX=crawl',
].flatMap((setting) => ['--set', `settings.${setting}`]);
const optional = ['index', 'graph', 'render', 'urlfrontier', 'snapshots'];

export async function helmChart(): Promise<string> {
  await output(await helmCommand(), ['lint', '--strict', chart, ...required]);
  const template = (...args: readonly string[]) => manifestsOf('crawlstream', [...required, ...named, ...args]);
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

export async function helmCommand(): Promise<string> {
  const reason = await helm.skipReason();
  if (reason !== undefined) throw new MissingTool(`Helm: install helm, or Go to build it with (${reason})`);
  return helm.file();
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
    Object.fromEntries(
      manifests
        .filter(({ kind }) => kind !== 'Pod')
        .map((one) => [`${one.kind} ${unhashed(one.metadata.name)}`, comparable(one)])
        .sort(),
    );
  const [ours, theirs] = [byName(made), byName(wanted)];
  assert.deepEqual(Object.keys(ours), Object.keys(theirs));
  for (const name of Object.keys(ours)) assert.deepEqual(ours[name], theirs[name], name);
  return made.length;
}

/** Without what differs by design: names by content, the note that starts pods anew, settings of what is not there. */
function comparable(manifest: Manifest): unknown {
  const text = JSON.stringify(manifest, (key, value) => (ownLabels.includes(key) ? undefined : value));
  const copy = JSON.parse(text.replaceAll(/(crawlstream(?:-topics)?)-[0-9a-z]{10}"/g, '$1"'));
  delete copy.metadata.labels;
  delete copy.spec?.template?.metadata.annotations;
  // Found from the settings: test/deploy/chart.integration.test.ts.
  if (copy.kind === 'NetworkPolicy') delete copy.spec.egress;
  if (copy.kind === 'Job')
    copy.spec.template.spec.containers[0].args = copy.spec.template.spec.containers[0].args.length;
  if (copy.kind === 'ConfigMap')
    copy.data = Object.keys(copy.data)
      .filter((key) => !optionalSettings.includes(key))
      .sort();
  return copy;
}

const ownLabels = ['app.kubernetes.io/instance', 'app.kubernetes.io/part-of', 'app.kubernetes.io/managed-by'];
const optionalSettings = ['OPENSEARCH', 'OPENSEARCH_INDEX', 'URLFRONTIER'];
const unhashed = (name: string) => name.replace(/^(crawlstream(?:-topics)?)-[0-9a-z]{10}$/, '$1');
