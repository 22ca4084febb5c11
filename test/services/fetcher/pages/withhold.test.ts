/** Pages that are not published, because a use that they are wanted for is barred. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { blankOutcome, blankPage } from '../../../../schemas/blank.ts';
import type { PageUsage } from '../../../../schemas/types.ts';
import type { PageReport } from '../../../../services/fetcher/pages/page-reader.ts';
import { withholding } from '../../../../services/fetcher/pages/withhold.ts';

const usage: PageUsage[] = [
  { use: 'ai-train', preference: 'deny', source: 'meta robots', said: 'noai', hash: 'x', fromMs: 1_000 },
];
const policy = { uses: ['ai-train'], usesBarred: 'withhold' } as const;

function report(fetchedAtMs: number, detail = ''): PageReport {
  const page = { ...blankPage, url: 'https://a.test/', fetchedAtMs, usage };
  return { outcome: { ...blankOutcome, kind: 'fetched', links: 2, detail }, page, groups: [], pending: [], readMs: 0 };
}

/** One that has not changed since. */
function unchanged(own: Partial<PageReport>): PageReport {
  return { ...report(0), page: null, outcome: { ...blankOutcome, kind: 'notModified' }, ...own };
}

describe('a page with a barred use', () => {
  it('a page with a barred use is withdrawn, and its outcome adds the reason', () => {
    const withheld = withholding(policy, report(1_000), 0);
    assert.deepEqual([withheld.page, withheld.withdrawn, withheld.outcome.noindex], [null, true, true]);
    assert.deepEqual([withheld.outcome.kind, withheld.outcome.links], ['fetched', 2]);
    assert.equal(withheld.outcome.detail, 'not published: meta robots bars ai-train: noai');
    assert.equal(
      withholding(policy, report(1_000, 'one link left out'), 0).outcome.detail,
      'not published: meta robots bars ai-train: noai; one link left out',
    );
  });

  it('a page that was fetched before its bar starts is published', () => {
    const early = report(999);
    assert.equal(withholding(policy, early, 5_000), early);
  });

  it('an unchanged page is withdrawn if its use is barred by now', () => {
    assert.equal(withholding(policy, unchanged({ usage }), 1_000).withdrawn, true);
    const early = unchanged({ usage });
    assert.equal(withholding(policy, early, 999), early);
    const silent = unchanged({});
    assert.equal(withholding(policy, silent, 5_000), silent);
  });

  it('a page is published if nobody wants the barred use', () => {
    const plain = report(1_000);
    for (const none of [{}, { uses: ['search'] }, { ...policy, usesBarred: 'mark' }] as const)
      assert.equal(withholding(none, plain, 0), plain);
  });
});
