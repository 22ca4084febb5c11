/** A running service, as its HTTP side sees it. The process fills it in, whether it listens or not. */
import type { ErrorCode } from '../../../topology/errors.ts';
import type { AskMember } from '../http/ask-member.ts';
import { Probes } from '../http/probes.ts';
import type { SpanSink } from '../tracing/spans.ts';
import { LagWatch } from './lag.ts';
import type { MetricSource } from './metrics.ts';

export interface Service {
  /** `frontier`, `fetcher`, … */
  readonly role: string;
  readonly probes: Probes;
  /** The label of all of its series; undefined: no single crawl, or unknown yet. */
  crawl: string | undefined;
  /** Partitions of that crawl; undefined: unknown yet. */
  partitions: number | undefined;
  /** `host:port` on which it listens; null: it does not listen. */
  listensOn: string | null;
  /** True if it listens with TLS. */
  isSecure: boolean;
  /** True: anybody who reaches it may read, so nothing of the order of a crawl is shown. */
  isOpenToAll: boolean;
  /** Sends requests to other members of its crawl; undefined: it has no address. */
  askMember: AskMember | undefined;
  /** Metrics of its current role: they are removed when the role is lost. */
  readonly sources: Set<MetricSource>;
  /** Folders of its stores, by store: their disk space is also exported while the role is lost. */
  readonly disks: Map<string, string>;
  /** Lag of its groups. */
  readonly lag: LagWatch;
  /** Returns the needed parts that are missing; undefined: the service needs none. */
  away: (() => Away) | undefined;
  /** The receiver of spans; undefined: there is none. */
  spans: SpanOutlet | undefined;
  /** Counts of metrics and log lines that were sent to a collector, by signal and result. */
  readonly exports: Map<string, Readonly<Record<string, number>>>;
  /** Its role is lost: its samples are dropped. */
  forget(): void;
}

export interface Away {
  /** Brokers that do not answer. */
  readonly brokers: number;
  /** The missing part without which nothing works; null: none. */
  readonly cutOff: CutOff | null;
}

export const cutOffs = ['brokers', 'registry', 'schema', 'disk'] as const;
export type CutOff = (typeof cutOffs)[number];

/** `counts`: number of spans by result. */
export interface SpanOutlet {
  readonly sink: SpanSink;
  readonly counts: Readonly<Record<string, number>>;
}

const silent = {
  ...{ crawl: undefined, partitions: undefined, listensOn: null, isSecure: false, isOpenToAll: false },
  askMember: undefined,
};

export function createService(role: string): Service {
  const sources = new Set<MetricSource>();
  const lag = new LagWatch();
  return {
    ...{ role, probes: new Probes(), ...silent, sources, disks: new Map(), lag, away: undefined, spans: undefined },
    exports: new Map(),
    forget() {
      sources.clear();
      lag.clear();
    },
  };
}

/** The missing part without which a role that ended with this error cannot be taken again. */
export function awayAfter(code: ErrorCode): Away {
  if (code === 'BROKER_UNREACHABLE') return { brokers: 1, cutOff: 'brokers' };
  if (code === 'DISK_FULL') return { brokers: 0, cutOff: 'disk' };
  return { brokers: 0, cutOff: code === 'REGISTRY_UNREACHABLE' ? 'registry' : null };
}

export function awayMetrics(service: Pick<Service, 'away'>): MetricSource {
  return (sink) => {
    if (service.away === undefined) return;
    const { brokers, cutOff } = service.away();
    sink.value('crawlstream_brokers_away', brokers);
    for (const what of cutOffs) sink.value('crawlstream_cut_off', what === cutOff ? 1 : 0, { what });
  };
}
