/**
 * `crawlstream audit`: was the crawl polite? Code that shares nothing with the crawler judges its log; the result is
 * a list of violations, a statement to publish, or a page for one host's webmaster.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { originOf } from '../../../../topology/extras/audit/audit.ts';
import { canParse } from '../../../../topology/url/can-parse.ts';
import { partitionKeyOf } from '../../../../topology/url/host-key.ts';
import type { Use } from '../../../../topology/usage/statement.ts';
import { duration, useList } from '../../../cli/flags/arguments.ts';
import { addCrawlOptions, addSkipDamaged, fleetName } from '../../../cli/flags/kafka-flags.ts';
import { type ReadableCrawl, withCrawl } from '../../../hosting/connect/open-crawl.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { needBrokers } from '../../../hosting/options/crawl-place.ts';
import { writeNamedFile } from '../../../runtime/disk/named-file.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { bad } from '../../../runtime/option-text.ts';
import { readSecret } from '../../../runtime/secret.ts';
import { productVersion } from '../../../runtime/version.ts';
import { crawlsOfFleet } from '../../fleet/crawl-file.ts';
import { auditLimits } from '../audit-limits.ts';
import { hostPage } from '../host-page.ts';
import { createHostVisits, type HostVisits } from '../host-visits.ts';
import { type AuditReport, runAudit } from '../run-audit.ts';
import { isIntact, readSigningKey, type SignedStatement, type Statement, signStatement } from '../statement.ts';
import { auditFleetRecords, type FleetAuditFlags } from './audit-fleet.ts';
import { auditText, spentTexts, verdictOf } from './audit-text.ts';
import { auditUses } from './audit-uses.ts';
import { withFleetFolder, withKafkaFleet } from './fleet-records.ts';

interface AuditFlags extends KafkaFlags {
  readonly fleet?: string;
  readonly from?: number;
  readonly host?: string;
  readonly skew: number;
  readonly statement?: string;
  readonly signWith?: string;
  readonly verify?: string;
  readonly uses?: Use[];
  readonly ledger?: string;
  readonly json?: boolean;
}

export function addAuditCommand(program: Command): void {
  addSkipDamaged(addCrawlOptions(program.command('audit')))
    .description('check each recorded request against the delays, blocks and robots.txt in force then')
    .option('--fleet <name>', 'with --brokers: audit all crawls of this fleet, each alone and all together', fleetName)
    .option('--from <time>', 'check requests that started after this time (ISO 8601, UTC)', moment)
    .option('--host <name>', 'print a report for the webmaster of this host, in Markdown')
    .option(
      '--skew <duration>',
      'most difference between the clocks of two fetchers',
      duration('--skew', { mostMs: 60_000 }),
      auditLimits.skewMs,
    )
    .option('--statement <file>', 'write a statement of the findings into this file')
    .option('--sign-with <key>', 'sign the statement: an Ed25519 key in PEM, as env:NAME or file:PATH')
    .option('--verify <file>', 'check the signature of a statement, and nothing else')
    .option(
      '--uses <list>',
      'check usage permissions at fetch time instead of politeness, as in ai-train',
      useList('--uses'),
    )
    .option('--ledger <file>', 'with --uses: write a JSON line for each page, with the statements of its site')
    .option('--json', 'print one line of JSON at the end')
    .action(async (flags: AuditFlags) => {
      if (flags.verify !== undefined) return check(flags.verify, flags.json);
      if (flags.fleet !== undefined) return judgeKafkaFleet(flags, flags.fleet);
      const { data } = flags;
      const crawls = data === undefined ? null : await crawlsOfFleet(data);
      if (data === undefined || crawls === null) return withCrawl(flags, (crawl) => judge(crawl, flags));
      refuseOfOne(flags, `--data ${join(data, 'crawls', crawls[0] ?? 'NAME')}`);
      return withFleetFolder(data, crawls, (records) => auditFleetRecords(records, ofAll(flags)));
    });
}

function judgeKafkaFleet(flags: AuditFlags, fleet: string): Promise<void> {
  refuseOfOne(flags, `--crawl ${fleet}.NAME`);
  const access = { brokers: needBrokers(flags), registry: flags.registry, by: productVersion, role: 'audit' };
  return withKafkaFleet(access, fleet, (records) => auditFleetRecords(records, ofAll(flags)));
}

function ofAll({ skew: skewMs, from: fromMs = 0, json }: AuditFlags): FleetAuditFlags {
  return { skewMs, fromMs, json };
}

/** Refuses options that only work for one crawl, or one key, when a whole fleet is audited. */
function refuseOfOne(flags: AuditFlags, instead: string): void {
  for (const [flag, value] of [
    ['--host', flags.host],
    ['--statement', flags.statement],
    ['--sign-with', flags.signWith],
    ['--uses', flags.uses?.join()],
    ['--ledger', flags.ledger],
  ] as const)
    if (value !== undefined)
      throw bad(flag, value, `it works for a single crawl, not a fleet: name a crawl, as in ${instead}`);
}

