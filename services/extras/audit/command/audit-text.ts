/** The printed audit. */
import type { AuditCounts } from '../../../../topology/extras/audit/audit.ts';
import type { PaymentCounts } from '../../../../topology/extras/audit/payments-referee.ts';
import { type Violation, violationKinds, violationText } from '../../../../topology/extras/audit/violation.ts';
import { moneyText } from '../../../../topology/fetch/money.ts';
import { counted } from '../../../runtime/counted.ts';
import { rows } from '../../../runtime/rows-text.ts';
import type { AuditReport } from '../run-audit.ts';
import type { SignedStatement } from '../statement.ts';

/** Violations printed of each kind. */
const shownOfKind = 5;

function exemptText({ requests, hosts, reasons }: NonNullable<AuditCounts['exempt']>): string {
  return `${counted(requests, 'request')} to ${counted(hosts, 'host')} ignored robots.txt, as the policy allows: ${reasons.join('; ')}`;
}

export function verdictOf(
  violations: number,
  { fetches, hosts, exempt }: Pick<AuditCounts, 'fetches' | 'hosts' | 'exempt'>,
): string {
  if (fetches === 0) return 'Nothing was checked: these records contain no requests.';
  const number = (n: number, of: string) => `${n.toLocaleString('en-US')} ${of}${n === 1 ? '' : 's'}`;
  const judged = `${number(fetches, 'request')} to ${number(hosts, 'host')}`;
  return violations === 0
    ? `Of ${judged} none violated a delay, limit or robots.txt in force at its time${exempt === undefined ? '' : `; ${exemptText(exempt)}`}.`
    : `Of ${judged}, ${number(violations, 'violation')} of a delay, limit or robots.txt in force.`;
}

export function auditText(
  { counts, payments, violations, violationCount, unreadable, read }: AuditReport,
  { statement, signature }: SignedStatement,
): string {
  const { byKind, firstMs, lastMs, fetches } = counts;
  const lines = violationLines(violations);
  const records = read.reduce((sum, part) => sum + part.records, 0);
  const table = rows([
    [
      'requests',
      `${fetches}: ${counted(byKind.page, 'page')}, ${byKind.robots} robots.txt, ${counted(byKind.sitemap, 'sitemap')}, ${byKind.other} other`,
    ],
    ['from, to', fetches === 0 ? null : `${new Date(firstMs).toISOString()}, ${new Date(lastMs).toISOString()}`],
    ['came as', counts.names === undefined ? null : counts.names.join('\n')],
    ['hosts, addresses', `${counts.hosts}, ${counts.addresses}`],
    ['violations', violationCount],
    [
      'not provable',
      counts.unproven === 0
        ? null
        : `${counted(counts.unproven, 'request')} by a release that did not store robots.txt`,
    ],
    [
      'not verified',
      counts.unverified === 0
        ? null
        : `${counted(counts.unverified, 'TLS request')} without certificate checks (--insecure)`,
    ],
    ['no robots.txt', counts.exempt === undefined ? null : exemptText(counts.exempt)],
    [
      'payments',
      payments.asked + payments.payments === 0
        ? null
        : `${counted(payments.asked, 'answer')} asked for payment; ${payments.payments} paid${payments.payments === 0 ? '' : `: ${spentTexts(payments).join(', ')}`}`,
    ],
    [
      'cut off',
      counts.cutOff === 0
        ? null
        : `${counted(counts.cutOff, 'lease')} without a reported end: the last requests are unknown`,
    ],
    ['unreadable', unreadable === 0 ? null : `${counted(unreadable, 'result')}`],
    [
      'clocks',
      `clocks of fetchers may differ by ${statement.skewMs} ms; changes may take ${statement.noticeMs} ms to reach fetchers`,
    ],
    [
      'read',
      `${counted(records, 'record')} of ${counted(read.length, 'partition')}; their hashes are in the statement (--statement FILE)`,
    ],
    ['signed', signature === null ? 'no (--sign-with)' : 'Ed25519'],
  ]);
  return `${lines.length === 0 ? '' : `${lines.join('\n')}\n\n`}${table}\n\n${statement.says}\n`;
}

/** The spent amounts, for example USD 0.01. */
export function spentTexts({ spent }: PaymentCounts): string[] {
  return [...spent].map(([currency, billionths]) => moneyText({ currency, billionths }));
}

/** The first violations of each kind. */
export function violationLines(violations: readonly Violation[]): string[] {
  return violationKinds.flatMap((kind) => ofKind(violations.filter((violation) => violation.kind === kind)));
}

function ofKind(violations: readonly Violation[]): string[] {
  const lines = violations.slice(0, shownOfKind).map((violation) => {
    const { kind, atMs, url, topic, partition, offset } = violation;
    const where = `${topic} ${partition}:${offset}`;
    return `${kind}  ${url}\n  ${new Date(atMs).toISOString()}  ${where}  ${violationText(violation)}`;
  });
  const more = violations.length - shownOfKind;
  return more > 0 ? [...lines, `  and ${more} more of ${violations[0]!.kind}`] : lines;
}
