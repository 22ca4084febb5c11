/**
 * Inputs that have lost records which a partition had read: after a power cut, an unclean election, or on a topic that
 * was made again. They are read on from where they are, and orders that may be lost are sent again: once all that
 * `control` still holds is decided, since an order that stands there may have ended one of them.
 */

import { CrawlstreamError } from '../../../topology/errors.ts';
import { ordersInForce, StatedOrders } from '../../../topology/frontier/ask/orders-in-force.ts';
import type { InputTopic } from '../../../topology/frontier/changes/changelog.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { Step } from '../../../topology/frontier/decide/step.ts';
import { frontierLimits } from '../../../topology/frontier/frontier-limits.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { controlEvents } from '../../runtime/crawl/control-log.ts';
import { inputOf } from '../../runtime/crawl/frontier-input.ts';
import type { Log, LogReader, LogRecord, PollOptions } from '../../runtime/log/log.ts';
import { LogTruncated } from '../../runtime/log/log-truncated.ts';
import { pollOn } from '../../runtime/log/poll-on.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { frontierServiceLimits } from '../service-limits.ts';

export interface LostInputsOptions {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly identity: PartitionIdentity;
  /** Called with a line for each loss. */
  readonly onNotice?: ((text: string) => void) | undefined;
  /** Makes a step durable. */
  commit(partition: FrontierPartition, step: Step): Promise<void>;
  publishControls(controls: Step['controls']): Promise<void>;
}

export class LostInputs {
  readonly #options: LostInputsOptions;
  #owesOrders = false;

  constructor(options: LostInputsOptions) {
    this.#options = options;
  }

  /** A process that was killed after a loss may not have sent the orders: the next owner does. */
  opened({ state }: FrontierPartition): void {
    this.#owesOrders = state.counters.cutInputs > 0;
  }

  /**
   * Polls the inputs. If an input has lost records that were read, it is read on from its current end: later records
   * are new.
   */
  async poll(partition: FrontierPartition, reader: LogReader, options: PollOptions): Promise<LogRecord[]> {
    if (this.#owesOrders) await this.#sendOrders(partition);
    const cuts: LogTruncated[] = [];
    const records = await pollOn(reader, options, (error) => cuts.push(error));
    const [cut] = cuts;
    if (cut === undefined) return records;
    const { topic, end, message } = cut;
    this.#options.onNotice?.(`${message}; reading continues there, and earlier results stay`);
    await this.#goBack(partition, inputOf(topic), end);
    if (inputOf(topic) === 'control') this.#owesOrders = true;
    return [];
  }

  /**
   * Detects a loss on `control` that happened while nobody owned the partition. It may have grown past the position
   * again; its first record is then newer than everything that the state has read. `readByMs`: when the state last
   * took a record.
   */
  async findControlLost(partition: FrontierPartition, readByMs: number): Promise<void> {
    const { log, identity, onNotice } = this.#options;
    const topic = `${identity.crawl}.control`;
    const { offset, slice } = partition.state.positions.control;
    const { start, end } = await log.offsets(topic, identity.partition);
    // A record that was decided in part has been read.
    const readTo = slice > 0 ? offset + 1 : offset;
    const first = slice > 0 && end > offset ? offset : start;
    let isNew = false;
    if (first < readTo && end > first)
      for await (const { timestampMs } of recordsOf(log, topic, identity.partition, first, first + 1))
        isNew = timestampMs > readByMs + frontierLimits.clockSkewMs;
    if (end >= readTo && !isNew) return;
    onNotice?.(
      `${topic}/${identity.partition} was read up to ${readTo}, and has lost what was there: it ends at ${end}`,
    );
    await this.#goBack(partition, 'control', isNew ? first : await this.#cutOf(partition, readTo, end));
    this.#owesOrders = true;
  }

  /** The offset where `control` was cut, if leader epochs show it: records that came since are new. Else its end. */
  async #cutOf({ state }: FrontierPartition, readTo: number, end: number): Promise<number> {
    const { log, identity } = this.#options;
    const leaderEpoch = state.inputEpochs.control;
    if (leaderEpoch < 0) return end;
    const reader = log.reader();
    reader.seek(`${identity.crawl}.control`, identity.partition, readTo, { end: readTo, leaderEpoch });
    try {
      await reader.poll({ maxBytes: 1, waitMs: frontierServiceLimits.cutWaitMs });
    } catch (error) {
      if (error instanceof LogTruncated) return error.end;
      if (!(error instanceof CrawlstreamError && error.code === 'OFFSET_OUT_OF_RANGE')) throw error;
    } finally {
      await reader.close();
    }
    return end;
  }

  async #goBack(partition: FrontierPartition, topic: InputTopic, offset: number): Promise<void> {
    const { clock, commit } = this.#options;
    for (const step of partition.goBack(topic, offset, clock.nowMs())) await commit(partition, step);
    partition.takeSought();
  }

  /**
   * Fetchers, and processes that open the crawl, read the policy and the blocks from `control` alone. Orders that stand
   * there are not sent: an earlier owner sent them, or they were never lost.
   */
  async #sendOrders(partition: FrontierPartition): Promise<void> {
    const { log, codec, onNotice, identity } = this.#options;
    const { crawl, partition: number } = identity;
    const topic = `${crawl}.control`;
    const { offset, slice } = partition.state.positions.control;
    const isRead = slice === 0 && partition.waiting('control') === 0;
    const { start, end } = await log.offsets(topic, number);
    if (!isRead || offset < end) return;
    const stated = new StatedOrders();
    for await (const { event } of controlEvents(log, codec, crawl, number, start, end)) stated.take(event);
    const inForce = ordersInForce(partition.state, number, 'frontier');
    const missing = inForce.filter(({ record }) => !stated.has(record));
    this.#owesOrders = false;
    if (missing.length === 0) return;
    onNotice?.(`${topic}/${number}: policy and orders in force are sent again`);
    await this.#options.publishControls(missing);
  }
}