async function judge(crawl: ReadableCrawl, flags: AuditFlags): Promise<void> {
  const { uses, ledger, from = 0, json } = flags;
  if (uses !== undefined) return auditUses(crawl, { uses, ledger, fromMs: from, json });
  if (ledger !== undefined)
    throw bad('--ledger', ledger, 'it needs --uses: add the intended uses, as in --uses ai-train');
  return audit(crawl, flags);
}

async function audit({ log, codec, topics }: ReadableCrawl, flags: AuditFlags): Promise<void> {
  const key = flags.signWith === undefined ? null : readSigningKey(secretOf(flags.signWith), '--sign-with');
  const { crawl, partitions } = topics;
  const { skew: skewMs } = flags;
  const { noticeMs } = auditLimits;
  const visits = flags.host === undefined ? undefined : createHostVisits(isHost(flags.host));
  const report = await runAudit(
    { log, codec, crawl, partitions },
    {
      skewMs,
      noticeMs,
      domainOf: (host) => partitionKeyOf(host, 'domain'),
      fromMs: flags.from ?? 0,
      ...(visits !== undefined && { onContact: visits.contact, onResult: visits.result }),
    },
  );
  const signed = signStatement(statementOf(report, crawl, { skewMs, noticeMs }), key);
  if (flags.statement !== undefined) await writeNamedFile(flags.statement, `${JSON.stringify(signed, null, 2)}\n`);
  const page = visits === undefined ? '' : await pageOf(report, visits, crawl, flags);
  toStdout(page === '' ? auditText(report, signed) : page);
  const { violations, violationCount, counts } = report;
  if (flags.json) {
    const { fetches } = counts;
    toStdout(`${JSON.stringify({ violations: violationCount, fetches, details: violations, ...signed })}\n`);
  }
  if (violationCount > 0) process.exitCode = 1;
}

async function pageOf(report: AuditReport, visits: HostVisits, crawl: string, flags: AuditFlags): Promise<string> {
  const host = hostOf(flags.host!);
  const audited = visits.end();
  const copies = (await Promise.all(audited.origins.map((origin) => report.copies.of(origin)))).flat();
  const violations = report.violations.filter((violation) => isHost(flags.host!)(violation.host));
  return hostPage({ host, crawl, visits: audited, copies, violations, skewMs: flags.skew });
}

function statementOf(
  { counts, payments, violationCount, unreadable, read }: AuditReport,
  crawl: string,
  tolerance: Pick<Statement, 'skewMs' | 'noticeMs'>,
): Statement {
  const { fetches, hosts, addresses, unproven, unverified, exempt, cutOff, firstMs, lastMs } = counts;
  return {
    says: verdictOf(violationCount, counts),
    crawl,
    version: productVersion,
    madeAt: new Date().toISOString(),
    firstRequestAt: fetches === 0 ? null : new Date(firstMs).toISOString(),
    lastRequestAt: fetches === 0 ? null : new Date(lastMs).toISOString(),
    fetches,
    hosts,
    addresses,
    violations: violationCount,
    unproven,
    unverified,
    ...(exempt !== undefined && { exempt }),
    ...(payments.payments > 0 && { paid: { payments: payments.payments, spent: spentTexts(payments) } }),
    cutOff,
    unreadable,
    ...tolerance,
    read,
  };
}

async function check(file: string, json: boolean | undefined): Promise<void> {
  const signed = await readStatement(file);
  const intact = isIntact(signed);
  const why = signed.signature === null ? 'it is not signed' : 'it was changed after it was signed';
  const says = intact
    ? `intact, signed with\n${signed.signature?.publicKey}${signed.statement.says}`
    : `not proven: ${why}`;
  toStdout(json ? `${JSON.stringify({ intact, signature: signed.signature })}\n` : `${says}\n`);
  if (!intact) process.exitCode = 1;
}

async function readStatement(file: string): Promise<SignedStatement> {
  try {
    const given = JSON.parse(await readFile(file, 'utf8')) as Partial<SignedStatement>;
    if (typeof given?.statement === 'object' && given.signature !== undefined) return given as SignedStatement;
  } catch (error) {
    throw bad('--verify', file, `${(error as Error).message}; give a file written by --statement`);
  }
  throw bad('--verify', file, 'give a file written by --statement');
}

function moment(value: string): number {
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) throw bad('--from', value, 'give a time as in 2026-01-31T12:00:00Z');
  return ms;
}

function secretOf(value: string): string {
  const [, kind, name] = /^(env|file):(.+)$/.exec(value) ?? [];
  if (kind === undefined || name === undefined)
    throw bad('--sign-with', value, 'write the key as env:NAME or file:PATH');
  return readSecret(kind === 'env' ? { env: name } : { file: name }, '--sign-with');
}

/** Matches the given host; without a port, at any port. */
function isHost(given: string): (host: string) => boolean {
  const wanted = hostOf(given);
  return (host) => host === wanted || host.replace(/:\d+$/, '') === wanted;
}

/** The host in the spelling of a URL's authority, so that any spelling finds it. */
function hostOf(value: string): string {
  const url = /^https?:\/\//i.test(value) ? value : `http://${value}`;
  if (!canParse(url)) throw bad('--host', value, 'give a host name, as in example.org or example.org:8080');
  return originOf(url).replace(/^https?:\/\//, '');
}
