/** A consumer that is declared, and no more: what follows of it everywhere. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Command } from 'commander';
import { z } from 'zod';
import {
  type Declaration,
  declareProcessor,
  type Processor,
} from '../../../services/application/processor/processor.ts';
import { consumers, processors } from '../../../services/application/topology.ts';

const thumbnails = declareProcessor({
  name: 'thumbnails',
  does: 'makes a small picture of each page',
  reads: ['pages'],
  writes: ['dead-letters'],
  stores: ['pictures'],
  options: z.object({
    pictureWidth: z
      .string()
      .regex(/^\d+$/, 'give a width in pixels, as in 320')
      .transform(Number)
      .optional()
      .meta({ value: '<px>', about: 'how wide pictures are', reason: 'wide enough to tell pages apart' }),
  }),
  storeMb: 512,
  start: () => Promise.reject(new Error('not started here')),
});

// As if its line stood in the list. This file has a process of its own; what reads the list is loaded after this.
(consumers as Processor[]).push(thumbnails);
(processors as Declaration[]).push(thumbnails);
const { addProcessorOptions } = await import('../../../services/cli/flags/processor-flags.ts');

test('a declared processor’s options are flags, parsed by its own schemas, whose errors name the flag and the remedy', () => {
  const command = addProcessorOptions(new Command().exitOverride(), thumbnails);
  command.parse(['--picture-width', '320'], { from: 'user' });
  assert.deepEqual(command.opts(), { pictureWidth: 320 });
  assert.throws(
    () => command.parse(['--picture-width', 'wide'], { from: 'user' }),
    /--picture-width "wide": give a width in pixels, as in 320/,
  );
});

test('an option that a command already has is not added twice', () => {
  const command = new Command().option('--picture-width <px>', 'of something else');
  assert.equal(addProcessorOptions(command, thumbnails).options.length, 1);
});

test('a declared processor has a command with its options, a name in --with, settings, rights, a heap bound, help, and a place in the graph', async () => {
  // Loaded once the list has it, as they are in a build that has it.
  const { createProgram } = await import('../../../services/cli/program.ts');
  const program = await createProgram();
  const command = program.commands.find((one) => one.name() === 'thumbnails')!;
  assert.equal(command.description(), thumbnails.does);
  assert.ok(command.options.some(({ long }) => long === '--picture-width'));
  const crawl = program.commands.find((one) => one.name() === 'crawl')!;
  assert.ok(crawl.options.some(({ long }) => long === '--picture-width'));
  assert.match(crawl.options.find(({ long }) => long === '--with')!.description, /thumbnails/);
  const siblings = program.commands.filter((one) => one.helpGroup() === command.helpGroup()).map((one) => one.name());
  assert.ok(siblings.includes('dedup'), `help has it beside ${siblings}`);

  const { settingsOf } = await import('../../../services/cli/config/settings.ts');
  const setting = settingsOf(program).find(({ key }) => key === 'pictureWidth')!;
  assert.deepEqual([setting.env, setting.services], ['CRAWLSTREAM_PICTURE_WIDTH', ['crawl', 'thumbnails']]);
  const { reasonOf } = await import('../../../services/cli/flags/setting.ts');
  assert.equal(reasonOf(setting.option), 'wide enough to tell pages apart');
  const { heapSizeMb } = await import('../../../services/planning/heap-size.ts');
  assert.ok(heapSizeMb({ role: 'thumbnails', limitMb: 2048 }) <= heapSizeMb({ role: 'render', limitMb: 2048 }) - 512);

  const { services } = await import('../../../services/application/access.ts');
  const rights = services.find(({ name }) => name === 'thumbnails')!.access('news');
  assert.deepEqual(
    rights.filter(({ operations }) => operations.includes('Write')).map(({ name }) => name),
    ['news.dead-letters'],
  );
  const { mermaid } = await import('../../../services/application/topology.ts');
  assert.match(mermaid(), /pages --> thumbnails/);
});
