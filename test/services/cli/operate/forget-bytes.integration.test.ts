/** After a receipt no byte below the data folder holds a text that was forgotten, on either store. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { storesOnDisk } from '../../runtime/store/stores-on-disk.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const kept = 'Words of the page that stays, quite a few of them, so that blocks are compressed.';
const secret = 'Words about a person who wants none of them kept, neither here nor there.';

for (const { name } of storesOnDisk) {
  test(`after a receipt no file of a folder on ${name} holds the text of a forgotten page`, {
    timeout: 300_000,
  }, async (t) => {
    const site = await serveSite(t, ({ url = '/' }, response) => {
      if (url === '/robots.txt') return response.writeHead(404).end();
      response.setHeader('content-type', 'text/html');
      const text = Array.from({ length: 20 }, () => (url === '/person' ? secret : kept)).join(' ');
      const links = Array.from({ length: 30 }, (_, n) => `<a href="/p/${n}">${n}</a>`).join(' ');
      return response.end(`<title>a page</title><p>${text}</p><a href="/person">more</a> ${links}`);
    });
    const origin = `http://127.0.0.1:${site.port}`;
    const data = join(temporaryFolder(), 'data');
    const env = { CRAWLSTREAM_STORE: name };
    const run = (...words: string[]) => runCommand([...words, '--data', data], { env, patienceMs: 120_000 });
    const crawl = ['crawl', `${origin}/`, '--allow-private', '--delay', '0', '--with', 'index,dedup,graph,archive'];
    const crawled = await run(...crawl);
    assert.equal(crawled.code, 0, crawled.stderr);
    const verify = ['forget', '--verify', '--mark', 'a person who wants none of them kept', '--json'];

    const before = await run(...verify);
    assert.equal(before.code, 1, before.stderr);
    const places = (lastJson(before) as { readonly found: readonly { readonly file: string }[] }).found;
    assert.ok(
      places.some(({ file }) => file.startsWith('log/')),
      before.stdout,
    );
    assert.ok(
      places.some(({ file }) => file.endsWith('.warc.gz')),
      before.stdout,
    );

    const purged = await run('purge', `${origin}/person`);
    assert.equal(purged.code, 0, purged.stderr);
    const forgotten = await run('forget', '--json');
    assert.equal(forgotten.code, 0, forgotten.stderr);
    const after = await run(...verify);
    assert.equal(after.code, 0, after.stdout);
    const other = await run('forget', '--verify', '--mark', 'Words of the page that stays', '--json');
    assert.equal(other.code, 1, other.stdout);
    assert.match((await run('forget', '--verify')).stderr, /what to search for/);
  });
}
