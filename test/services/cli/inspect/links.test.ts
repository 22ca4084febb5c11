/** What `links` says of a crawl whose older records were trimmed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trimmedNotices } from '../../../../services/hosting/inspect/list-links.ts';
import { memoryCrawl } from './memory-crawl.ts';

test('links names each topic whose older records were trimmed, and says nothing of a whole crawl', async () => {
  const { crawl, discovered, result, trim, close } = await memoryCrawl();
  for (let n = 0; n < 3; n++) {
    await discovered('a.test', [`http://a.test/${n}`]);
    await result({ url: `http://a.test/${n}` });
  }
  assert.deepEqual(await trimmedNotices(crawl, { dropped: true }), []);
  await trim('discovered', 2);
  assert.deepEqual(await trimmedNotices(crawl, { dropped: true }), [
    'c.discovered/0: records before offset 2 were trimmed, so older dropped links are missing',
  ]);
  await trim('results', 1);
  assert.deepEqual(
    (await trimmedNotices(crawl, {})).map((notice) => notice.replace(/.*, so /, '')),
    ['older links are missing', 'older links that plugins left out are missing'],
  );
  await close();
});
