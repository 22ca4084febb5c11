/** The program without extras, and with one more. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
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
  tree.write('rules.yaml', 'pdf: true');
  const refused = await tree.crawlstream('crawl', '--extract', join(tree.folder, 'rules.yaml'), ...words);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--extract[\s\S]*pdf/);
  tree.write('payer.mjs', `export default { name: 'payer', pay: () => undefined };`);
  const unpaid = await tree.crawlstream('crawl', '--plugin', join(tree.folder, 'payer.mjs'), ...words);
  assert.equal(unpaid.code, 2);
  assert.match(unpaid.stderr, /plugin payer pays for pages, but this program lacks the extra payments/);
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

const reader = encodeURIComponent(\`export const read = (body, { url }) => ({
  ...{ links: [], nofollowed: [], linksDropped: 0, title: 'A comic', description: '', text: String(body), canonical: '' },
  ...{ base: url, metaRefresh: null, robots: { noindex: false, nofollow: false }, declaredLanguage: '', charset: '', complete: true },
});\`);

export const extension = defineExtension({
  name: 'thumbnails',
  about: 'makes small pictures of pages',
  consumers: [thumbnails],
  readers: [{ name: 'comics', mediaTypes: ['application/x-comic'], module: \`data:text/javascript,\${reader}\` }],
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
  policyFields: {
    widest: {
      schema: z.int().min(1).max(5000),
      about: 'Width of the pictures of new pages, px.',
      initial: 320,
      setter: 'owner',
      flag: { name: 'widestPicture', value: '<px>', about: 'width of new pictures (default: 320)', reason: 'a picture is a hint' },
    },
    perHost: { schema: z.int().min(0), about: 'Most pictures of a host. Absent: any number.', setter: 'operator' },
  },
  crawlPart: async () => {
    const { setting } = await import('../../cli/flags/setting.ts');
    const title = setting('--gallery-title <text>', 'title of the gallery', 'the name of the crawl says enough');
    return {
      addOptions: (command) => command.addOption(title),
      routes: [{ method: 'GET', path: '/gallery', handle: (_, { crawl }) => ({ body: { pictures: [], crawl } }) }],
      display: () => {
        let shown = '';
        return {
          routes: (app) => void app.get('/wall', async () => ({ shown })),
          open: ({ manifest }) => void (shown = manifest.crawl),
          over: async () => {},
          awaitsRelease: async () => false,
          close: () => {},
        };
      },
    };
  },
  facts: async () => ({
    ofCrawl: async ({ crawl }) => ({ json: { pictures: { crawl, all: 3 } }, rows: [['pictures', '3 of 4']] }),
    ofUrl: async (_, url) => ({ json: { pictureOf: url }, rows: [['picture', null]] }),
  }),
});
`;

/** Prints how a fleet handles the fields of the extra: in OpenAPI, and in calls of the owner of a crawl. */
const probe = `
import { fleetOpenApi } from './extras/fleet/api/fleet-openapi.ts';
import { fleetPolicy } from './extras/fleet/command/fleet-policy.ts';

const made = (thumbnails: object, by: 'owner' | 'operator' = 'owner', name = 'thumbnails') => {
  try {
    return fleetPolicy(['http://a.test/'], { extras: { [name]: thumbnails } }, by).policy.extras;
  } catch (error) {
    return (error as Error).message;
  }
};
const { components } = fleetOpenApi([]) as { components: { schemas: { Policy: { properties: Record<string, object> } } } };
console.log(JSON.stringify({
  document: components.schemas.Policy.properties['extras'],
  calls: [made({}), made({ widest: 0 }), made({ widset: 1 }, 'operator'), made({ perHost: 2 }), made({ perHost: 2 }, 'operator')],
  unknown: [made({ a: 1 }, 'owner', 'others'), made({ a: 1 }, 'operator', 'others')],
}));
`;

/** The reader that an extra adds: a field of the rules for extraction switches it on. */
async function checkReader(tree: ScratchTree, t: TestContext): Promise<void> {
  const site = await serveSite(t, ({ url }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    response.setHeader('content-type', url === '/' ? 'text/html' : 'application/x-comic');
    response.end(url === '/' ? '<a href="/1">one</a>' : 'a comic');
  });
  const reach = ['--delay', '0s', '--resolve', `*.test:${site.port}:127.0.0.1`, '--json'];
  const pagesWith = async (comics: boolean) => {
    tree.write('rules.yaml', `comics: ${comics}`);
    const data = ['--data', join(tree.folder, `comics-${comics}`), '--extract', join(tree.folder, 'rules.yaml')];
    const crawled = await tree.crawlstream('crawl', site.url('a.test', '/'), ...reach, ...data);
    assert.equal(crawled.code, 0, crawled.stderr);
    return JSON.parse(crawled.stdout).pages;
  };
  assert.deepEqual([await pagesWith(false), await pagesWith(true)], [1, 2]);
}

