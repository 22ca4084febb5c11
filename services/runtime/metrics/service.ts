/** A running service, as its HTTP side sees it. The process fills it in, whether it listens or not. */
import type { AskMember } from '../http/ask-member.ts';
import { Probes } from '../http/probes.ts';
import type { SpanSink } from '../tracing/spans.ts';
import type { MetricSource } from './metrics.ts';

export interface Service {
  /** `frontier`, `fetcher`, … */
  readonly role: string;
  readonly probes: Probes;
  /** `host:port` where it listens; null: nowhere. */
  listensOn: string | null;
  /** Over TLS? */
  isSecure: boolean;
  /** How it asks others of its crawl; undefined: it listens nowhere. */
  askMember: AskMember | undefined;
  /** Metrics of its present role: they are removed when it loses that. */
  readonly sources: Set<MetricSource>;
  /** The receiver of spans; undefined: there is none. */
  spans: SpanOutlet | undefined;
}

/** `counts`: of spans, by what became of them. */
export interface SpanOutlet {
  readonly tell: SpanSink;
  readonly counts: Readonly<Record<string, number>>;
}

const silent = { listensOn: null, isSecure: false, askMember: undefined };

export function createService(role: string): Service {
  return { role, probes: new Probes(), ...silent, sources: new Set(), spans: undefined };
}
