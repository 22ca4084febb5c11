/** Prints the plan of a crawl in a few lines before its first request, so that a person can check it. */
import { defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import type { CrawlPlan } from '../../hosting/crawl/crawl-plan.ts';
import { counted } from '../../runtime/counted.ts';
import { durationText } from '../../runtime/option-text.ts';
import { ownName } from '../../runtime/own-name.ts';
import { robotsText, scopeText } from '../../runtime/policy-text.ts';

interface BannerFacts extends CrawlPlan {
  /** The rules that stop this run (stop-rules.ts), in words. Absent: none. */
  readonly stops?: readonly string[] | undefined;
}

export function banner({ policy, seeds, place, options, stops = [] }: BannerFacts): string[] {
  const rest = seeds.length > 3 ? ` and ${(seeds.length - 3).toLocaleString('en-US')} more` : '';
  const lines = [
    ['seeds', seeds.length === 0 ? 'those of earlier runs' : `${seeds.slice(0, 3).join(' ')}${rest}`],
    ['scope', scopeText(policy)],
    ['delay', delayText(policy)],
    ['speed', speedText(policy)],
    ['overlays', overlaysText(policy)],
    ['limits', limitsText(policy, stops)],
    ['robots', robotsText(policy)],
    ['stored in', place],
    ['Ctrl-C', `stops safely; to resume: ${options === null ? 'the same command' : `${ownName()} crawl ${options}`}`],
  ] as const;
  const shown = lines
    .flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]))
    .map(([name, value]) => `  ${name.padEnd(10)}${value}`);
  if (policy.paused === true)
    shown.push(`  paused    nothing is fetched until ${ownName()} resume${options === null ? '' : ` ${options}`}`);
  return shown;
}

const mistakenMs = 20;

function delayText({ delayMs, delayFactor, retriesMs }: PolicyConfig): string {
  // A user who types 2 may mean seconds.
  const unit = delayMs > 0 && delayMs < mistakenMs ? ` (milliseconds: ${delayMs}s are seconds)` : '';
  const least = `${durationText(delayMs)}${unit} between requests to a host`;
  const adaptive = delayFactor > 0 ? `, at least ${delayFactor} times the last fetch time` : '';
  const retries = retriesMs.length === 0 ? 'no retries' : `retries after ${retriesMs.map(durationText).join(', ')}`;
  return `${least}${adaptive}; ${retries}`;
}

/** Delay from which the banner explains it, ms: below this, the speed of a crawl is no surprise. */
const slowFromMs = 500;

/** null: the crawl is not slow by its delay, or parts of it have delays that an overlay sets. */
function speedText({ delayMs, delayFactor, overlays = [] }: PolicyConfig): string | null {
  if (delayMs < slowFromMs || overlays.some(({ set }) => set.delayMs !== undefined)) return null;
  const seconds = delayMs / 1000;
  const rate = seconds === 1 ? '1 request a second' : `1 request in ${Number(seconds.toFixed(1))} seconds`;
  return `${delayFactor > 0 ? 'at most ' : ''}${rate} per host, to be polite; for your own site: --delay 0`;
}

const overlaysNamed = 3;

/** null: there is none. */
function overlaysText({ overlays = [] }: PolicyConfig): string | null {
  if (overlays.length === 0) return null;
  const named = overlays.slice(0, overlaysNamed).map(({ name, set }) => `${name} (${Object.keys(set).join(', ')})`);
  const rest = overlays.length > overlaysNamed ? ` and ${number(overlays.length - overlaysNamed)} more` : '';
  return `${named.join(', ')}${rest}: they replace the values above for the URLs that they name`;
}

function limitsText(policy: PolicyConfig, stops: readonly string[]): string {
  const { pageQuota, recrawl, bytesPerSecond, urlsPerHostMax, pagesPerHostMax, pagesPerDomainMax } = policy;
  const { bytesPerHostMax, queuedMax } = policy;
  const parts = [
    pageQuota === null ? 'no page limit (set one with --max-pages N)' : counted(pageQuota, 'page', number(pageQuota)),
    bytesPerSecond === undefined ? null : `${number(bytesPerSecond)} bytes a second`,
    pagesPerHostMax == null ? null : `${counted(pagesPerHostMax, 'page', number(pagesPerHostMax))} per host`,
    pagesPerDomainMax == null ? null : `${counted(pagesPerDomainMax, 'page', number(pagesPerDomainMax))} per domain`,
    bytesPerHostMax == null ? null : `${number(bytesPerHostMax)} bytes per host`,
    urlsPerHostMax === null ? null : `${counted(urlsPerHostMax, 'queued URL', number(urlsPerHostMax))} per host`,
    queuedMax === defaultPolicy().queuedMax ? null : `${counted(queuedMax, 'queued URL', number(queuedMax))}`,
    ...stops,
  ];
  const set = parts.filter((part) => part !== null).join(', ');
  return `${set}${recrawl === undefined ? '' : '; pages are revisited until you stop the crawl'}`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
