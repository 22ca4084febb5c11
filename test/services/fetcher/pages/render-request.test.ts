import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankPage } from '../../../../schemas/blank.ts';
import type { HttpResponse } from '../../../../services/fetcher/http/client.ts';
import { extractRulesSchema } from '../../../../services/fetcher/pages/extract-rules.ts';
import { renderRequest, renderRuleSchema } from '../../../../services/fetcher/pages/render-request.ts';

const page = {
  ...blankPage,
  url: 'https://a.test/x',
  hostKey: 'a.test',
  contentType: 'text/html',
  status: 200,
  depth: 2,
};
const headers = [{ name: 'Vary', value: '*' }] as unknown as HttpResponse['headers'];
const script = Buffer.from('<SCRIPT src=x></SCRIPT>');

function requestFor(own: Partial<typeof page>, body: Buffer, when: 'always' | 'thin' = 'thin', host = 'a.test') {
  const response = { headers, body } as HttpResponse;
  return renderRequest(
    [
      { hosts: ['b.test'], when: 'always' },
      { hosts: [host], when },
    ],
    { ...page, ...own },
    { delayMs: 70 },
    response,
  );
}

describe('a page is rendered', () => {
  it('a page is rendered with the request settings of its fetch', () => {
    const { url, hostKey, depth, status, fetchedAtMs } = page;
    assert.deepEqual(requestFor({}, script), {
      ...{
        url,
        hostKey,
        depth,
        fetchedAtMs,
        status,
        headers: [...headers],
        body: script,
        delayMs: 70,
        usage: '',
        tags: [],
      },
    });
  });

  it('a page is rendered with its usage statements', () => {
    const usage = [{ use: 'search', preference: 'deny', source: 'x', said: 'y', hash: '', fromMs: 0 }] as const;
    assert.deepEqual(JSON.parse(requestFor({ usage: [...usage] } as never, script)!.usage), usage);
  });

  it('a page is rendered by a rule of its host', () => {
    assert.deepEqual(renderRuleSchema.parse({ hosts: ['a.test'] }), { hosts: ['a.test'], when: 'thin' });
    assert.equal(renderRuleSchema.safeParse({ hosts: [] }).success, false);
    assert.equal(extractRulesSchema.parse({ render: [{ hosts: ['a.test'] }] }).render?.length, 1);
    assert.equal(extractRulesSchema.safeParse({ render: [] }).success, false);
  });

  const cases = [
    ['that has scripts and next to no text', { text: 'x'.repeat(249) }, script, 'thin', true],
    ['that has text', { text: 'x'.repeat(250) }, script, 'thin', false],
    ['without scripts', {}, Buffer.from('<scripted>'), 'thin', false],
    ['that is always to be', { text: 'x'.repeat(250) }, Buffer.from(''), 'always', true],
    ['of XHTML', { contentType: 'application/xhtml+xml' }, script, 'thin', true],
    ['of nothing that a browser shows', { contentType: 'text/html2' }, script, 'always', false],
    ['of the most bytes', {}, Buffer.alloc(700_000), 'always', true],
    ['of more', {}, Buffer.alloc(700_001), 'always', false],
  ] as const;
  for (const [what, own, body, when, isIt] of cases)
    it(`${isIt ? '' : 'not: '}a page is rendered by ${what}`, () =>
      assert.equal(requestFor(own, body, when) !== null, isIt));

  it('a page of another host is not rendered', () => assert.equal(requestFor({}, script, 'always', 'c.test'), null));
});
