/** Reads the system's hosts file (hosts(5)). It takes precedence over DNS, as for any program of the machine. */
import { readFile, stat } from 'node:fs/promises';
import { isIP } from 'node:net';

export interface HostsFile {
  /** IPv4 before IPv6. Empty: it does not name the host. */
  find(hostname: string): Promise<readonly string[]>;
}

/** Interval of the check whether the file has changed, ms. */
const lookMs = 5_000;
/** A file that blocks advertisers' hosts has some megabytes. */
const bytesMax = 64 * 1024 * 1024;

/** `nowMs`: a monotonic clock. */
export function createHostsFile(path = systemPath(), nowMs: () => number = () => performance.now()): HostsFile {
  let known: ReadonlyMap<string, readonly string[]> = new Map();
  let stamp = '';
  let lookedMs = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> = Promise.resolve();

  const look = async () => {
    try {
      const { mtimeMs, size, ino } = await stat(path);
      const now = `${mtimeMs} ${size} ${ino}`;
      if (now === stamp || size > bytesMax) return;
      known = parseHosts(await readFile(path, 'utf8'));
      stamp = now;
    } catch {
      // A missing or unreadable file names no host.
      known = new Map();
      stamp = '';
    }
  };
  return {
    async find(hostname) {
      if (nowMs() - lookedMs >= lookMs) {
        lookedMs = nowMs();
        looking = look();
      }
      await looking;
      const name = hostname.toLowerCase();
      // RFC 6761 §6.3: these names are this machine's, whatever the file contains.
      return known.get(name) ?? (name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1', '::1'] : []);
    },
  };
}

export function parseHosts(text: string): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const line of text.split(/\r?\n/)) {
    const [address = '', ...names] = line
      .replace(/#.*/, '')
      .trim()
      .split(/[ \t]+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const key = name.toLowerCase();
      const addresses = found.get(key) ?? [];
      if (!addresses.includes(address)) addresses.push(address);
      found.set(key, addresses);
    }
  }
  for (const addresses of found.values()) addresses.sort((a, b) => isIP(a) - isIP(b));
  return found;
}

function systemPath(): string {
  if (process.platform !== 'win32') return '/etc/hosts';
  return `${process.env['SystemRoot'] ?? 'C:\\Windows'}\\System32\\drivers\\etc\\hosts`;
}
