/**
 * Finds variables of the environment that look like ours and are not read: mostly misspelt ones, so that the default
 * would apply without notice. They are only reported, since in a container others set variables, too.
 */
import type { Command } from 'commander';
import { closest, distance } from 'fastest-levenshtein';
import { credentialVariables } from '../../runtime/crawl/kafka-credentials.ts';
import { hiddenSettings, isServiceLink, settingsOf } from './settings.ts';

const prefix = 'CRAWLSTREAM_';
/** Variables that are read on demand, and have no option. */
const others = ['CRAWLSTREAM_CONFIG', 'CRAWLSTREAM_FIT_HEAP', 'CRAWLSTREAM_NO_SANDBOX'];
/** More than these are counted. */
const namedMax = 3;

export function unknownVariables(program: Command, env: NodeJS.ProcessEnv): string[] {
  const known = knownVariables(program);
  const names = Object.keys(env).filter((name) => name.startsWith(prefix) && !known.has(name));
  return names.filter((name) => !isOfOthers(name, env[name] ?? ''));
}

/** The message; undefined: there is nothing to report. */
export function unknownVariablesNote(program: Command, env: NodeJS.ProcessEnv): string | undefined {
  const names = unknownVariables(program, env);
  if (names.length === 0) return undefined;
  const known = [...knownVariables(program)];
  const named = names.slice(0, namedMax).map((name) => `${name} is not a known variable (${guessOf(name, known)})`);
  if (names.length > namedMax) named.push(`and ${names.length - namedMax} more`);
  return `environment: ${named.join(', ')}`;
}

function knownVariables(program: Command): ReadonlySet<string> {
  const settings = [...settingsOf(program), ...hiddenSettings].map(({ env }) => env);
  return new Set([...settings, ...credentialVariables, ...others]);
}

function guessOf(name: string, known: readonly string[]): string {
  const near = closest(name, known);
  const mayDiffer = Math.max(2, Math.floor((name.length - prefix.length) / 3));
  return distance(name, near) <= mayDiffer ? `did you mean ${near}?` : 'crawlstream config init - lists all variables';
}

/** True for variables that Kubernetes sets for Services, and for those that our tests and benches pass on. */
function isOfOthers(name: string, value: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)$/.test(name) ||
    name.includes('_SERVICE_PORT_') ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    isServiceLink(value) ||
    /^CRAWLSTREAM_(TEST|BENCH)_/.test(name)
  );
}
