import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileNormalizer, explainNormalize } from '../../../topology/url/normalize.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import { urlGenerator } from './url-generator.ts';

/** `npm run verify:full` runs ten times as many. */
const rounds = Number(process.env['CRAWLSTREAM_TEST_FUZZ_ROUNDS'] ?? 20_000);

const everything = {
  fragment: 'escape',
  indexPages: true,
  www: true,
  hashes: true,
  hosts: { 'example.org': { keep: ['sid'] } },
} as const;
const identities = [
  { trailingSlash: 'drop', scheme: 'https', emptyValues: 'drop' },
  { ...everything, trailingSlash: 'drop', scheme: 'http', emptyValues: 'drop' },
] as const;

test('normalising twice gives what normalising once gave', () => {
  for (const normalize of [compileNormalizer(), ...[everything, ...identities].map((one) => compileNormalizer(one))]) {
    const { absolute } = urlGenerator(1);
    let accepted = 0;
    for (let i = 0; i < rounds; i++) {
      const url = absolute();
      const once = normalize(url);
      if (once === null) continue;
      accepted++;
      assert.equal(normalize(once), once, JSON.stringify(url));
    }
    assert.ok(accepted > rounds / 2, `only ${accepted} were URLs`);
  }
});

test('the fast path agrees with the slow one', () => {
  const normalize = compileNormalizer();
  const ruled = compileNormalizer({ fragment: 'escape', hosts: everything.hosts });
  const { absolute } = urlGenerator(2);
  for (let i = 0; i < rounds; i++) {
    const url = absolute();
    // White space in front is nothing to the parser, and the scan does not know it.
    assert.equal(normalize(url), normalize(` ${url}`), JSON.stringify(url));
    assert.equal(ruled(url), ruled(` ${url}`), JSON.stringify(url));
  }
});

test('the explanation ends with the normaliser’s result', () => {
  for (const config of [{}, ...identities]) {
    const normalize = compileNormalizer(config);
    const { absolute } = urlGenerator(3);
    for (let i = 0; i < rounds / 5; i++) {
      const url = absolute();
      const wanted = normalize(url);
      if (wanted !== null)
        assert.equal(explainNormalize(url, config).at(-1)?.after ?? url, wanted, JSON.stringify(url));
    }
  }
});

test('the seen key of a seen key is itself', () => {
  const normalize = compileNormalizer();
  const { absolute } = urlGenerator(4);
  for (let i = 0; i < rounds / 2; i++) {
    const url = normalize(absolute());
    if (url !== null) assert.equal(seenKey(seenKey(url)), seenKey(url), url);
  }
});
