/**
 * Detects that a changelog has lost acknowledged records while its owner has nothing to write. An owner that writes
 * detects it by the offset of its next commit.
 */

import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log/log.ts';
import { changelogLimits } from '../changelog-limits.ts';
import { changelogTopic } from '../restore/changelog-topic.ts';
import { lostRecords } from './open-partition.ts';

export interface LossWatchOptions {
  readonly log: Pick<Log, 'offsets'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly identity: PartitionIdentity;
}

export class LossWatch {
  readonly #options: LossWatchOptions;
  readonly #onLoss: (error: unknown) => void;
  /** Offset of the newest commit that was acked; -1: none since the partition was opened. */
  #acked = -1;
  #lookedAtMs: number;

  constructor(options: LossWatchOptions, onLoss: (error: unknown) => void) {
    this.#options = options;
    this.#onLoss = onLoss;
    this.#lookedAtMs = options.clock.nowMs();
  }

  acked(offset: number): void {
    this.#acked = offset;
  }

  /** Asks now and then; the answer comes later, and holds nothing up. */
  look(): void {
    const { log, clock, identity } = this.#options;
    const nowMs = clock.nowMs();
    const acked = this.#acked;
    if (nowMs - this.#lookedAtMs < changelogLimits.lossLookMs || acked < 0) return;
    this.#lookedAtMs = nowMs;
    log.offsets(changelogTopic(identity.crawl), identity.partition).then(
      ({ end }) => end <= acked && this.#onLoss(lostRecords(identity.partition, end, acked)),
      // A broker that is away does not mean that records were lost.
      () => {},
    );
  }
}
