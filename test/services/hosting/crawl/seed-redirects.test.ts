/** `--follow-seed-redirects`: which targets become seeds, how many are sent together, and what a resume follows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSeedRedirects, type StoredRedirect } from '../../../../services/hosting/crawl/seed-redirects.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { defaultPolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';
import { scopeOf } from '../../../../topology/url/scope.ts';

interface Rig {
  readonly given?: readonly string[];
  readonly seeds: readonly string[];
  readonly stored?: readonly StoredRedirect[];
  readonly follows?: boolean;
  /** Targets that the policy refuses. */
  readonly refused?: (url: string) => boolean;
  /** How long a send takes, ms. */
  readonly sendMs?: number;
}

/** A crawl's log and policy, as far as redirects of seeds concern them. */
async function open({ seeds, given = seeds, stored = [], follows = true, refused = () => false, sendMs = 0 }: Rig) {
  const all = [...seeds];
  const sent: (readonly string[])[] = [];
  const said: string[] = [];
  const waits: number[] = [];
  let nowMs = 1_000;
  const policy = (): PolicyConfig => ({ ...defaultPolicy(), scope: scopeOf('host', all) });
  const clock = {
    nowMs: () => nowMs,
    sleepUntil: async (untilMs: number) => {
      waits.push(untilMs - nowMs);
      nowMs = Math.max(nowMs, untilMs);
    },
  };
  const redirects = createSeedRedirects(given, follows, (text) => said.push(text), clock);
  const follow = async (urls: readonly string[]) => {
    await new Promise((resolve) => setImmediate(resolve));
    nowMs += sendMs;
    const bad = urls.find(refused);
    if (bad !== undefined) throw new CrawlstreamError('INVALID_SEED', `seed ${bad} is refused`);
    sent.push(urls);
    all.push(...urls);
    return policy();
  };
  const redirect = (url: string, redirectUrl: string) => redirects.note({ kind: 'redirect', url, redirectUrl });
  const opened = redirects.open({
    policy: policy(),
    seeds,
    follow,
    async *stored() {
      yield* stored;
    },
  });
  return { redirects, redirect, sent, said, waits, opened };
}

const evil = (n: number) => `http://a${n}.test/`;

test('a chain of hosts that redirect on and on is followed for as many redirects as the policy allows', async () => {
  const { redirects, redirect, sent, said, opened } = await open({ seeds: [evil(0)] });
  await opened;
  for (let n = 0; n < 50; n++) {
    redirect(evil(n), evil(n + 1));
    while (redirects.isBusy) await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(
    sent.flat(),
    Array.from({ length: 10 }, (_, n) => evil(n + 1)),
  );
  assert.deepEqual([...redirects.left], [[evil(0), evil(11)]]);
  assert.match(said.at(-1)!, /^http:\/\/a0\.test\/ redirects to http:\/\/a11\.test\/, after 10 redirects: .*add /);
});

test('a chain goes on with its count of redirects when the crawl is resumed, in whatever order its results are stored', async () => {
  const chain = Array.from({ length: 10 }, (_, n) => ({ url: evil(n), redirectUrl: evil(n + 1) }));
  for (const stored of [chain, chain.toReversed()]) {
    const seeds = [...Array(11).keys()].map(evil);
    const { redirects, redirect, sent, opened } = await open({ given: [], seeds, stored });
    await opened;
    redirect(evil(10), evil(11));
    await redirects.settle();
    assert.deepEqual(sent, []);
    assert.deepEqual([...redirects.left], [[evil(0), evil(11)]]);
  }
});

test('redirects within the scope count towards the limit of redirects from a seed', async () => {
  const { redirects, redirect, sent, opened } = await open({ seeds: ['http://a.test/0'] });
  await opened;
  for (let n = 0; n < 10; n++) redirect(`http://a.test/${n}`, `http://a.test/${n + 1}`);
  redirect('http://a.test/10', 'http://b.test/');
  await redirects.settle();
  assert.deepEqual(sent, []);
  assert.equal(redirects.left.get('http://a.test/0'), 'http://b.test/');
});

test('targets that come while others are sent are sent together, and sends take at most a fifth of the time', async () => {
  const seeds = Array.from({ length: 1_000 }, (_, n) => `http://s${n}.test/`);
  const { redirects, redirect, sent, waits, opened } = await open({ seeds, sendMs: 50 });
  await opened;
  for (const seed of seeds) redirect(seed, seed.replace('//', '//www.'));
  while (redirects.isBusy) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    sent.map((urls) => urls.length),
    [1, 999],
  );
  assert.deepEqual(waits, [200, 200]);
});

test('a target that the policy refuses does not keep those out that were sent with it', async () => {
  const seeds = Array.from({ length: 9 }, (_, n) => `http://s${n}.test/`);
  const refused = (url: string) => url === 'http://t5.test/';
  const { redirects, redirect, sent, said, opened } = await open({ seeds, refused });
  await opened;
  seeds.forEach((seed, n) => {
    redirect(seed, `http://t${n}.test/`);
  });
  await redirects.settle();
  assert.deepEqual(
    sent.flat().sort(),
    [0, 1, 2, 3, 4, 6, 7, 8].map((n) => `http://t${n}.test/`),
  );
  assert.deepEqual([...redirects.left], [['http://s5.test/', 'http://t5.test/']]);
  assert.equal(said.filter((text) => text.includes('could not become a seed')).length, 1);
});

test('a resume follows stored redirects of seeds whose targets never became seeds, also through the scope', async () => {
  const { redirects, sent, opened } = await open({
    given: [],
    seeds: ['http://a.test/', 'http://b.test/'],
    stored: [
      { url: 'http://a.test/moved', redirectUrl: 'http://new.test/' },
      { url: 'http://a.test/', redirectUrl: 'http://a.test/moved' },
      { url: 'http://b.test/page', redirectUrl: 'http://elsewhere.test/' },
    ],
  });
  await opened;
  await redirects.settle();
  assert.deepEqual(sent.flat(), ['http://new.test/']);
});

test('a resume follows redirects of seeds that an earlier command line gave, and names them without the option', async () => {
  for (const follows of [true, false]) {
    const { redirects, redirect, sent, said, opened } = await open({ given: [], seeds: ['http://a.test/'], follows });
    await opened;
    redirect('http://a.test/', 'http://new.test/');
    await redirects.settle();
    assert.deepEqual(sent.flat(), follows ? ['http://new.test/'] : []);
    assert.equal(said.length, 1);
  }
});

test('targets that wait when a crawl stops become seeds before its log closes', async () => {
  const { redirects, redirect, sent, opened } = await open({ seeds: ['http://a.test/', 'http://b.test/'] });
  redirect('http://a.test/', 'http://new-a.test/');
  await opened;
  redirect('http://b.test/', 'http://new-b.test/');
  await redirects.settle();
  assert.deepEqual(sent.flat(), ['http://new-a.test/', 'http://new-b.test/']);
});

test('seeds that redirect in a circle end no run, and send nothing', async () => {
  const seeds = ['http://a.test/', 'http://b.test/'];
  const stored = [
    { url: seeds[0]!, redirectUrl: seeds[1]! },
    { url: seeds[1]!, redirectUrl: seeds[0]! },
  ];
  const { redirects, sent, opened } = await open({ given: [], seeds, stored });
  await opened;
  await redirects.settle();
  assert.deepEqual(sent, []);
});
