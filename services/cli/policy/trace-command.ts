/**
 * `crawlstream trace`: sets the traced URLs of a running crawl.
 *
 * It creates a version of the policy, so that all frontiers decide alike, and restarts keep the setting.
 */
import type { Command } from 'commander';
import type { TraceConfig } from '../../../topology/trace/tracing.ts';
import { withoutPort } from '../../../topology/url/host-key.ts';
import type { OperatorFlags } from '../../hosting/options/operator.ts';
import { hostArgument } from '../../hosting/options/url-argument.ts';
import { bad } from '../../runtime/option-text.ts';
import { addOperatorOptions, operatorsGroup } from '../flags/operator-flags.ts';
import { ratio } from '../flags/trace-flags.ts';
import { print } from '../terminal/print.ts';
import { changePolicy } from './policy-versions.ts';

interface TraceFlags extends OperatorFlags {
  readonly ratio?: number;
  readonly off?: boolean;
}

export function addTraceCommand(program: Command): void {
  const command = program
    .command('trace')
    .description('from now on, send OpenTelemetry traces of a host and subdomains, or of a share of all URLs')
    .argument('[host]', 'a host, or a URL of it; *: all hosts')
    .helpGroup(operatorsGroup);
  addOperatorOptions(command)
    .option('--ratio <share>', 'share of URLs to trace, as in 0.001', ratio('--ratio'))
    .option('--off', 'stop tracing the host; without a host, stop all traces')
    .action(trace);
}

async function trace(given: string | undefined, flags: TraceFlags): Promise<void> {
  if (given === undefined && flags.ratio === undefined && flags.off !== true)
    throw bad('trace', '', 'nothing to trace is given: add a host, --ratio 0.001, or --off');
  const host = given === undefined || given === '*' ? given : withoutPort(hostArgument(given));
  await changePolicy(flags, ({ trace: before = nothing, ...policy }) => {
    const after = changed(before, host, flags);
    if (isSame(before, after)) {
      print({ json: { ...after, changed: false }, text: `as before: ${textOf(after)}` }, flags.json);
      return null;
    }
    if (flags.json !== true) print({ json: after, text: textOf(after) }, false);
    return isSame(after, nothing) ? policy : { ...policy, trace: after };
  });
}

const nothing: TraceConfig = { ratio: 0, hosts: [] };

function changed(before: TraceConfig, host: string | undefined, flags: TraceFlags): TraceConfig {
  if (flags.off === true && host === undefined) return nothing;
  const others = before.hosts.filter((one) => one !== host);
  const hosts = host === undefined || flags.off === true ? others : [...others, host];
  return { ratio: flags.ratio ?? before.ratio, hosts };
}

function isSame(a: TraceConfig, b: TraceConfig): boolean {
  return a.ratio === b.ratio && a.hosts.length === b.hosts.length && a.hosts.every((host) => b.hosts.includes(host));
}

function textOf({ ratio: share, hosts }: TraceConfig): string {
  if (share === 0 && hosts.length === 0) return 'no URL is traced';
  const all = share === 0 ? [] : [`${100 * share} % of all URLs`];
  return `traced: ${[...all, ...hosts.map((host) => `all of ${host === '*' ? 'every host' : host}`)].join(', ')}`;
}
