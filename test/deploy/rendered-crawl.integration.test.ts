/** What chart and overlay render, started as commands on a real broker and registry, in the order of an install: a page is fetched. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, runCommand, startCommand } from '../../lab/process/command.ts';
import { besideBroker } from '../kafka/beside-broker.ts';
import { startRegistry } from '../kafka/registry.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { helm, manifestsOf } from './helm.ts';
import { renderedCommand } from './rendered-command.ts';
import { type Manifest, render } from './tools.ts';

const skip = (await skipReason()) ?? (await helm.skipReason()) ?? false;
const patienceMs = 120_000;
const deploy = join(import.meta.dirname, '../../deploy');
const contact = 'crawler@papers.example';

/** Settings of the reader. */
type Settings = Readonly<Record<'BROKERS' | 'REGISTRY' | 'CONTACT' | 'CRAWL' | 'CRAWLSTREAM_RESOLVE', string>>;

function byChart(settings: Settings): Promise<Manifest[]> {
  const given = Object.entries(settings).map(([name, value]) => `settings.${name}=${value}`);
  const further = ['settings.PARTITIONS=4', 'frontier.extraArgs={--seen-memory=64}'];
  return manifestsOf(
    'papers',
    [...given, ...further].flatMap((value) => ['--set', value]),
  );
}

/** The local overlay, with what a reader writes in their copy. */
function byOverlay(folder: string, settings: Settings): Promise<Manifest[]> {
  cpSync(deploy, folder, { recursive: true });
  const file = join(folder, 'overlays/local/kustomization.yaml');
  let text = readFileSync(file, 'utf8');
  for (const [name, value] of Object.entries(settings)) {
    const line = new RegExp(`      - ${name}=.*\n`);
    const mine = `      - ${name}=${value}\n`;
    text = line.test(text)
      ? text.replace(line, mine)
      : text.replace('      - PARTITIONS=', `${mine}      - PARTITIONS=`);
  }
  writeFileSync(file, text);
  return render(join(folder, 'overlays/local'));
}

test('a crawl starts with the arguments and variables that chart and overlay render, fetches a page, and passes `helm test`', {
  skip,
  timeout: 400_000,
}, async (t) => {
  const { broker, root, atEnd } = await besideBroker(t, patienceMs);
  const registry = await startRegistry();
  atEnd(() => registry.stop());
  const requests: string[] = [];
  const site = createServer((request, response) => {
    requests.push(`${request.headers.host} ${request.url} ${request.headers['user-agent']}`);
    response.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' }).end('<p>hello');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  atEnd(() => site.closeAllConnections() ?? site.close());
  const { port } = site.address() as AddressInfo;

  for (const [name, make] of [
    ['chart', byChart],
    ['overlay', (settings: Settings) => byOverlay(join(root, 'deploy'), settings)],
  ] as const) {
    const manifests = await make({
      BROKERS: broker.brokers,
      REGISTRY: registry.url,
      CONTACT: contact,
      CRAWL: name,
      CRAWLSTREAM_RESOLVE: `${name}.test:${port}:127.0.0.1`,
    });
    const commandOf = (kind: string, suffix: string) => {
      const found = manifests.find(({ kind: one, metadata }) => one === kind && metadata.name.includes(suffix));
      assert.ok(found, `${name}: ${kind} ${suffix}`);
      return renderedCommand(found, manifests, join(root, name));
    };
    const ends = async (kind: string, suffix: string) => {
      const { args, env } = commandOf(kind, suffix);
      const { code, stdout, stderr } = await runCommand([...args], { env });
      assert.equal(code, 0, `${name}: ${args.join(' ')}: ${stdout}${stderr}`);
    };
    const starts = async (kind: string, suffix: string) => {
      const { args, env } = commandOf(kind, suffix);
      const running = startCommand([...args], { env, patienceMs });
      atEnd(() => running.child.kill('SIGKILL'));
      await untilReady(await listening(running));
    };

    await ends('Job', 'topics');
    await starts('StatefulSet', 'frontier');
    await starts('Deployment', 'fetcher');
    const at = ['--brokers', broker.brokers, '--registry', registry.url, '--crawl', name];
    const injected = await runCommand(['inject', `http://${name}.test:${port}/page`, ...at]);
    assert.equal(injected.code, 0, injected.stderr);
    const isFetched = () =>
      requests.some((one) => one.startsWith(`${name}.test:${port} /page `) && one.includes(contact));
    const pages = async () => lastJson(await runCommand(['stats', ...at, '--json']))['pages'];
    for (const untilMs = Date.now() + patienceMs; !isFetched() || (await pages()) !== 1; await sleep(200))
      assert.ok(Date.now() < untilMs, `${name}: ${requests.join('\n')}`);
    if (name === 'chart') await ends('Pod', 'test');
  }
});
