/** The commands of the chart's page, typed as they stand there with a reader's own addresses, against an API server that keeps objects. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { blocksOf } from '../docs/follow/blocks.ts';
import { markdownFiles } from '../docs/markdown.ts';
import { root } from '../docs/written-commands.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { helm, manifestsOf, runHelm } from './helm.ts';
import { type KubernetesServer, kubernetesServer } from './kubernetes-server.ts';
import { reaches } from './policy-reach.ts';
import { type Manifest, prepareTools, problemsOf } from './tools.ts';

const skip = (await helm.skipReason()) ?? false;
/** What the page leaves to the reader, and what this one has. */
const own = {
  'registry.your.domain': 'images.papers.example',
  'kafka.data:9092': 'kafka-1.papers:9094',
  'crawl@your.domain': 'crawler@papers.example',
} as const;
const helmLines = (page: string) =>
  blocksOf(root, page).flatMap((block) => block.map(({ text }) => text).filter((text) => text.startsWith('helm ')));
const pageLines = helmLines('deploy/CHART.md');
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;

/** The words of the page's command, without `helm`. */
function wordsOf(command: string): string[] {
  const line = pageLines.find((one) => one.startsWith(`helm ${command} `));
  assert.ok(line, `the page has no helm ${command}`);
  return Object.entries(own)
    .reduce((text, [theirs, mine]) => text.replace(theirs, mine), line)
    .split(' ')
    .slice(1);
}

describe('the chart by the words of its page', { skip, timeout: 300_000 }, () => {
  before(() => prepareTools());

  const type = async (server: KubernetesServer, words: readonly string[]) =>
    runHelm(words, { KUBECONFIG: server.kubeconfig, KUBECACHEDIR: temporaryFolder() });

  it('a reader installs, tests, changes and uninstalls a release by the page’s commands, with their own brokers', async () => {
    const server = await kubernetesServer();
    try {
      const typed = async (command: string) => {
        const { code, stdout, stderr } = await type(server, wordsOf(command));
        assert.equal(code, 0, `helm ${command}: ${stderr}`);
        return stdout;
      };
      const made = () => server.objects().filter(({ kind }) => !['Namespace', 'Secret', 'Pod'].includes(kind));
      const find = (name: string) => made().find((one) => nameOf(one) === name)!;

      const notes = await typed('install');
      assert.match(notes, /on the brokers kafka-1\.papers:9094\./);
      const [, release, , ...args] = wordsOf('install');
      const rendered = (await manifestsOf(release!, args)).filter(({ kind }) => kind !== 'Pod');
      assert.deepEqual(made().map(nameOf).sort(), rendered.map(nameOf).sort());
      for (const one of rendered)
        for (const field of ['spec', 'data']) assert.deepEqual(find(nameOf(one))[field], one[field], nameOf(one));
      assert.deepEqual(await problemsOf(rendered, {}), []);
      const { data } = find('ConfigMap crawlstream');
      assert.deepEqual([data.BROKERS, data.CONTACT], ['kafka-1.papers:9094', 'crawler@papers.example']);
      for (const role of ['topics', 'frontier', 'fetcher', 'dedup', 'test']) {
        const labels = { 'app.kubernetes.io/name': 'crawlstream', 'app.kubernetes.io/component': role };
        const network = { manifests: made(), namespace: 'crawls' };
        assert.ok(reaches(network, labels, { namespace: 'papers' }, 9094), role);
      }

      await typed('test');
      assert.ok(server.objects().some((one) => nameOf(one) === 'Pod crawlstream-test'));

      const uids = new Map(made().map((one) => [nameOf(one), uidOf(one)]));
      await typed('upgrade');
      const changed = rendered.filter((one) => !isDeepStrictEqual(find(nameOf(one))['spec'], one['spec']));
      assert.deepEqual(changed.map(nameOf), ['Deployment crawlstream-fetcher']);
      assert.equal(find('Deployment crawlstream-fetcher')['spec'].replicas, 6);
      assert.deepEqual(new Map(made().map((one) => [nameOf(one), uidOf(one)])), uids);

      await typed('uninstall');
      assert.deepEqual(server.objects().map(nameOf), ['Namespace crawls', 'Pod crawlstream-test']);
    } finally {
      await server.stop();
    }
  });

  it('a wrong or missing value is refused by name, before anything is made on the server', async () => {
    const server = await kubernetesServer();
    try {
      const install = wordsOf('install');
      const without = (setting: string) =>
        install.flatMap((word, at) =>
          word.startsWith(`${setting}=`) || install[at + 1]?.startsWith(`${setting}=`) ? [] : [word],
        );
      for (const [words, name] of [
        [[...install, '--set', 'fetcher.replica=9'], 'replica'],
        [[...install, '--set', 'image.tagg=x'], 'tagg'],
        [without('settings.BROKERS'), 'settings.BROKERS is empty'],
        [without('settings.CONTACT'), 'settings.CONTACT is empty'],
      ] as const) {
        const { code, stderr } = await type(server, words);
        assert.notEqual(code, 0, name);
        assert.ok(stderr.includes(name), stderr);
      }
      assert.deepEqual(server.objects(), []);
    } finally {
      await server.stop();
    }
  });

  it('every Helm command of the documents stands on the chart’s page', () => {
    const others = markdownFiles().flatMap((page) => helmLines(page).filter((line) => !pageLines.includes(line)));
    assert.deepEqual(others, []);
    assert.deepEqual(
      pageLines.map((line) => line.split(' ')[1]),
      ['install', 'test', 'upgrade', 'uninstall'],
    );
    assert.match(readFileSync(join(root, 'docs/operations.md'), 'utf8'), /^helm install /m);
  });
});

const uidOf = ({ metadata }: Manifest) => (metadata as { readonly uid?: string }).uid;
