/** Checks this machine for a crawl: Node, disk, open files, data folder, clock, names, proxies, browser, ports. */
import { execFileSync } from 'node:child_process';
import { constants, statSync } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { type Finding, fault, ok, warning } from '../../application/extension/finding.ts';
import { createDnsLookup } from '../../fetcher/connect/dns-lookup.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { ListenAddress } from '../../runtime/http/listen-address.ts';
import { inShell } from '../../runtime/in-shell.ts';
import { doctorLimits } from './doctor-limits.ts';

export function checkNode(version = process.versions.node): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return ok('Node', version);
  return fault('Node', `${version} is too old: 20.19 or later is needed`, 'nvm install 22');
}

export async function checkDisk(path: string): Promise<Finding> {
  const place = existing(path);
  const { bavail, bsize } = await statfs(place);
  const free = bavail * bsize;
  const text = `${(free / 2 ** 30).toFixed(1)} GiB free at ${place}`;
  if (free < doctorLimits.freeBytesMin) return fault('disk', text, `du -xsh ${inShell(place)}/* | sort -h`);
  return free < doctorLimits.freeBytesWarn
    ? warning('disk', `${text}: a million pages take about 10 GiB`, 'crawlstream size --help')
    : ok('disk', text);
}

export function checkOpenFiles(): Finding {
  let limit: number;
  try {
    const said = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
    limit = said === 'unlimited' ? Number.POSITIVE_INFINITY : Number(said);
  } catch {
    return warning('open files', 'the limit cannot be read: no shell');
  }
  const text = Number.isFinite(limit) ? `at most ${limit.toLocaleString('en-US')}` : 'no limit';
  return limit >= doctorLimits.openFilesMin
    ? ok('open files', text)
    : fault('open files', `${text}: a crawl of many hosts needs ${doctorLimits.openFilesMin}`, 'ulimit -n 65536');
}

/** A folder that is not there must be makeable. */
export async function checkFolder(path: string): Promise<Finding> {
  const place = existing(path);
  const isThere = place === resolve(path);
  if (!statSync(place).isDirectory()) return fault('data folder', `${place} is a file`, 'choose another --data');
  const { R_OK, W_OK, X_OK } = constants;
  try {
    await access(place, R_OK | W_OK | X_OK);
  } catch {
    return fault(
      'data folder',
      `${place} cannot be read and written by this user`,
      `sudo chown -R "$(id -un)" ${inShell(place)}`,
    );
  }
  if (!isThere) return ok('data folder', `${resolve(path)} does not exist yet, and can be created`);
  const names = await readdir(place);
  if (names.length === 0) return ok('data folder', `${place} is empty`);
  if (!names.includes('manifest.json'))
    return warning('data folder', `${place} contains no crawl: the folder of a crawl has a manifest.json`);
  const foreign = await unreadableIn(place, names);
  if (foreign !== undefined)
    return fault(
      'data folder',
      `${foreign} cannot be read and written by this user`,
      `sudo chown -R "$(id -un)" ${inShell(place)}`,
    );
  try {
    const { manifest } = await readDataFolder(place);
    return ok('data folder', `${place}: crawl ${manifest.crawl}, created by ${manifest.createdBy}`);
  } catch (error) {
    return fault('data folder', (error as Error).message);
  }
}

async function unreadableIn(place: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    try {
      await access(join(place, name), constants.R_OK | constants.W_OK);
    } catch {
      return join(place, name);
    }
  }
  return undefined;
}

export async function checkClock(path: string, nowMs: number): Promise<Finding> {
  const text = new Date(nowMs).toISOString();
  let newestMs = 0;
  for (const name of await readdir(path, { recursive: true }).catch(() => []))
    newestMs = Math.max(newestMs, (await stat(join(path, name)).catch(() => null))?.mtimeMs ?? 0);
  const behindMs = newestMs - nowMs;
  if (behindMs <= doctorLimits.clockBehindMs) return ok('clock', text);
  const seconds = Math.round(behindMs / 1000);
  return fault('clock', `${text} is ${seconds} s before the newest file of ${path}`, 'sudo timedatectl set-ntp true');
}

export async function checkNames(host: string): Promise<Finding> {
  const late = new Promise<null>((done) => setTimeout(done, doctorLimits.patienceMs, null).unref());
  const answer = await Promise.race([createDnsLookup()(host).catch((error: Error) => error), late]);
  const remedy = 'cat /etc/resolv.conf   # a nameserver line must name a server that answers';
  if (answer === null) return fault('DNS', `no answer for ${host} after ${doctorLimits.patienceMs / 1000} s`, remedy);
  if (answer instanceof Error) return fault('DNS', `${host}: ${answer.message}`, remedy);
  const { addresses } = answer;
  return addresses.length === 0
    ? fault('DNS', `${host} has no address`, remedy)
    : ok('DNS', `${host} is ${addresses[0]}`);
}

/** Crawls go directly, or by the proxies of `--requests`. */
export function checkProxies(env: NodeJS.ProcessEnv): Finding {
  const set = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'].filter(
    (name) => (env[name] ?? '') !== '',
  );
  if (set.length === 0) return ok('proxies', 'none in the environment');
  const text = `${set.join(', ')} is set, but crawls ignore it`;
  return warning('proxies', text, 'crawlstream crawl … --requests FILE   # with a proxy for the hosts that need it');
}

export async function checkPort({ host, port }: ListenAddress): Promise<Finding> {
  const server = createServer();
  const error = await new Promise<NodeJS.ErrnoException | null>((done) => {
    server.once('error', done);
    server.listen({ host, port, exclusive: true }, () => done(null));
  });
  server.close();
  const name = `port ${port}`;
  if (error === null) return ok(name, `free on ${host}, for --http or a dashboard`);
  if (error.code !== 'EADDRINUSE') return fault(name, `${host}:${port}: ${error.message}`);
  const remedy = `crawlstream crawl … --http ${host}:${port + 1}   # also with --dashboard, without an address there`;
  return warning(name, `another process listens on ${host}:${port}`, remedy);
}

/** The path, or the folder above it that exists. */
/** False for a path below a file, or below a folder without read permission. */
function isSeen(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function existing(path: string): string {
  let place = resolve(path);
  while (!isSeen(place)) place = dirname(place);
  return place;
}
