/**
 * `crawlstream doctor`: checks this machine and Kafka for a crawl, and prints each problem with the command that fixes
 * it.
 */
import type { Command } from 'commander';
import type { Finding } from '../../application/extension/finding.ts';
import { installed } from '../../extras/installed.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { crawlAddress } from '../../hosting/options/http-side.ts';
import { writeBundle } from '../../planning/doctor/bundle.ts';
import { checkKafka } from '../../planning/doctor/kafka-checks.ts';
import * as machine from '../../planning/doctor/machine-checks.ts';
import { counted } from '../../runtime/counted.ts';
import type { ListenAddress } from '../../runtime/http/listen-address.ts';
import { parseListenAddress } from '../../runtime/http/listen-address.ts';
import { productVersion } from '../../runtime/version.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { print } from '../terminal/print.ts';

interface DoctorFlags extends KafkaFlags {
  readonly host: string;
  readonly port: ListenAddress;
  readonly bundle?: string;
  readonly json?: boolean;
}

export function addDoctorCommand(program: Command): void {
  addCrawlOptions(program.command('doctor'))
    .description('check this machine, a data folder and Kafka for a crawl; print a fix for each fault')
    .option('--host <name>', 'host to look up, to check DNS', 'example.org')
    .option(
      '--port <host:port>',
      'port that the crawl will listen on',
      (value: string) => parseListenAddress('--port', value),
      crawlAddress,
    )
    .option('--bundle <file>', 'write findings and settings into this file, for a maintainer; without secrets')
    .option('--json', 'print one JSON object')
    .action(async (flags: DoctorFlags) => {
      const findings = await examine(flags);
      const { bundle, data } = flags;
      const parts = { version: productVersion, findings, data, env: process.env, atMs: Date.now() };
      const faults = findings.filter(({ state }) => state === 'fault').length;
      print({ json: { faults, findings }, text: findingsText(findings, bundle) }, flags.json);
      if (faults > 0) process.exitCode = 1;
      if (bundle !== undefined) await writeBundle(bundle, parts);
    });
}

async function examine({ data, host, port, ...flags }: DoctorFlags): Promise<Finding[]> {
  const { env } = process;
  const place = data ?? '.';
  return [
    machine.checkNode(),
    await machine.checkDisk(place),
    machine.checkOpenFiles(),
    ...(data === undefined ? [] : [await machine.checkFolder(data)]),
    await machine.checkClock(data ?? '', Date.now()),
    await machine.checkNames(host),
    machine.checkProxies(env),
    ...(await Promise.all(installed.map(({ checks }) => checks?.(env) ?? []))).flat(),
    await machine.checkPort(port),
    ...(flags.brokers === undefined ? [] : await checkKafka(flags)),
  ];
}

function findingsText(findings: readonly Finding[], bundle: string | undefined): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const marks = { ok: ' ok ', warning: 'warn', fault: 'FAIL' } as const;
  const lines = findings.flatMap(({ check, state, text, remedy }) => [
    `${marks[state]}  ${check.padEnd(width)}  ${text}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(width + 8)}${remedy}`]),
  ]);
  const count = (state: Finding['state']) => findings.filter((one) => one.state === state).length;
  lines.push(`${counted(count('fault'), 'fault')}, ${counted(count('warning'), 'warning')}`);
  if (bundle !== undefined)
    lines.push(`${bundle} has the findings and settings for a maintainer: read it before you send it`);
  return lines.join('\n');
}
