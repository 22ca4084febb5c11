import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OverlayConfig, OverlaySettings } from '../../../topology/policy/overlay-config.ts';
import { compilePolicy, defaultPolicy, type Policy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { noHistory } from '../../../topology/policy/recrawl/history.ts';
import { defaultRecrawl } from '../../../topology/policy/recrawl/recrawl-config.ts';
import { validatePolicy } from '../../../topology/policy/validate.ts';

const day = 24 * 3_600_000;

function policyOf(overlays: readonly OverlayConfig[], more: Partial<PolicyConfig> = {}): Policy {
  return compilePolicy(validatePolicy({ ...defaultPolicy(), ...more, overlays }));
}

let count = 0;
const overlay = (match: OverlayConfig['match'], set: OverlaySettings, name = `o${count++}`): OverlayConfig => ({
  ...{ name, match, set },
});

describe('a host’s policy under overlays', () => {
  it('a host’s policy is the policy itself, the same object, without overlays', () => {
    const config = defaultPolicy();
    assert.equal(compilePolicy(config).hostSettings('a.org'), config);
    const none = { ...config, overlays: [] };
    assert.equal(compilePolicy(none).hostSettings('a.org'), none);
  });

  it('a host’s policy has what overlays set by host, domain and SURT, with or without port', () => {
    const policy = policyOf([
      overlay({ hosts: ['a.org'] }, { delayMs: 1 }),
      overlay({ hosts: ['b.org:8080'] }, { delayMs: 2 }),
      overlay({ domains: ['.c.org'] }, { delayMs: 3 }),
      overlay({ surts: ['(org,d,'] }, { delayMs: 4 }),
      overlay({ surts: ['(org,e,)/'] }, { delayMs: 5 }),
      overlay({ surts: ['(org,f,:81)/'] }, { delayMs: 6 }),
    ]);
    const delays = (...hosts: string[]) => hosts.map((host) => policy.hostSettings(host).delayMs);
    assert.deepEqual(delays('a.org', 'a.org:81', 'www.a.org'), [1, 1, 1_000]);
    assert.deepEqual(delays('b.org', 'b.org:8080'), [1_000, 2]);
    assert.deepEqual(delays('c.org', 'www.c.org', 'ac.org'), [3, 3, 1_000]);
    assert.deepEqual(delays('d.org', 'x.y.d.org:1'), [4, 4]);
    assert.deepEqual(delays('e.org', 'e.org:2', 'www.e.org'), [5, 5, 1_000]);
    assert.deepEqual(delays('f.org', 'f.org:81'), [1_000, 6]);
    assert.equal(policy.hostSettings('a.org').retriesMs, policy.config.retriesMs, 'the rest is the policy’s');
  });

  it('a host’s policy is set field by field: the last of several overlays wins', () => {
    const policy = policyOf([
      overlay({ domains: ['org'] }, { delayMs: 1, urlsPerHostMax: 7, leases: 2 }),
      overlay({ hosts: ['a.org'] }, { delayMs: 2, urlsPerHostMax: null }),
    ]);
    const { delayMs, urlsPerHostMax } = policy.hostSettings('a.org');
    assert.deepEqual([delayMs, urlsPerHostMax, policy.leasesOf('a.org')], [2, null, 2]);
    assert.deepEqual([policy.hostSettings('b.org').urlsPerHostMax, policy.leasesOf('b.com')], [7, 1]);
    assert.equal(policy.hasParallel, true);
    assert.deepEqual(policy.deciding('https://a.org/'), [
      { name: policy.config.overlays![0]!.name, fields: ['leases'] },
      { name: policy.config.overlays![1]!.name, fields: ['delayMs', 'urlsPerHostMax'] },
    ]);
  });

  it('a host’s policy has its own window, or none, whatever the policy’s windows say', () => {
    const hours = { fromHour: 6, toHour: 8, utcOffsetMinutes: 0 };
    const policy = policyOf(
      [overlay({ hosts: ['a.org'] }, { window: hours }), overlay({ hosts: ['b.org'] }, { window: null })],
      { windows: [{ hosts: ['*'], fromHour: 2, toHour: 4, utcOffsetMinutes: 0 }] },
    );
    const opens = ['a.org:81', 'b.org', 'c.org'].map((host) => policy.openAt(host, 0) / 3_600_000);
    assert.deepEqual(opens, [6, 0, 2]);
  });

  it('a host’s policy stays right if more hosts were queried than are cached', () => {
    const policy = policyOf([overlay({ domains: ['a.org'] }, { delayMs: 5 })]);
    for (let n = 0; n < 70_000; n++) policy.hostSettings(`h${n}.b.org`);
    assert.deepEqual(
      ['x.a.org', 'h1.b.org'].map((host) => policy.hostSettings(host).delayMs),
      [5, 1_000],
    );
  });
});

describe('a URL’s rules under overlays', () => {
  it('a URL’s depth, redirects and filters come from overlays, each field in the policy’s place', () => {
    const policy = policyOf(
      [
        overlay({ domains: ['a.org'] }, { maxDepth: 1, filters: { exclude: ['/no'] } }),
        overlay({ surts: ['(org,a,)/deep/'] }, { maxDepth: null, hopsMax: 0 }),
        overlay({ patterns: ['\\?print='] }, { filters: { include: ['/only'], exclude: [] } }),
      ],
      { maxDepth: 3, filters: { ...defaultPolicy().filters, exclude: ['/never'] } },
    );
    const rule = (url: string, depth = 0, hop = 0) => {
      const verdict = policy.admit(url, depth, hop);
      return verdict.ok ? '' : verdict.rule;
    };
    assert.deepEqual(
      [rule('https://a.org/x', 2), rule('https://b.org/x', 2), rule('https://b.org/x', 4)],
      ['depth', '', 'depth'],
    );
    assert.deepEqual([rule('https://a.org/deep/x', 9), rule('https://www.a.org/deep/x', 9)], ['', 'depth']);
    assert.deepEqual([rule('https://a.org/deep/x', 0, 1), rule('https://a.org/', 0, 1)], ['hops', '']);
    assert.deepEqual(
      [rule('https://a.org/never'), rule('https://a.org/no'), rule('https://b.org/no')],
      ['', 'exclude', ''],
    );
    assert.deepEqual([rule('https://b.org/never'), rule('https://b.org/never?print=1')], ['exclude', 'include']);
    assert.equal(rule('https://b.org/never/only?print=1'), '');
    assert.equal(rule('https://b.org/only.jpg?print=1'), 'extension', 'fields that no overlay sets are the policy’s');
  });

  it('a URL is in scope or out of it by an overlay, whatever the policy’s scope', () => {
    const policy = policyOf(
      [
        overlay({ domains: ['b.org'] }, { inScope: true }),
        overlay({ patterns: ['/private/'] }, { inScope: false }, 'private'),
      ],
      { scope: { kind: 'domain', names: ['a.org'] } },
    );
    const taken = (url: string) => policy.admit(url, 0, 0);
    assert.deepEqual(
      ['https://a.org/', 'https://b.org/', 'https://c.org/'].map((url) => taken(url).ok),
      [true, true, false],
    );
    assert.deepEqual(taken('https://a.org/private/x'), { ok: false, rule: 'scope', detail: 'overlay private' });
  });

  it('a URL has an overlay’s front queue, whatever scores say', () => {
    const overlays = [
      overlay({ patterns: ['/login'] }, { frontQueue: 7 }),
      overlay({ hosts: ['a.org'] }, { frontQueue: 0 }),
    ];
    for (const more of [{}, { score: { kind: 'opic', taxShare: 0.2 } }] as unknown as Partial<PolicyConfig>[]) {
      const policy = compilePolicy({ ...defaultPolicy(), ...more, overlays });
      const queue = (url: string) => {
        const verdict = policy.admit(url, 2, 0);
        return verdict.ok ? verdict.frontQueue : -1;
      };
      assert.deepEqual(
        [queue('https://b.org/login'), queue('https://a.org/login'), queue('https://b.org/x')],
        [7, 0, 2],
      );
      assert.deepEqual([policy.givenQueueOf('https://b.org/login'), policy.givenQueueOf('https://b.org/x')], [7, null]);
    }
  });

  it('a URL is revisited by the last overlay that covers its kind, before the policy’s rules', () => {
    const recrawl = {
      ...defaultRecrawl,
      schedule: 'fixed',
      intervalMs: 7 * day,
      rules: [{ hosts: ['a.org'], intervalMs: 5 * day }],
    } as const;
    const { recrawl: compiled } = policyOf(
      [
        overlay({ patterns: ['/news'] }, { recrawl: { intervalMs: day } }),
        overlay({ hosts: ['c.org'] }, { recrawl: { kinds: ['gone'], intervalMs: null } }),
        overlay({ patterns: ['/news/old'] }, { recrawl: { intervalMs: null } }),
      ],
      { recrawl },
    );
    const days = (url: string, kind: 'page' | 'gone' = 'page') => {
      const visit = { url, kind, history: noHistory, changed: null, sinceChangeS: 0, frontQueue: 0 };
      const next = compiled!.next(visit, null);
      return next === null ? null : next.delayS / 86_400;
    };
    assert.deepEqual([days('https://a.org/news'), days('https://a.org/'), days('https://b.org/')], [1, 5, 7]);
    assert.equal(days('https://a.org/news/old'), null);
    assert.deepEqual([days('https://c.org/', 'gone'), days('https://c.org/')], [null, 7]);
  });
});

describe('overlays that cannot be right are refused, with field and remedy', () => {
  const refused = (overlays: unknown, more: object = {}) => {
    try {
      validatePolicy({ ...defaultPolicy(), ...more, overlays });
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };
  const set = { delayMs: 1 };
  const match = { hosts: ['a.org'] };

  for (const [what, overlays, says] of [
    [
      'a host’s delay for a part of it',
      [{ name: 'a', match: { patterns: ['/x'] }, set }],
      /overlays\[0\]\.set\.delayMs: this setting applies to whole hosts, but match\.patterns\[0\].*move it to an overlay/,
    ],
    [
      'a host’s delay for a SURT with a path',
      [{ name: 'a', match: { surts: ['(org,a,', '(org,a,)/x'] }, set }],
      /match\.surts\[1\] matches only part of a host/,
    ],
    [
      'two of one name',
      [
        { name: 'a', match, set },
        { name: 'a', match, set },
      ],
      /overlays\[1\]\.name: an earlier overlay already has the name a/,
    ],
    [
      'one that matches nothing',
      [{ name: 'a', match: {}, set }],
      /overlays\[0\]\.match: match is empty, so the overlay matches no URL; add hosts/,
    ],
    ['one that sets nothing', [{ name: 'a', match, set: {} }], /overlays\[0\]\.set: set is empty/],
    [
      'a bad SURT',
      [{ name: 'a', match: { surts: ['www.a.org'] }, set }],
      /overlays\[0\]\.match\.surts\[0\]: .*write \(org,a,www,/,
    ],
    [
      'a bad pattern',
      [{ name: 'a', match: { patterns: ['('] }, set: { maxDepth: 1 } }],
      /overlays\[0\]\.match\.patterns\[0\]/,
    ],
    [
      'a bad filter',
      [{ name: 'a', match, set: { filters: { exclude: ['('] } } }],
      /overlays\[0\]\.set\.filters\.exclude\[0\]/,
    ],
    [
      'what is the fetchers’',
      [{ name: 'a', match, set: { render: true } }],
      /overlays\[0\]\.set\.render: .*--with render/,
    ],
    [
      'what has another name here',
      [{ name: 'a', match, set: { priority: 1 } }],
      /overlays\[0\]\.set\.priority: .*write `frontQueue`/,
    ],
    [
      'recrawl where nothing is fetched again',
      [{ name: 'a', match, set: { recrawl: { intervalMs: day } } }],
      /set\.recrawl: the policy has no recrawl schedule/,
    ],
    [
      'an interval that no rule may have',
      [{ name: 'a', match, set: { recrawl: { intervalMs: 101 * 365 * day } } }],
      /overlays\[0\]\.set\.recrawl\.intervalMs/,
    ],
    [
      'a shortest time above the longest',
      [{ name: 'a', match, set: { recrawl: { minMs: 2 * day, maxMs: day } } }],
      /overlays\[0\]\.set\.recrawl: minMs is above maxMs/,
    ],
    [
      'a budget where there is none',
      [{ name: 'a', match, set: { budget: 1 } }],
      /set\.budget: the policy has no budgets/,
    ],
  ] as const)
    it(what, () => assert.match(refused(overlays), says));

  it('any overlay for clients of the pull API is refused', () =>
    assert.match(
      refused([{ name: 'a', match, set }], { sink: 'pull' }),
      /overlays have no effect in a crawl that clients pull/,
    ));
});
