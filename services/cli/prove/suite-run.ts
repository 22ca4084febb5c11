/** `crawlstream judge --suite`: the checks of the suite against any crawler. */
import { badgeSvg } from '../../../lab/judge/suite/badge.ts';
import type { SuiteCard } from '../../../lab/judge/suite/check/verdict.ts';
import { suiteChecks, suiteVersion } from '../../../lab/judge/suite/checks.ts';
import { networkOfHosts } from '../../../lab/judge/suite/names/addresses.ts';
import { reportHtml } from '../../../lab/judge/suite/report-html.ts';
import { runSuite, type Way } from '../../../lab/judge/suite/run-suite.ts';
import { counted } from '../../runtime/counted.ts';
import { writeNamedFile } from '../../runtime/disk/named-file.ts';
import { toStderr, toStdout } from '../../runtime/logging/door.ts';
import { bad, durationText } from '../../runtime/option-text.ts';
import { stopOnSignals } from '../../runtime/stop-signals.ts';

export interface SuiteFlags {
  readonly listen: { readonly address: string; readonly port: number };
  readonly delay: number;
  readonly crawlDelay: number;
  readonly retryAfter: number;
  readonly minutes: number;
  readonly quiet: number;
  readonly json?: boolean;
  readonly report?: string;
  readonly badge?: string;
  readonly least?: number;
  readonly addresses?: boolean;
  readonly nameServer?: number;
}

export async function judgeBySuite(command: readonly string[], flags: SuiteFlags): Promise<void> {
  const { listen, minutes, quiet, report, badge, least = 0, addresses = false, nameServer } = flags;
  if (addresses && nameServer !== undefined)
    throw bad('--name-server', String(nameServer), 'leave out --addresses: URLs have names or addresses');
  const stop = new AbortController();
  const release = stopOnSignals(stop, 'the visit is over');
  try {
    const { card } = await runSuite(suiteChecks, {
      ...listen,
      byAddress: addresses,
      nameServerPort: nameServer,
      pace: {
        delayMs: flags.delay,
        crawlDelaySeconds: flags.crawlDelay / 1000,
        retryAfterSeconds: Math.ceil(flags.retryAfter / 1000),
        patienceSeconds: 60,
      },
      ...{ quietMs: quiet, limitMs: minutes * 60_000, signal: stop.signal, command },
      onReady: (way) => toStderr(`${invitation(way, command, flags)}\n`),
    });
    if (report !== undefined) await writeNamedFile(report, reportHtml(card));
    if (badge !== undefined) await writeNamedFile(badge, badgeSvg(card.score));
    toStdout(`${cardText(card)}\n`);
    if (flags.json) toStdout(`${JSON.stringify(jsonOf(card))}\n`);
    if (card.requests === 0 || card.score < least) process.exitCode = 1;
  } finally {
    release();
  }
}

function invitation(way: Way, command: readonly string[], flags: SuiteFlags): string {
  const { seed, ca, checks } = way;
  const { quiet, minutes } = flags;
  const silence = `${durationText(quiet)} after the last request`;
  const end = command.length > 0 ? `when the command ends, ${silence}` : silence;
  return [
    `The suite has ${checks} checks. Its seed: ${seed}`,
    wayText(way, flags),
    `Trust the authority of its certificates: ${ca} (with crawlstream: --ca ${ca}).`,
    `All its hosts are in scope. The card comes ${end}, after ${counted(minutes, 'minute')}, or on Ctrl-C.`,
  ].join('\n');
}

function wayText({ proxy, port, nameServerPort }: Way, { listen, addresses }: SuiteFlags): string {
  const allowed = `A crawler that refuses private addresses must allow ${networkOfHosts}, and no other network.`;
  if (addresses) return `Its hosts are addresses of this machine. ${allowed}`;
  if (nameServerPort !== undefined)
    return `A name server at ${listen.address}:${nameServerPort} (UDP) answers for all names under .test. ${allowed}`;
  return `Use it as HTTP proxy (http_proxy=${proxy}), or with crawlstream: --resolve '*.test:${port}:${listen.address}'.`;
}

function cardText(card: SuiteCard): string {
  if (card.requests === 0) return 'No crawler visited.';
  const lines = [
    `${card.agents.join(', ')}: ${counted(card.requests, 'request')} in ${card.seconds} s, judged at ${card.pace.delayMs} ms a host`,
    '',
    ...card.families.map(({ name, score, passed, failed, notReached }) => {
      const part = score === null ? '–' : `${score.toFixed(1)} %`;
      return `  ${name.padEnd(26)}${part.padStart(8)}   ${passed} passed, ${failed} failed, ${notReached} not reached`;
    }),
  ];
  const failed = card.results.flatMap(({ check, verdict }) =>
    verdict.result === 'fail' ? [`  FAIL  ${check.id} (${check.level}): ${check.title}`, `        ${verdict.why}`] : [],
  );
  if (failed.length > 0) lines.push('', ...failed);
  const counts = `${card.passed} passed, ${card.failed} failed, ${card.notReached} not reached`;
  lines.push('', `Score: ${card.score} % of suite ${suiteVersion} (${counts})`);
  return lines.join('\n');
}

/** The card without the functions and pages of its checks. */
function jsonOf({ results, ...card }: SuiteCard) {
  return {
    suite: suiteVersion,
    ...card,
    checks: results.map(({ check: { id, family, title, level, source, weight }, verdict, counts }) => ({
      ...{ id, family, title, level, source, weight, counts },
      ...verdict,
    })),
  };
}
