import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createExtractor, type ExtractorOptions } from '../../../../services/fetcher/pages/extract.ts';
import { compileExtractRules, extractRulesSchema } from '../../../../services/fetcher/pages/extract-rules.ts';

const body = Buffer.from('<title>T</title><a href=/b>b</a>');
const page = {
  url: 'http://a.test/',
  contentType: 'text/html',
  robotsTags: [],
  productToken: 'crawlstream',
  linksMax: 10,
  textCharsMax: 100,
  byteBudget: 1_000,
};

function open(test: TestContext, options: ExtractorOptions) {
  const extractor = createExtractor(options);
  test.after(() => extractor.close());
  return extractor;
}

test('a small body is parsed inline and a large one in a worker, with the same result', async (t) => {
  const inline = open(t, { cores: 2 }).parse(body, page);
  assert.ok(inline !== null && !(inline instanceof Promise));
  const worker = open(t, { cores: 2, inlineBytes: 0 }).parse(body, page);
  assert.ok(worker instanceof Promise);
  assert.deepEqual(await worker, inline);
  assert.deepEqual(inline.parsed.links, ['http://a.test/b']);
});

test('with one core everything is parsed inline', (t) => {
  assert.ok(!(open(t, { cores: 1, inlineBytes: 0 }).parse(body, page) instanceof Promise));
});

test('a page that kills or blocks its parser is lost alone: the next one is parsed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'extract-'));
  t.after(() => rm(folder, { recursive: true }));
  const workerUrl = pathToFileURL(join(folder, 'worker.mjs'));
  await writeFile(
    workerUrl,
    `import { parentPort } from 'node:worker_threads';
     parentPort.on('message', ({ options }) => {
       if (options.url.endsWith('/loop')) for (;;);
       if (options.url.endsWith('/crash')) process.exit(1);
       if (options.url.endsWith('/throw')) throw new Error('no');
       parentPort.postMessage({ parsed: { title: options.url } });
     });
     parentPort.postMessage('ready');`,
  );
  const extractor = open(t, { cores: 2, inlineBytes: 0, timeoutMs: 100, workerUrl });
  const results = await Promise.all(
    ['/loop', '/one', '/crash', '/two', '/throw', '/three'].map((url) => extractor.parse(body, { ...page, url })),
  );
  assert.deepEqual(
    results.map((one) => one?.parsed.title ?? null),
    [null, '/one', null, '/two', null, '/three'],
  );
});

test('large pages are parsed inline if no worker can start', async (t) => {
  const workerUrl = pathToFileURL(join(tmpdir(), 'there-is-no-such-worker.mjs'));
  const whole = await open(t, { cores: 2, inlineBytes: 0, workerUrl }).parse(body, page);
  assert.equal(whole?.parsed.title, 'T');
});

test('a page made to attack selectors keeps its links and loses only its fields', async (t) => {
  const rules = extractRulesSchema.parse({ fields: [{ name: 'cell', selector: 'td:nth-of-type(3)' }] });
  const wishesOf = compileExtractRules(rules);
  const extractor = open(t, { timeoutMs: 1_000 });
  let ticks = 0;
  const timer = setInterval(() => ticks++, 10);
  const hostile = { ...page, byteBudget: 100_000 };
  const parse = (html: string, url = page.url) =>
    extractor.parse(Buffer.from(html), { ...hostile, url }, wishesOf(new URL(url).hostname));
  const cells = `<a href=/b>b</a><table>${'<td>'.repeat(8_000)}`;
  const [whole, again] = [await parse(cells), await parse(cells)];
  clearInterval(timer);
  assert.ok(ticks > 10, 'timers went on meanwhile');
  assert.deepEqual(whole?.parsed.links, ['http://a.test/b']);
  assert.deepEqual(whole?.rich?.fields, [
    { name: 'cell', type: 'string', values: [], problem: 'the selectors took more than 1000 ms' },
  ]);
  assert.match(again?.rich?.fields[0]?.problem ?? '', /kept the selectors too long/);
  const honest = await parse('<table><td>1<td>2<td>3</table>', 'http://b.test/');
  assert.deepEqual(honest?.rich?.fields[0]?.values, ['3']);
});

test('pages made to attack selectors, on many sites, do not delay a normal site', async (t) => {
  const rules = extractRulesSchema.parse({ fields: [{ name: 'cell', selector: 'td:nth-of-type(3)' }] });
  const wishesOf = compileExtractRules(rules);
  // Long enough for an honest page in a worker that has just been started, whatever else the machine does.
  const extractor = open(t, { timeoutMs: 1_500 });
  const parse = async (html: string, url: string) =>
    extractor.parse(Buffer.from(html), { ...page, byteBudget: 100_000, url }, wishesOf(new URL(url).hostname));
  const cells = `<table>${'<td>'.repeat(8_000)}`;
  const honest = () => parse('<table><td>1<td>2<td>3</table>', 'http://honest.test/');
  await honest();
  let ended = 0;
  const hostile = Array.from({ length: 3 }, async (_, n) => {
    await parse(cells, `http://h.hostile${n}.test/`);
    ended += 1;
  });
  const whole = await honest();
  assert.deepEqual(whole?.rich?.fields[0]?.values, ['3']);
  assert.ok(ended <= 1, `${ended} hostile pages went before it`);
  await Promise.all(hostile);
});