/** The fields that an extra adds to policies: default, flag, file, fleets and pages. */
async function checkPolicy(tree: ScratchTree, data: readonly string[]): Promise<void> {
  const shown = async () => JSON.parse((await tree.crawlstream('policy', 'show', '--json', ...data)).stdout).extras;
  const set = (text: string) => {
    tree.write('fields.yaml', text);
    return tree.crawlstream('policy', 'set', join(tree.folder, 'fields.yaml'), ...data);
  };
  assert.deepEqual(await shown(), { thumbnails: { widest: 320 } }, 'the default of a new crawl');
  const wide = await tree.crawlstream('crawl', '--widest-picture', '9000', ...data);
  assert.match(wide.stderr, /--widest-picture[\s\S]*from 1 to 5000/);
  assert.equal((await tree.crawlstream('crawl', '--widest-picture', '64', ...data)).code, 0);
  assert.deepEqual(await shown(), { thumbnails: { widest: 64 } });
  assert.equal((await set('extras: { thumbnails: { perHost: 3 }, others: { a: [1] } }')).code, 0);
  assert.deepEqual(await shown(), { thumbnails: { widest: 64, perHost: 3 }, others: { a: [1] } });
  assert.match((await set('extras: { thumbnails: { perHost: -1 } }')).stderr, /policy\.extras\.thumbnails\.perHost: /);
  assert.match((await set('extras: { thumbnails: { wides: 1 } }')).stderr, /did you mean widest\?/);

  tree.write('services/probe.ts', probe);
  const probed = await tree.node('--import', 'tsx', 'services/probe.ts');
  assert.equal(probed.code, 0, probed.stderr);
  const { document, calls, unknown } = JSON.parse(probed.stdout);
  assert.deepEqual(document.properties.thumbnails.properties, {
    widest: { type: 'integer', minimum: 1, maximum: 5000 },
    perHost: { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  });
  assert.deepEqual(calls[0], { thumbnails: { widest: 320 } });
  assert.match(calls[1], /^policy\.extras\.thumbnails\.widest: /);
  assert.match(calls[2], /^policy\.extras\.thumbnails\.widset: .*did you mean widest\?$/);
  assert.match(calls[3], /^policy\.extras\.thumbnails\.perHost: only the operator/);
  assert.deepEqual(calls[4], { thumbnails: { widest: 320, perHost: 2 } });
  assert.match(unknown[0], /^policy\.extras\.others: only the operator/);
  assert.deepEqual(unknown[1], { others: { a: 1 }, thumbnails: { widest: 320 } });
}

/** What `npm run generate` writes of an extra: its command, options, field of the policy, and place in the map of the tree. */
async function checkPages(tree: ScratchTree): Promise<void> {
  const generated = await tree.generate();
  assert.equal(generated.code, 0, generated.stderr);
  assert.match(tree.read('deploy/COMMANDS.md'), /crawlstream gallery/);
  assert.match(tree.read('deploy/COMMANDS.md'), /--picture-width <px>/);
  assert.match(tree.read('README.md'), /<!-- tree -->[\s\S]*thumbnails[\s\S]*<!-- end -->/);
  assert.match(
    tree.read('docs/policy.md'),
    /\| `extras\.thumbnails\.widest` \| whole number, 1 to 5000 \| `320` \| Width of the pictures of new pages, px\. \|/,
  );
  assert.match(tree.read('deploy/CONFIGURATION.md'), /CRAWLSTREAM_WIDEST_PICTURE/);
}

test('an extra is one file: its command, consumer, reader, display, facts, endpoint, policy fields, settings and rights follow, and receipts name what it may keep', async (t) => {
  const tree = new ScratchTree(['docs', 'deploy', 'README.md']);
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

  assert.match(await said('crawl', '--help', 'all'), /--widest-picture <px> +width of new pictures/);
  assert.match(shown, /^widestPicture: null +# default$/m);

  const [port] = await freePorts(1);
  const answers: Record<string, unknown> = {};
  const site = await serveSite(t, async (_, response) => {
    for (const path of ['gallery', 'wall']) {
      const answer = await fetch(`http://127.0.0.1:${port}/${path}`);
      if (answer.status === 200) answers[path] = await answer.json();
    }
    response.setHeader('content-type', 'text/html').end('<p>a page</p>');
  });
  const data = ['--data', join(tree.folder, 'data')];
  const reach = ['--delay', '0s', '--resolve', `*.test:${site.port}:127.0.0.1`, '--http', `${port}`];
  await said('crawl', site.url('a.test', '/'), ...reach, ...data);
  assert.deepEqual(answers, { gallery: { pictures: [], crawl: 'crawl' }, wall: { shown: 'crawl' } });
  assert.match(await said('stats', ...data), /^ {2}pictures 3 of 4$/m);
  assert.deepEqual(JSON.parse(await said('stats', '--json', ...data)).pictures, { crawl: 'crawl', all: 3 });
  const explained = JSON.parse(await said('explain', site.url('a.test', '/'), '--json', ...data));
  assert.equal(explained.pictureOf, site.url('a.test', '/'));
  await checkReader(tree, t);
  await checkPolicy(tree, data);
  await checkPages(tree);
  const receipt = JSON.parse(await said('forget', '--json', ...data));
  assert.deepEqual(
    receipt.notReached.filter(({ place }: { place: string }) => place.startsWith('consumer')),
    [{ place: 'consumer thumbnails', why: 'it does not declare which copies it keeps: look there yourself' }],
  );
});
