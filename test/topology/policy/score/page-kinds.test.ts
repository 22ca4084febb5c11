import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { linkOnly } from '../../../../topology/policy/score/inputs.ts';
import { compilePageKinds } from '../../../../topology/policy/score/page-kinds.ts';
import { compileScorer } from '../../../../topology/policy/score/score.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';
import { parsePolicy } from '../../../../topology/policy/validate.ts';
import { javascriptPatterns } from '../../../../topology/url/patterns.ts';

const own = [{ name: 'recipe', pattern: '/recipes?/', value: 0.8 }];
const kindOf = compilePageKinds(own, javascriptPatterns);

test('common words of a path name the kind of a page, the clearest first', () => {
  const kinds: readonly (readonly [path: string, kind: string | undefined])[] = [
    ['/login', 'login'],
    ['/user/sign-in?back=/news/1', 'login'],
    ['/shop/cart/', 'cart'],
    ['/checkout.php', 'cart'],
    ['/search/rivers', 'search'],
    ['/?s=rivers', 'search'],
    ['/blog/category/rivers', 'listing'],
    ['/blog/page/2', 'listing'],
    ['/product/4711', 'product'],
    ['/dp/B000', 'product'],
    ['/2026/11/29/rivers.html', 'article'],
    ['/news/rivers', 'article'],
    ['/recipes/search', 'recipe'],
    // Part of a longer word is no word.
    ['/cartography/rivers', undefined],
    ['/newsroom', undefined],
    ['/', undefined],
    ['/about?next=/cart/', undefined],
  ];
  for (const [path, kind] of kinds) assert.equal(kindOf(`https://a.test${path}`)?.name, kind, path);
});

test('an article goes before a login page of the same depth, and a kind of the policy before the defaults', () => {
  const score = compileScorer({ ...defaultScore, factors: { ...defaultScore.factors, type: 1 } });
  const of = (path: string) => score(`https://a.test${path}`, linkOnly(2));
  assert.ok(of('/news/rivers') > of('/other/rivers') && of('/other/rivers') > of('/rivers/login'));
  const ours = compileScorer({ ...defaultScore, pageKinds: [{ name: 'door', pattern: 'login', value: 1 }] });
  const url = 'https://a.test/rivers/login';
  assert.ok(ours(url, linkOnly(2)) > compileScorer()(url, linkOnly(2)));
});

test('a pattern of a page kind that does not compile is refused with its field', () => {
  const config = { ...defaultPolicy(), score: { pageKinds: [{ name: 'x', pattern: '(', value: 1 }] } };
  assert.throws(() => parsePolicy(JSON.stringify(config)), /score\.pageKinds\[0\]\.pattern/);
});
