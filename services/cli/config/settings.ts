/**
 * Collects everything that can be configured from the options of the services' commands: one source for flags, the
 * configuration file and the environment. An option that is added to a service becomes a setting automatically; a test
 * requires the reason of its default.
 *
 * `--seen-memory` is `seenMemory` in a file and `CRAWLSTREAM_SEEN_MEMORY` in the environment.
 */
import type { Command, Option } from 'commander';
import { processors } from '../../application/topology.ts';
import { installed } from '../../extras/installed.ts';

/** Commands that run a part of a crawl; each may have a separate section under `services`. */
export const serviceNames: readonly string[] = [
  'crawl',
  ...installed.flatMap(({ commands = [] }) =>
    commands.filter((one) => one.isService === true).flatMap((one) => one.names),
  ),
  ...processors.map(({ name }) => name),
  'consume',
];

export interface Setting {
  /** In a file. */
  readonly key: string;
  readonly env: string;
  readonly option: Option;
  /** Services that have it. */
  readonly services: readonly string[];
}

/** Options that are set for one run only. */
const perRun = new Set(['json', 'fromStart', 'config', 'newOptions']);

/** In the order of the commands, each once. */
export function settingsOf(program: Command): readonly Setting[] {
  const settings = new Map<string, Setting & { readonly services: string[] }>();
  for (const name of serviceNames) {
    for (const option of program.commands.find((command) => command.name() === name)?.options ?? []) {
      const key = option.attributeName();
      if (perRun.has(key)) continue;
      const known = settings.get(key);
      if (known === undefined) settings.set(key, { key, env: envOf(key), option, services: [name] });
      else known.services.push(name);
    }
  }
  return [...settings.values()];
}

export function envOf(key: string): string {
  return `CRAWLSTREAM_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

/**
 * True for a variable that Kubernetes sets for a Service, such as CRAWLSTREAM_PORT=tcp://10.0.0.1:7071: not a setting.
 */
export function isServiceLink(value: string): boolean {
  return /^(tcp|udp|sctp):\/\/[\da-f.:[\]]+$/.test(value);
}

/** Settings without an option: others can see command lines, so these come only from a file or the environment. */
export interface HiddenSetting {
  readonly key: string;
  readonly env: string;
  /** Given by reference, and never shown. */
  readonly secret: boolean;
  readonly about: string;
  readonly otherwise: string;
  readonly reason: string;
}

export const hiddenSettings: readonly HiddenSetting[] = [
  hidden(
    'store',
    false,
    'storage engine of new folders: auto, rocksdb or classic-level (LevelDB)',
    'auto',
    'rocksdb if it is installed, since it is faster with many partitions; else classic-level',
  ),
  hidden('kafkaTls', false, 'use TLS to the brokers', 'false', 'a broker on this machine has no certificate'),
  hidden('kafkaUsername', false, 'user name at the brokers', 'none', 'without one there is no login'),
  hidden('kafkaPassword', true, 'password for the brokers', 'none', 'a password has no good default'),
  hidden(
    'kafkaMechanism',
    false,
    'login mechanism for the brokers: plain, scram-sha-256, scram-sha-512, oauthbearer or aws-msk-iam',
    'scram-sha-512',
    'it reveals less to an eavesdropper than the others',
  ),
  hidden(
    'httpToken',
    true,
    'token for calls that change a crawl and, beyond loopback, for calls that read it',
    'none',
    'without a token only loopback may make such calls; processes of a crawl use it among themselves',
  ),
  hidden(
    'grpcToken',
    true,
    'token for every call of urlfrontier and --clients-grpc',
    'none',
    'URLFrontier’s clients send no token',
  ),
];

function hidden(key: string, secret: boolean, about: string, otherwise: string, reason: string): HiddenSetting {
  return { key, env: envOf(key), secret, about, otherwise, reason };
}
