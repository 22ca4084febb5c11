/** A plugin's consumer as a processor like the built-in ones: a separate group, metrics, dead letters, a folder. */
import { join } from 'node:path';
import { z } from 'zod';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { groupPositions } from '../../runtime/consumer/positions.ts';
import { makeFolders } from '../../runtime/disk/make-folders.ts';
import { followFields } from '../extension/follow-fields.ts';
import { declareProcessor, type Processor } from '../processor/processor.ts';
import { runConsumer } from '../processor/run-consumer.ts';
import type { Plugin, PluginProcessor, PluginRecord, PluginTopic } from './plugin.ts';
import { policyFieldsOf } from './policy-fields-of.ts';

/** Configured values, by processor and option. */
export type PluginSettings = ReadonlyMap<string, Readonly<Record<string, string>>>;

export function pluginProcessor(given: PluginProcessor, settings: PluginSettings, plugin: Plugin): Processor {
  const declaration = declarationOf(given);
  const { name, reads } = declaration;
  const fields = policyFieldsOf(plugin);
  const options = optionsOf(given, settings.get(name) ?? {});
  return declareProcessor({
    ...declaration,
    // Policies are on `control`.
    ...(fields !== undefined && { reads: [...reads, 'control' as const] }),
    options: z.object({}),
    ...(reads.includes('responses') && { needs: 'responses' as const }),
    async start(context) {
      const { manifest, log, say } = context;
      // Folders of plugins are kept apart from ours: a plugin may be called `log`.
      const folder = context.part(join('plugins', name));
      await makeFolders(folder, { recursive: true });
      const handler = await given.open({ options, folder, crawl: manifest.crawl, say });
      if (typeof handler?.handle !== 'function') {
        throw new CrawlstreamError(
          'INVALID_ARGUMENT',
          `processor ${name}: open() must return an object with handle, as in { handle }`,
        );
      }
      if (given.holds === 'pages' && typeof handler.forget !== 'function') {
        throw new CrawlstreamError(
          'INVALID_ARGUMENT',
          `processor ${name}: holds is 'pages', so open() must return a function forget, as in { handle, forget }`,
        );
      }
      const { batchRecords, retriesMs, whenFailed = 'deadLetter' } = given;
      let policy: Readonly<Record<string, unknown>> = {};
      const policyNow = fields === undefined ? undefined : followFields(context, plugin.name, fields);
      return runConsumer<PluginTopic>(context, {
        name,
        folder,
        topics: reads,
        whenFailed,
        ...(batchRecords !== undefined && { batchRecords }),
        ...(retriesMs !== undefined && { retriesMs }),
        ...(policyNow !== undefined && {
          beforeBatch: async () => {
            policy = await policyNow();
          },
        }),
        handle: async (batch, { signal, forgotten }) => {
          const urls = forgotten.map(({ url }) => url);
          if (urls.length > 0) await handler.forget?.(urls, { signal });
          const records = batch.map(({ topic, value, partition, offset }) => ({ topic, value, partition, offset }));
          if (records.length > 0) await handler.handle(records as PluginRecord[], { signal, policy });
        },
        positions: groupPositions(log, `${manifest.crawl}.${name}`),
        close: async () => {
          await handler.close?.();
        },
      });
    },
  });
}

/** The parts of the declaration that do not depend on its options. */
export function declarationOf({ name, does, reads = ['pages'] }: PluginProcessor) {
  return { name, does, reads, writes: ['dead-letters'], stores: [] } as const;
}

function optionsOf({ name, options = {} }: PluginProcessor, set: Readonly<Record<string, string>>) {
  for (const key of Object.keys(set)) {
    if (Object.hasOwn(options, key)) continue;
    const known = Object.keys(options);
    const remedy = known.length === 0 ? 'it has no options' : `it has ${known.join(', ')}`;
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      `--set ${name}.${key}: ${name} has no option of this name; ${remedy}`,
    );
  }
  const values: Record<string, string> = {};
  for (const [key, option] of Object.entries(options)) {
    const value = set[key] ?? option.default;
    if (value === undefined) {
      throw new CrawlstreamError('INVALID_ARGUMENT', `--set ${name}.${key}=… is missing: ${option.about}`);
    }
    values[key] = value;
  }
  return values;
}
