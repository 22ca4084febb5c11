/**
 * Lists the module of each command. Modules are loaded on demand: loading all code takes longer than most commands run,
 * and a command line usually names the one command that it needs.
 */
import type { AddCommands, CommandModule } from '../application/extension/extension.ts';
import { leaseClientsOf } from '../application/extension/offers.ts';
import { installedParts } from '../application/installed-parts.ts';
import { consumers } from '../application/topology.ts';
import { installed } from '../extras/installed.ts';

/** Offers of extras to commands that run a crawl. */
const offers = () => Promise.all([leaseClientsOf(installed), installedParts()]);

/** In the order in which they are added. */
const modules: readonly CommandModule[] = [
  {
    names: ['crawl'],
    load: async () => (await import('./crawl/crawl-command.ts')).crawlCommand(...(await offers())),
  },
  {
    names: ['frontier', 'fetcher'],
    load: async () => (await import('./roles/role-commands.ts')).roleCommands(...(await offers())),
  },
  {
    names: consumers.map(({ name }) => name),
    load: async () => (await import('./roles/consumer-commands.ts')).addConsumerCommands,
  },
  { names: ['consume'], load: async () => (await import('./roles/consume-command.ts')).addConsumeCommand },
  { names: ['inject'], load: async () => (await import('./operate/inject-command.ts')).addInjectCommand },
  { names: ['pages', 'stats'], load: async () => (await import('./inspect/read-commands.ts')).addReadCommands },
  { names: ['hosts'], load: async () => (await import('./inspect/hosts-command.ts')).addHostsCommand },
  { names: ['dlq'], load: async () => (await import('./operate/dlq-command.ts')).addDlqCommand },
  { names: ['explain'], load: async () => (await import('./inspect/explain-command.ts')).addExplainCommand },
  { names: ['links'], load: async () => (await import('./inspect/links-command.ts')).addLinksCommand },
  { names: ['judge'], load: async () => (await import('./prove/judge-command.ts')).addJudgeCommand },
  { names: ['policy'], load: async () => (await import('./policy/policy-commands.ts')).addPolicyCommands },
  {
    names: ['block', 'unblock', 'delay', 'limit', 'parallel', 'budget', 'raise', 'lower', 'requeue', 'trap', 'release'],
    load: async () => (await import('./operate/operator-commands.ts')).addOperatorCommands,
  },
  { names: ['purge'], load: async () => (await import('./operate/purge-command.ts')).addPurgeCommand },
  { names: ['forget'], load: async () => (await import('./operate/forget-command.ts')).addForgetCommand },
  { names: ['schemas'], load: async () => (await import('./operate/schemas-command.ts')).addSchemasCommand },
  {
    names: ['pause', 'resume', 'bandwidth'],
    load: async () => (await import('./policy/pause-commands.ts')).addPauseCommands,
  },
  { names: ['trace'], load: async () => (await import('./policy/trace-command.ts')).addTraceCommand },
  { names: ['check'], load: async () => (await import('./check/check-command.ts')).addCheckCommand },
  { names: ['identity'], load: async () => (await import('./check/identity-command.ts')).addIdentityCommand },
  { names: ['fetch'], load: async () => (await import('./check/fetch-command.ts')).addFetchCommand },
  { names: ['new'], load: async () => (await import('./new-command.ts')).addNewCommand },
  { names: ['state'], load: async () => (await import('./state/state-command.ts')).addStateCommand },
  { names: ['reset'], load: async () => (await import('./operate/reset-command.ts')).addResetCommand },
  { names: ['seek'], load: async () => (await import('./operate/seek-command.ts')).addSeekCommand },
  { names: ['dump'], load: async () => (await import('./transfer/dump-command.ts')).addDumpCommand },
  { names: ['load'], load: async () => (await import('./transfer/load-command.ts')).addLoadCommand },
  {
    names: ['repartition'],
    load: async () => (await import('./transfer/repartition-command.ts')).addRepartitionCommand,
  },
  { names: ['doctor'], load: async () => (await import('./plan/doctor-command.ts')).addDoctorCommand },
  { names: ['size'], load: async () => (await import('./plan/size-command.ts')).addSizeCommand },
  { names: ['topology'], load: async () => (await import('./plan/topology-command.ts')).addTopologyCommand },
  { names: ['topics'], load: async () => (await import('./plan/topics-command.ts')).addTopicsCommand },
  { names: ['acls'], load: async () => (await import('./plan/acls-command.ts')).addAclsCommand },
  { names: ['simulate', 'bench'], load: async () => (await import('./prove/proof-commands.ts')).addProofCommands },
  { names: ['config'], load: async () => (await import('./config/config-command.ts')).addConfigCommand },
  { names: ['completion'], load: async () => (await import('./completion-command.ts')).addCompletionCommand },
  { names: ['extras'], load: async () => (await import('./extras-command.ts')).addExtrasCommand },
  ...installed.flatMap(({ commands = [] }) => commands),
];

/** Commands that need all other commands. */
const lookAtAll = new Set(['config', 'completion', 'help']);

/**
 * Returns the modules of the named commands. Returns all of them if no command is named, and if a configuration file or
 * variable is set: checking it requires the options of all services.
 */
function wanted(words: readonly string[], env: NodeJS.ProcessEnv): readonly CommandModule[] {
  const [first = ''] = words;
  if (words.length === 1 && (first === '--version' || first === '-V')) return [];
  const named = lookAtAll.has(first) ? [] : modules.filter(({ names }) => names.includes(first));
  const isConfigured =
    words.some((word) => word.startsWith('--config')) ||
    Object.keys(env).some((name) => name.startsWith('CRAWLSTREAM_') && !/^CRAWLSTREAM_(TEST|BENCH)_/.test(name));
  return named.length === 0 || isConfigured ? modules : named;
}

/** Names of all commands of this program. */
export const commandNames: ReadonlySet<string> = new Set([...modules.flatMap(({ names }) => names), ...lookAtAll]);

/** By default, what adds every command. */
export function loadCommands(
  words: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<readonly AddCommands[]> {
  return Promise.all(wanted(words, env).map(({ load }) => load()));
}
