/** Helm itself, one that is here or built once from its own module, and what it makes of the chart. */
import { execFile, execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { type GoProgram, go, goProgram } from '../go/program.ts';
import type { Manifest } from './tools.ts';

const run = promisify(execFile);
const version = 'v3.19.0';
const root = join(import.meta.dirname, '../..');
export const chartFolder = join(root, 'deploy/helm/crawlstream');
export const kubernetes = ['--kube-version', '1.31'];
/** Without them, the chart refuses to render. */
export const required = ['--set', 'settings.BROKERS=kafka:9092', '--set', 'settings.CONTACT=crawl@example.org'];
export const everything = [
  ...[
    'index',
    'graph',
    'render',
    'urlfrontier',
    'snapshots',
    'autoscaling',
    'alerts',
    'board',
    'serviceMonitor',
  ].flatMap((name) => ['--set', `${name}.enabled=true`]),
  ...['SNAPSHOTS=s3://pages/snapshots', 'ARCHIVE=s3://pages/warc', 'OPENSEARCH=http://opensearch.search:9200'].flatMap(
    (setting) => ['--set', `settings.${setting}`],
  ),
  ...['--set', 'settings.REGISTRY=http://registry.kafka:8080/apis/ccompat/v7'],
];

const built = goProgram({ name: 'helm', version, what: 'Helm' }, (into) =>
  go(['install', `helm.sh/helm/v3/cmd/helm@${version}`], { GOBIN: into, GOFLAGS: '-mod=mod' }, into),
);

export const helm: GoProgram = {
  file: async () => (isInPath() ? 'helm' : built.file()),
  skipReason: async () => (isInPath() ? undefined : built.skipReason()),
};

function isInPath(): boolean {
  try {
    execFileSync('helm', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runHelm(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Answer> {
  try {
    const options = { cwd: root, env: { ...process.env, ...env }, maxBuffer: 64 * 2 ** 20 };
    return { code: 0, ...(await run(await helm.file(), args, options)) };
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    return { code: typeof code === 'number' ? code : 1, stdout, stderr: stderr || String(error) };
  }
}

export function template(release: string, args: readonly string[], chart: string = chartFolder): Promise<Answer> {
  return runHelm(['template', release, chart, '-n', 'crawls', ...kubernetes, ...args]);
}

/** Throws with Helm's words. */
export async function manifestsOf(release: string, args: readonly string[], chart?: string): Promise<Manifest[]> {
  const { code, stdout, stderr } = await template(release, args, chart);
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).flatMap((one) => (one.toJS() === null ? [] : [one.toJS() as Manifest]));
}
