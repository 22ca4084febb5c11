/** The program without extras, and with one more. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePorts } from '../../../lab/kafka/daemon.ts';
import { installed } from '../../../services/extras/installed.ts';
import { serveSite } from '../fetcher/loopback.ts';
import { ScratchTree } from './scratch-tree.ts';

test('the program compiles without any extra, and still crawls a site', async (t) => {
  const tree = new ScratchTree();
  for (const { name } of installed) tree.remove(name);
  assert.equal((await tree.listExtras()).code, 0);
  const compiled = await tree.compile();
  assert.equal(compiled.code, 0, compiled.stdout);

  const none = await tree.crawlstream('extras', '--json');
  assert.deepEqual(JSON.parse(none.stdout), { extras: [] }, none.stderr);
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    response.end(request.url === '/' ? '<a href="/one">one</a><a href="/two">two</a>' : '<p>a page</p>');
  });
  const words = ['--delay', '0s', '--resolve', `*.test:${site.port}:127.0.0.1`, '--data', join(tree.folder, 'data')];
  const crawled = await tree.crawlstream('crawl', site.url('a.test', '/'), ...words, '--json');
  assert.equal(crawled.code, 0, crawled.stderr);
  assert.equal(JSON.parse(crawled.stdout).pages, 3);
});

const extra = `import type { Command } from 'commander';
import { z } from 'zod';
import { defineExtension } from '../../application/extension/extension.ts';
import { declareProcessor } from '../../application/processor/processor.ts';

const thumbnails = declareProcessor({
  name: 'thumbnails',
  does: 'makes a small picture of each page',
  reads: ['pages'],
  writes: ['dead-letters'],
  stores: ['pictures'],
  options: z.object({
    pictureWidth: z
      .string()
      .regex(/^\\d+$/, 'give a width in pixels, as in 320')
      .optional()
      .meta({ value: '<px>', about: 'width of the pictures', reason: 'wide enough to recognize a page' }),
  }),
  start: () => Promise.reject(new Error('not started here')),
});

export const extension = defineExtension({
  name: 'thumbnails',
  about: 'makes small pictures of pages',
  consumers: [thumbnails],
  commands: [
    {
      names: ['gallery'],
      group: 'Ask a crawl:',
      load: async () => (program: Command) => {
        program.command('gallery').description('print the pictures of a crawl').action(() => {});
      },
    },
  ],
  examples: { gallery: ['--data crawl-data/example.org'] },
  crawlPart: async () => {
    const { setting } = await import('../../cli/flags/setting.ts');
    const title = setting('--gallery-title <text>', 'title of the gallery', 'the name of the crawl says enough');
    return {
      addOptions: (command) => command.addOption(title),
      routes: [{ method: 'GET', path: '/gallery', handle: (_, { crawl }) => ({ body: { pictures: [], crawl } }) }],
    };
  },
});
`;

test('an extra is one file: its command, consumer, endpoint, settings and rights follow, and receipts name what it may keep', async (t) => {
  const tree = new ScratchTree();
  const { mkdirSync } = await import('node:fs');
  mkdirSync(join(tree.folder, 'services/extras/thumbnails'));
  tree.write('services/extras/thumbnails/extension.ts', extra);
  assert.equal((await tree.listExtras()).code, 0);
  assert.match(tree.read('services/extras/installed.ts'), /thumbnailsExtra/);
  // The list of extras is generated.
  assert.deepEqual(tree.changed(), ['services/extras/installed.ts', 'services/extras/thumbnails/extension.ts']);

  const said = async (...words: string[]) => {
    const { code, stdout, stderr } = await tree.crawlstream(...words);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  assert.match(await said('--help'), /Ask a crawl:[\s\S]*gallery \[options\] +print the pictures of a crawl/);
  assert.match(await said('gallery', '--help'), /crawlstream gallery --data crawl-data\/example\.org/);
  assert.match(await said('thumbnails', '--help'), /--picture-width <px> +width of the pictures/);
  assert.match(await said('crawl', '--help', 'all'), /--with <list>[\s\S]*thumbnails/);
  assert.match(await said('crawl', '--help', 'all'), /--gallery-title <text> +title of the gallery/);
  const shown = await said('config', 'show', 'crawl');
  assert.match(shown, /^galleryTitle: null +# default$/m);
  assert.match(await said('acls', 'thumbnails', '--crawl', 'news'), /Topic +news\.pages +Read/);
  assert.match(await said('extras'), /thumbnails +makes small pictures of pages/);
  const wrong = await tree.crawlstream('thumbnails', '--picture-width', 'wide', '--data', 'x');
  assert.match(wrong.stderr, /--picture-width[\s\S]*give a width in pixels/);

  const [port] = await freePorts(1);
  let gallery: unknown;
  const site = await serveSite(t, async (_, response) => {
    const answer = await fetch(`http://127.0.0.1:${port}/gallery`);
    if (answer.status === 200) gallery = await answer.json();
    response.setHeader('content-type', 'text/html').end('<p>a page</p>');
  });
  const data = ['--data', join(tree.folder, 'data')];
  const reach = ['--delay', '0s', '--resolve', `*.test:${site.port}:127.0.0.1`, '--http', `${port}`];
  await said('crawl', site.url('a.test', '/'), ...reach, ...data);
  assert.deepEqual(gallery, { pictures: [], crawl: 'crawl' });
  const receipt = JSON.parse(await said('forget', '--json', ...data));
  assert.deepEqual(
    receipt.notReached.filter(({ place }: { place: string }) => place.startsWith('consumer')),
    [{ place: 'consumer thumbnails', why: 'it does not declare which copies it keeps: look there yourself' }],
  );
});
