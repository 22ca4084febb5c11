/** A page has changed if its main text has, where that is found: what stands around it may be other at each visit. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractRulesSchema } from '../../../../services/fetcher/pages/extract-rules.ts';
import { sameText } from '../../../../topology/content/text-signature.ts';
import { startHarness, taskUrls } from '../harness.ts';
import { serveSite } from '../loopback.ts';

const words = (seed: number, count: number) =>
  Array.from({ length: count }, (_, n) => `word${(seed * 7_919 + n * 104_729) % 9_973}`).join(' ');
const article = Array.from({ length: 6 }, (_, n) => `<p>${words(n + 1, 60)}.</p>`).join('');

test('changing navigation keeps the signature of a main text; another text changes it', async (t) => {
  let visits = 0;
  const site = await serveSite(t, (request, response) => {
    if (request.url === '/robots.txt') return response.writeHead(404).end();
    visits += 1;
    const links = Array.from({ length: 40 }, (_, n) => `<li><a href=/${n}>${words(100 * visits + n, 6)}</a></li>`);
    const text = request.url === '/other' ? `<p>${words(77, 300)}</p>` : article;
    response.setHeader('content-type', 'text/html');
    response.end(`<nav><ul>${links.join('')}</ul></nav><main><article><h1>Title</h1>${text}</article></main>`);
  });
  const signatures = async (extract: boolean) => {
    const config = extract ? { extract: extractRulesSchema.parse({ mainText: true }) } : {};
    const harness = await startHarness(t, { config });
    const urls = taskUrls(...['/page', '/page?again', '/other'].map((path) => site.url('a.test', path)));
    const { outcomes } = await harness.lease({ urls, signatures: true });
    return outcomes.map(({ textSignature }) => textSignature);
  };
  const [first, second, other] = await signatures(true);
  assert.ok(sameText(first!, second!));
  assert.ok(!sameText(first!, other!));
  const [one, two] = await signatures(false);
  assert.ok(!sameText(one!, two!), 'by the whole text, it has changed');
});
