/**
 * Watches how the topics of a running crawl are set: colleagues change settings, and records that the
 * brokers delete or refuse are noticed too late. Each risk is one line in the log when it comes, and one when it is over.
 */
import type { Clock } from '../../runtime/clock.ts';
import { kafkaLimits } from '../../runtime/log/kafka/kafka-limits.ts';
import type { TopicRisk } from '../../runtime/log/log.ts';
import type { LogLevel } from '../../runtime/logging/say.ts';
import type { MetricSource } from '../../runtime/metrics/metrics.ts';

export interface RiskWatch {
  /** The urgent ones, for /readyz; null: none. */
  note(): string | null;
  readonly metrics: MetricSource;
}

export interface WatchRisks {
  readonly look: () => Promise<readonly TopicRisk[]>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  say(text: string, level: LogLevel): void;
}

/** Resolves after the first look. */
export async function watchRisks({ look, clock, signal, say }: WatchRisks): Promise<RiskWatch> {
  let known: readonly TopicRisk[] = [];
  const update = (now: readonly TopicRisk[]) => {
    const isIn = (risks: readonly TopicRisk[]) => (one: TopicRisk) => risks.some(({ text }) => text === one.text);
    for (const one of now) if (!isIn(known)(one)) say(one.text, one.isUrgent ? 'error' : 'warn');
    for (const one of known) if (!isIn(now)(one)) say(`resolved: ${one.text.split(' (kafka-')[0]}`, 'info');
    known = now;
  };
  update(await look());
  const run = async () => {
    for (;;) {
      await clock.sleepUntil(clock.nowMs() + kafkaLimits.risksEveryMs, signal);
      if (signal.aborted) return;
      // Unreachable brokers are reported elsewhere. The last known risks stay.
      await look().then(update, () => {});
    }
  };
  void run();
  const urgent = () => known.filter(({ isUrgent }) => isUrgent);
  return {
    note: () =>
      urgent().length === 0
        ? null
        : urgent()
            .map(({ text }) => text)
            .join('; '),
    metrics: (report) => {
      report.value('crawlstream_topic_settings_wrong', urgent().length, { urgent: 'yes' });
      report.value('crawlstream_topic_settings_wrong', known.length - urgent().length, { urgent: 'no' });
    },
  };
}
