/** Pod Security "restricted", by Kubernetes' own evaluator, of every overlay's pods. */
import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { fetchOnce } from '../../lab/kafka/components.ts';
import { render } from '../deploy/tools.ts';
import { MissingTool, root } from './engine.ts';

const run = promisify(execFile);
const version = 'v0.34.4';
const modules = ['api', 'apimachinery', 'pod-security-admission'].map((name) => `k8s.io/${name}@${version}`);
const overlays = ['base', 'overlays/local', 'overlays/production'];

export async function podSecurity(): Promise<string> {
  const folder = await fetchOnce(`pod-security-${version}`, build);
  let pods = 0;
  for (const overlay of overlays) {
    const manifests = await render(join(root, 'deploy', overlay));
    const asked = run(join(folder, 'pod-security'), [], { maxBuffer: 2 ** 24 });
    asked.child.stdin!.end(manifests.map((one) => stringify(one)).join('\n---\n'));
    const { stdout } = await asked.catch((error: { readonly stdout: string }) => {
      throw new Error(`${overlay}:\n${error.stdout}`);
    });
    pods += stdout.split('\n').filter((line) => line.startsWith('restricted:')).length;
  }
  return `${pods} pods of ${overlays.length} overlays pass "restricted"`;
}

async function build(folder: string): Promise<void> {
  const go = (...args: readonly string[]) => run('go', args, { cwd: folder });
  await go('version').catch(() => {
    throw new MissingTool('Go, for Kubernetes’ own evaluator: install golang');
  });
  await copyFile(join(import.meta.dirname, 'pod-security/main.go'), join(folder, 'main.go'));
  await go('mod', 'init', 'podsecurity');
  await go('get', ...modules);
  await go('mod', 'tidy');
  await go('build', '-o', 'pod-security', '.');
}
