/**
 * The figures of a run beside hostile owners, for people, and what is wrong with them.
 *
 * Rates are compared for a whole core: a process that others kept from its core fetches less, whoever attacks it. But
 * no rate is taken for more than the delay of the owner's hosts allows, since no core makes those faster. The rates by
 * the clock stand beside.
 */
import { type CoreTime, coreShareOf } from '../core-time.ts';
import { honestName } from './honest-web.ts';

/** Memory limit of a process with forty owners of three crawls each. */
export const fleetMemoryMibMax = 2_048;

/** A part of the run, for each second of it. */
export interface Part extends CoreTime {
  /** Pages of each honest owner, by the clock. */
  readonly rates: readonly number[];
}

export interface HonestCalls {
  calls: number;
  failed: number;
  slowestMs: number;
  /** Its path. */
  slowest: string;
  /** By route: calls of more than a second, and of more than five. */
  readonly slow: Map<string, SlowCalls>;
}

export interface SlowCalls {
  overSecond: number;
  overFive: number;
}

/** `route`: the path without the owner's name. */
export function noteCall(calls: HonestCalls, path: string, route: string, tookMs: number, isGood: boolean): void {
  calls.calls++;
  if (!isGood) calls.failed++;
  if (tookMs > calls.slowestMs) Object.assign(calls, { slowestMs: tookMs, slowest: path });
  if (tookMs <= 1_000) return;
  const slow = calls.slow.get(route) ?? { overSecond: 0, overFive: 0 };
  slow.overSecond++;
  if (tookMs > honestCallMsMax) slow.overFive++;
  calls.slow.set(route, slow);
}

export interface FleetFigures {
  readonly alone: Part;
  readonly beside: Part;
  /** Pages a second of an owner that the delay of its hosts allows. */
  readonly rateMax: number;
  readonly livezMsMax: number;
  readonly livezMs99: number;
  readonly livezLate: number;
  readonly livezAsked: number;
  /** VmHWM alone, and at the end. */
  readonly memoryMibAlone: number;
  readonly memoryMib: number;
  /** What hostile owners got that is not theirs. */
  readonly faults: readonly string[];
  readonly privateReached: number;
  readonly answers: readonly string[];
  /** null: it ran until it was stopped. */
  readonly endedEarly: string | null;
  readonly stopSeconds: number;
  readonly honestCalls: Readonly<HonestCalls>;
}

/** Longest call of an honest owner, ms: somebody waits for it. */
const honestCallMsMax = 5_000;

export interface Kept {
  /** Pages a second, for a whole core. */
  readonly alone: number;
  readonly beside: number;
  /** Beside, as a share of alone. */
  readonly share: number;
  readonly shareByClock: number;
}

/** Returns what each honest owner keeps. */
export function keptOf({ alone, beside, rateMax }: Pick<FleetFigures, 'alone' | 'beside' | 'rateMax'>): Kept[] {
  const ofCore = (rate: number, part: Part) => Math.max(rate, Math.min(rateMax, rate / coreShareOf(part)));
  return alone.rates.map((rate, n) => {
    const [aloneRate, besideRate] = [ofCore(rate, alone), ofCore(beside.rates[n]!, beside)];
    return {
      ...{ alone: aloneRate, beside: besideRate },
      ...{ share: besideRate / aloneRate, shareByClock: beside.rates[n]! / rate },
    };
  });
}

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

export function partText(part: Part): string {
  const all = part.rates.reduce((sum, rate) => sum + rate, 0);
  const core = `ran ${part.ranMs.toFixed(0)} ms and waited ${part.waitedMs.toFixed(0)} ms of a second, so it had ${percent(coreShareOf(part))} of a core`;
  return `${all.toFixed(1)} pages/s by the clock, ${core}`;
}

export function fleetFiguresText(figures: FleetFigures): string {
  const { honestCalls } = figures;
  return [
    ...keptOf(figures).map(
      ({ alone, beside, share, shareByClock }, n) =>
        `${honestName(n)}: ${beside.toFixed(2)} pages/s of ${alone.toFixed(2)} alone, for a whole core: ${percent(share)} (${percent(shareByClock)} by the clock)`,
    ),
    `alone: ${partText(figures.alone)}`,
    `beside: ${partText(figures.beside)}`,
    `/livez: ${figures.livezMsMax.toFixed(0)} ms at most by the clock, 99 % within ${figures.livezMs99.toFixed(0)} ms though it had a core; later than a second though it had a core ${figures.livezLate} of ${figures.livezAsked} times`,
    `memory: ${figures.memoryMibAlone.toFixed(0)} MiB alone, ${figures.memoryMib.toFixed(0)} MiB at most`,
    `calls of honest owners: ${honestCalls.failed} of ${honestCalls.calls} failed, the slowest (${honestCalls.slowest}) took ${honestCalls.slowestMs.toFixed(0)} ms`,
    ...[...honestCalls.slow].map(
      ([route, { overSecond, overFive }]) => `  GET ${route}: ${overSecond} over 1 s, ${overFive} over 5 s`,
    ),
    `stopped within ${figures.stopSeconds.toFixed(1)} s`,
    `private: reached ${figures.privateReached} times; ${figures.faults.length === 0 ? 'nothing read' : figures.faults.join('; ')}`,
    figures.endedEarly === null ? 'the process went on to the end' : `THE PROCESS ENDED ${figures.endedEarly}`,
  ].join('\n');
}

/** What is not as it should be. `shareMin`: of the pages of each honest owner. */
export function fleetFaults(figures: FleetFigures, shareMin: number, memoryMibMax: number): string[] {
  const poor = keptOf(figures).filter(({ share }) => !(share >= shareMin)).length;
  const { honestCalls } = figures;
  return [
    ...(figures.endedEarly === null ? [] : ['the process ended']),
    ...(poor === 0 ? [] : [`${poor} honest owners keep less than ${100 * shareMin} % of their pages`]),
    ...(figures.livezLate === 0 ? [] : ['/livez took longer than a second']),
    ...(honestCalls.slowestMs <= honestCallMsMax
      ? []
      : [`a call of an honest owner (${honestCalls.slowest}) took longer than ${honestCallMsMax / 1_000} s`]),
    ...(figures.memoryMib <= memoryMibMax ? [] : [`memory is beyond ${memoryMibMax} MiB`]),
    ...(figures.privateReached === 0 && figures.faults.length === 0 ? [] : ['something private was read']),
  ];
}
