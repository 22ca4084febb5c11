/** Verdicts of the content dedup on single pages. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decideVerdicts } from '../../../../../topology/frontier/decide/control/verdicts.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { Deciding, key, ofKind, urlAt, visitedPage } from '../deciding.ts';

const demote = { frontQueue: 6, waitFactor: 3 };

function verdicts(urls: { url: string; of: string }[], before = '', config: Partial<PolicyConfig> = {}) {
  const deciding = new Deciding({ recrawl: { ...defaultRecrawl, demote }, ...config });
  deciding.facts({});
  deciding.schedule(visitedPage);
  deciding.state.apply({ kind: 'verdict', hostKey: key, url: urlAt(0), duplicateOf: before });
  const said = deciding.decide((decision) => decideVerdicts(decision, key, urls));
  return ofKind(said, 'verdict').map(({ url, duplicateOf }) => [url, duplicateOf]);
}

describe('a verdict on a page', () => {
  it('a verdict on a page is kept if it changes', () => {
    assert.deepEqual(verdicts([{ url: urlAt(0), of: urlAt(1) }]), [[urlAt(0), urlAt(1)]]);
    assert.deepEqual(verdicts([{ url: `https://${key}/%30`, of: urlAt(1) }]), [[urlAt(0), urlAt(1)]]);
    assert.deepEqual(verdicts([{ url: urlAt(0), of: urlAt(2) }], urlAt(1)), [], 'it is a copy already');
    assert.deepEqual(verdicts([{ url: urlAt(0), of: '' }], urlAt(1)), [[urlAt(0), '']]);
    assert.deepEqual(verdicts([{ url: urlAt(0), of: '' }]), []);
    assert.deepEqual(
      verdicts([{ url: urlAt(0), of: urlAt(0) }], urlAt(1)),
      [[urlAt(0), '']],
      'none is a copy of itself',
    );
  });

  it('a verdict on a page is ignored for a page of another host, an unknown page, or without a policy for it', () => {
    const of = urlAt(1);
    assert.deepEqual(
      verdicts([
        { url: urlAt(9), of },
        { url: 'https://b.test/0', of },
        { url: 'x:', of },
      ]),
      [],
    );
    assert.deepEqual(
      verdicts([
        { url: urlAt(9), of },
        { url: urlAt(0), of },
      ]).length,
      1,
      'the others are',
    );
    assert.deepEqual(verdicts([{ url: urlAt(0), of }], '', { recrawl: defaultRecrawl }), []);
    assert.deepEqual(verdicts([{ url: urlAt(0), of }], '', { recrawl: undefined }), []);
  });
});
