import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePolicy, defaultPolicy } from '../../../topology/policy/policy.ts';
import { linkOnly } from '../../../topology/policy/score/inputs.ts';
import { defaultScore, type ScoreList } from '../../../topology/policy/score/score-config.ts';
import { compileNumberList } from '../../../topology/url/number-list.ts';
import { compileList } from '../../../topology/url/url-lists.ts';

describe('a list of domains with numbers', () => {
  it('a list of domains with numbers is read as rankings come, and the longest domain of a host counts', () => {
    const list = compileNumberList(
      'traffic',
      '# by traffic\n1,example.org\nexample.com 2\n3\tBlog.Example.org\n',
      'top',
    );
    assert.equal(list.size, 3);
    assert.equal(list.numberOf('https://example.org/a'), 1);
    assert.equal(list.numberOf('https://www.example.com:8080/'), 2);
    assert.equal(list.numberOf('http://a.blog.example.org/'), 3);
    assert.equal(list.numberOf('https://anexample.org/'), null);
    assert.equal(list.numberOf('https://[2001:db8::1]/'), null);
  });

  it('a list of domains with numbers distinguishes an address from a number, in either order', () => {
    const list = compileNumberList('traffic', '192.0.2.1 12\n7,example.org\nexample.com,8', 'top');
    const hosts = ['192.0.2.1', 'example.org', 'example.com', '12'];
    assert.deepEqual(
      hosts.map((host) => list.numberOf(`http://${host}/`)),
      [12, 7, 8, null],
    );
  });

  it('a list of domains with numbers refuses an invalid entry, with its line and an example', () => {
    for (const [kind, text] of [
      ['authority', 'a.org 0.5\nb.org 1.5'],
      ['authority', 'a.org 0.5\nb.org'],
      ['quality', '\nb.org 0.1 0.2'],
      ['traffic', 'a.org 7\nb.org 0'],
      ['traffic', '\nhttps://b.org/ 3'],
    ] as const) {
      assert.throws(() => compileNumberList(kind, text, 'x'), /list "x", line 2: write a domain and .* as in "example/);
    }
  });

  it('a list of domains with numbers accepts the ranks of a web graph: positions, and authority by their logarithm', () => {
    const ranks = [
      '#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t#host_rev\t#n_hosts',
      '1\t3.6241592E7\t2\t0.0114\torg.example\t7',
      '10\t2.1E7\t1\t1.2E-4\tcom.example.www',
      '99\t1.0E7\t7\t1.2E-5\tde.example',
    ].join('\n');
    const authority = compileNumberList('authority', ranks, 'graph');
    assert.equal(authority.numberOf('https://blog.example.org/'), 1);
    assert.equal(authority.numberOf('https://www.example.com/'), 0.5);
    assert.ok(authority.numberOf('https://example.de/')! < 0.01);
    assert.equal(authority.numberOf('https://example.com/'), null);
    assert.equal(compileNumberList('traffic', ranks, 'graph').numberOf('https://www.example.com/'), 10);
    assert.throws(() => compileNumberList('quality', ranks, 'graph'), /line 2/);
    assert.throws(() => compileNumberList('authority', ranks.replace('10\t', '0\t'), 'graph'), /line 3/);
  });

  it('a list of domains with numbers wins over what the crawl knows of a domain, in a policy that names it', () => {
    const sha256 = 'a'.repeat(64);
    const list = (kind: ScoreList['kind']): ScoreList => ({ name: kind, kind, path: kind, sha256 });
    const score = { ...defaultScore, lists: [list('authority'), list('traffic'), list('quality')] };
    const texts = { authority: 'good.org 1', traffic: 'good.org 1', quality: 'good.org 1\nbad.org 0' };
    const policy = compilePolicy({ ...defaultPolicy(), score }, ({ kind, name }) =>
      compileList(kind, texts[kind as keyof typeof texts], name),
    );
    const inputs = { ...linkOnly(4), domain: { ...linkOnly(4).domain, pagesGood: 500, pagesFetched: 1_000 } };
    const frontQueueOf = (host: string) => policy.frontQueueOf(`https://${host}/a`, inputs);
    assert.ok(frontQueueOf('good.org') < frontQueueOf('other.org'));
    assert.ok(frontQueueOf('bad.org') > frontQueueOf('other.org'));
    assert.throws(
      () => compilePolicy({ ...defaultPolicy(), score }),
      /score\.lists "authority": the list .* is not loaded/,
    );
  });
});
