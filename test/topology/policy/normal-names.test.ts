/** Names in every rule of a policy: a rule holds for the URLs that its author meant, or is refused by its field. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { PayPolicy } from '../../../topology/policy/pay-config.ts';
import { compilePolicy, defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { parsePolicy, validatePolicy } from '../../../topology/policy/validate.ts';

type Partly = Readonly<Record<string, unknown>>;

function policyWith(fields: Partly): PolicyConfig {
  return { ...defaultPolicy(), ...fields } as PolicyConfig;
}

function withFilters(filters: Partly): PolicyConfig {
  return policyWith({ filters: { ...defaultPolicy().filters, ...filters } });
}

function ruleOf(config: PolicyConfig, url: string): string {
  const admission = compilePolicy(validatePolicy(config)).admit(url, 1, 0);
  return admission.ok ? 'taken' : admission.rule;
}

it('filters refuse what their author meant, in any spelling', () => {
  for (const [field, name, url] of [
    ['domainsDenied', 'bücher.example', 'https://www.bücher.example/x'],
    ['domainsDenied', '*.ads.test', 'https://x.ads.test/'],
    ['hostsDenied', 'BÜCHER.example', 'https://bücher.example/x'],
    ['hostsDenied', ' a.test. ', 'https://a.test/x'],
    ['hostsDenied', 'https://a.test', 'https://a.test/x'],
    ['prefixesDenied', 'https://A.test:443/P', 'https://a.test/P/1'],
    ['prefixesDenied', 'https://a.test/ä', 'https://a.test/ä/1'],
    ['extensionsDenied', '*.PDF', 'https://a.test/x.pdf'],
  ] as const) {
    assert.notEqual(ruleOf(withFilters({ [field]: [name] }), url), 'taken', `${field} ${name}`);
  }
  assert.equal(
    ruleOf(withFilters({ prefixesAllowed: ['https://a.test'] }), 'https://a.test.evil.example/'),
    'prefixesAllowed',
  );
  assert.equal(ruleOf(withFilters({ prefixesAllowed: ['https://a.test'] }), 'https://a.test/x'), 'taken');
});

it('the scope accepts the hosts that it names in any spelling', () => {
  for (const [kind, name] of [
    ['host', 'Bücher.example'],
    ['domain', 'bücher.example.'],
    ['domain', '*.bücher.example'],
  ]) {
    assert.equal(ruleOf(policyWith({ scope: { kind, names: [name] } }), 'https://bücher.example/'), 'taken', name);
  }
});

it('overlays, windows, recrawl rules and others apply to their hosts in any spelling', () => {
  const config = validatePolicy(
    policyWith({
      overlays: [
        {
          name: 'o',
          match: { hosts: ['Bücher.example'], domains: ['*.a.test'], surts: ['(example,bücher,)/'] },
          set: { delayMs: 77_000 },
        },
      ],
      windows: [{ hosts: ['*.Bücher.example'], fromHour: 1, toHour: 2, utcOffsetMinutes: 0 }],
      parallel: [{ hosts: ['*', ' b.test '], leases: 2 }],
      metadata: [{ name: 'm', sourceDomains: ['*.ads.test'] }],
      trace: { ratio: 0, hosts: ['B.test.'] },
      pay: { currency: 'USD', total: '1', page: '1', hosts: ['Bücher.example'] },
      sitemaps: { everyMs: 60_000, rules: [{ hosts: ['*.b.test'], urls: ['/s.xml'] }] },
      normalize: { ...defaultPolicy().normalize, hosts: { 'Bücher.example': { drop: ['x'] } } },
    }),
  );
  const policy = compilePolicy(config);
  assert.equal(policy.hostSettings('xn--bcher-kva.example').delayMs, 77_000);
  assert.equal(policy.hostSettings('x.a.test').delayMs, 77_000);
  assert.equal(policy.normalize('https://bücher.example/?x=1&y=2'), 'https://xn--bcher-kva.example/?y=2');
  assert.deepEqual(config.windows![0]!.hosts, ['xn--bcher-kva.example']);
  assert.deepEqual(config.parallel![0]!.hosts, ['*', 'b.test']);
  assert.deepEqual(config.metadata![0]!.sourceDomains, ['ads.test']);
  assert.deepEqual(config.trace!.hosts, ['b.test']);
  assert.deepEqual((config.pay as PayPolicy).hosts, ['xn--bcher-kva.example']);
  assert.deepEqual(config.sitemaps!.rules[0]!.hosts, ['b.test']);
});

it('an impossible name is refused by its field and name', () => {
  const wrong: readonly [PolicyConfig, RegExp][] = [
    [withFilters({ hostsDenied: ['b.test', 'a.test:443'] }), /^policy\.filters\.hostsDenied\[1\]: "a\.test:443": /],
    [withFilters({ prefixesAllowed: ['a.test/p'] }), /^policy\.filters\.prefixesAllowed\[0\]: "a\.test\/p": /],
    [withFilters({ prefixesDenied: ['https://a.test/?b=2&a=1'] }), /its normal form is https:\/\/a\.test\/\?a=1&b=2/],
    [withFilters({ prefixesDenied: ['https://a.test/?utm_source=x'] }), /prefixesDenied\[0\]/],
    [withFilters({ exclude: ['/ä/'] }), /^policy\.filters\.exclude\[0\]: "\/ä\/": normal URLs are ASCII/],
    [policyWith({ scope: { kind: 'host', names: ['*.a.test'] } }), /^policy\.scope\.names\[0\]/],
    [
      policyWith({ windows: [{ hosts: ['a.test:8080'], fromHour: 1, toHour: 2, utcOffsetMinutes: 0 }] }),
      /^policy\.windows\[0\]\.hosts\[0\]/,
    ],
    [
      policyWith({ overlays: [{ name: 'o', match: { hosts: ['*.a.test'] }, set: { delayMs: 1 } }] }),
      /^policy\.overlays\[0\]\.match\.hosts\[0\]/,
    ],
  ];
  for (const [config, message] of wrong) {
    assert.throws(
      () => validatePolicy(config),
      (error) => error instanceof CrawlstreamError && error.code === 'INVALID_ARGUMENT' && message.test(error.message),
    );
  }
});

it('a policy already in force with such a name continues, and can be changed elsewhere', () => {
  const stored = withFilters({ hostsDenied: ['a.test:443', 'B.test'] });
  const read = parsePolicy(JSON.stringify(stored));
  assert.deepEqual(read.filters.hostsDenied, ['a.test:443', 'b.test']);
  assert.equal(validatePolicy({ ...stored, maxDepth: 3 }, stored).maxDepth, 3);
  assert.throws(() =>
    validatePolicy({ ...stored, filters: { ...stored.filters, hostsDenied: ['c.test:443'] } }, stored),
  );
});
