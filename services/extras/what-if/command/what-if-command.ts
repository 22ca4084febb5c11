/**
 * `crawlstream what-if`: compares a recorded crawl with what another policy would have made of it, on virtual time.
 * Reads the crawl's topics and changes nothing.
 */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { whatIf } from '../../../../topology/extras/what-if/what-if.ts';
import { keepInForce } from '../../../../topology/policy/keep-in-force.ts';
import { listsOf } from '../../../../topology/policy/lists-of.ts';
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../../topology/policy/validate.ts';
import { moment } from '../../../cli/flags/arguments.ts';
import { addCrawlOptions } from '../../../cli/flags/kafka-flags.ts';
import { policyFromFile } from '../../../cli/policy/policy-file.ts';
import { requestLimits } from '../../../fetcher/http/request-limits.ts';
import { fingerprintKeyOf } from '../../../hosting/connect/crawl-folder.ts';
import { type ReadableCrawl, withCrawl } from '../../../hosting/connect/open-crawl.ts';
import { refuseServed } from '../../../hosting/connect/refuse-served.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { samePolicy } from '../../../runtime/crawl/requests.ts';
import { readDataFolder } from '../../../runtime/data-folder/data-folder.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { createListFiles } from '../../../runtime/policy/list-files.ts';
import { type ReadRecording, readRecording } from '../read-recording.ts';
import { whatIfJson, whatIfText } from './what-if-text.ts';

interface WhatIfFlags extends KafkaFlags {
  readonly policy: string;
  readonly from?: number;
  readonly json?: boolean;
}

export function addWhatIfCommand(program: Command): void {
  addCrawlOptions(program.command('what-if'))
    .description('replay a recorded crawl under another policy and compare the results')
    .requiredOption('--policy <file>', 'YAML or JSON: a policy as `policy show` prints it, or the fields that change')
    .option(
      '--from <when>',
      'apply the other policy from this time on, as in 2026-01-31T12:00:00Z (default: from the start)',
      moment('--from'),
    )
    .option('--json', 'print one JSON object')
    .action((flags: WhatIfFlags) => withCrawl(flags, (crawl) => run(crawl, flags)));
}

async function run(crawl: ReadableCrawl, flags: WhatIfFlags): Promise<void> {
  refuseServed(crawl.topics, 'what-if', 'its clients decide what to fetch');
  const fromMs = flags.from ?? 0;
  const read = await readRecording(crawl, fromMs);
  const texts = policyTexts(read);
  const newest = texts.at(-1);
  if (newest === undefined)
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      'the crawl has no policy yet, so there are no decisions to compare: start it with crawlstream crawl',
    );
  const tried = await policyFromFile('--policy', flags.policy, parsePolicy(newest));
  const lists = await listsFor([...texts.map(parsePolicy), tried], flags);
  const instead = (json: string) => {
    const recorded = parsePolicy(json);
    const policy = { ...keepInForce(recorded, tried), version: recorded.version };
    return samePolicy(recorded, policy) ? json : JSON.stringify(policy);
  };
  const { topics } = crawl;
  const options = {
    ...read,
    key: fingerprintKeyOf(topics),
    keyMode: topics.keyMode,
    lists,
    fromMs,
    lastRequestMs: requestLimits.totalTimeoutMs,
  };
  const report = whatIf({ ...options, instead });
  const changed = changedFields(parsePolicy(newest), parsePolicy(instead(newest)));
  if (flags.json) toStdout(`${JSON.stringify(whatIfJson(report, changed))}\n`);
  else toStdout(`${whatIfText(report, changed)}\n`);
}

/** Policies as they were sent to partition 0, in order. */
function policyTexts({ partitions }: ReadRecording): string[] {
  return (partitions[0]?.inputs.control ?? []).flatMap(({ topic, record }) =>
    topic === 'control' && record?.kind === 'policy' ? [record.payload] : [],
  );
}

async function listsFor(policies: readonly PolicyConfig[], { data, brokers }: WhatIfFlags) {
  const copies = data === undefined || brokers !== undefined ? undefined : (await readDataFolder(data)).part('lists');
  return createListFiles(copies).load(policies.flatMap(listsOf), '/');
}

function changedFields(before: PolicyConfig, after: PolicyConfig): string[] {
  const [a, b] = [before as unknown as Record<string, unknown>, after as unknown as Record<string, unknown>];
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name])).sort();
}
