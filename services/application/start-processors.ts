/** Processors in the process of a crawl (`--with`), or one in a separate process. */

import { declaredLog, type Edge } from './processor/declared-log.ts';
import type { Processor, ProcessorContext, RunningProcessor } from './processor/processor.ts';

/** By key of a processor's options: the values that its schemas parsed. */
export type OptionValues = Readonly<Record<string, unknown>>;

export interface RunningProcessors {
  /** Rejects with the error that stopped one of them. */
  readonly failed: Promise<never>;
  /** Resolves once the processors that find links have handled all records. */
  settle(): Promise<void>;
  /** Drains one after another, in the order of the topology, because each may read the output of earlier ones. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

export async function startProcessors(
  context: ProcessorContext,
  /** Processors in the order in which they drain. */
  chosen: readonly Processor[],
  options: OptionValues,
): Promise<RunningProcessors> {
  const running: { readonly processor: Processor; readonly one: RunningProcessor }[] = [];
  const stop = async () => {
    const ends = await Promise.allSettled(running.map(({ one }) => one.stop()));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };
  try {
    for (const processor of chosen) {
      running.push({ processor, one: await startProcessor(processor, context, options) });
    }
  } catch (error) {
    await stop().catch(() => {});
    throw error;
  }
  const failed = new Promise<never>((_, reject) => {
    for (const { one } of running) one.ended.catch(reject);
  });
  failed.catch(() => {});
  return {
    failed,
    async settle() {
      for (const { processor, one } of running) if (processor.findsLinks === true) await one.drain();
    },
    async drain() {
      for (const { one } of running) await one.drain();
    },
    stop,
  };
}

/** `onEdge`: called with each topic that it reads or appends to. */
export function startProcessor(
  processor: Processor,
  context: ProcessorContext,
  options: OptionValues,
  onEdge?: (edge: Edge) => void,
): Promise<RunningProcessor> {
  const log = declaredLog(context.log, processor, context.manifest.crawl, onEdge);
  return processor.start({ ...context, log }, options);
}
