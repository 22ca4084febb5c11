import assert from 'node:assert/strict';
import { it } from 'node:test';
import { leftOutIn, leftOutText } from '../../../../services/runtime/crawl/left-out.ts';

it('links that several plugins left out are read back from an outcome as they were written, beside other details', () => {
  const all = [
    { plugin: 'ads', links: 1, urls: ['https://a.test/x'] },
    { plugin: 'by list', links: 7, urls: ['https://b.test/y?a;b', 'https://b.test/z'] },
    { plugin: 'old', links: 3, urls: [] },
  ];
  assert.deepEqual(leftOutIn(leftOutText(all)), all);
  assert.deepEqual(leftOutIn(`no such charset; ${leftOutText(all)}; redirected`), all);
  assert.deepEqual(leftOutIn('no such charset'), []);
});
