/** The lease API of a running crawl: what it answers to calls that are right, late, repeated and wrong. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { LeaseClient, type LeasedUrl, LeaseError } from '../../../../clients/typescript/lease-client.ts';
import { type CommandOptions, type Running, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { listening, untilReady } from '../../cli/listening.ts';
import { startSmallWeb } from '../../cli/small-web.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

interface Served {
  readonly base: string;
  readonly data: string;
  readonly running: Running;
  /** One URL, as soon as there is one. */
  one(client: LeaseClient): Promise<LeasedUrl>;
  stop(): Promise<void>;
}

/** A crawl without seeds, whose clients say what is crawled. */
async function serve(more: readonly string[] = [], options: CommandOptions = {}): Promise<Served> {
  const data = join(temporaryFolder(), 'data');
  const small = await startSmallWeb({ preset: 'plain', hosts: 3, pagesPerHost: 5, domains: 3 });
  const [, ...resolve] = small.crawlArguments.filter((argument) => !argument.startsWith('http'));
  const flags = [
    '--clients',
    'only',
    '--http',
    '0',
    '--data',
    data,
    '--delay',
    '20ms',
    '--retries',
    '0.1s,0.1s',
    ...more,
  ];
  const running = startCommand(['crawl', ...resolve.map((one) => one.replace('*.test', '*')), ...flags], options);
  const base = await listening(running);
  await untilReady(base);
  seeds = small.seeds;
  return {
    ...{ base, data, running },
    async one(client) {
      for (;;) {
        const { leases } = await client.lease(1);
        if (leases[0] !== undefined) return leases[0];
      }
    },
    async stop() {
      running.child.kill('SIGINT');
      const { code, stderr } = await running.ended;
      assert.equal(code, 130, stderr);
    },
  };
}

let seeds: readonly string[] = [];

test('an added URL comes back with its payload, is reported once, and a client that dies costs an attempt', async () => {
  const served = await serve();
  const client = new LeaseClient(served.base, { leaseMs: 1_000 });
  const [url] = seeds as readonly [string];
  const payload = JSON.stringify({ callback: 'parse', meta: { ü: [1, null] } });
  assert.deepEqual(await client.add([{ url, payload }, { url: 'ftp://a.test/' }]), {
    accepted: 1,
    refused: [
      {
        index: 1,
        url: 'ftp://a.test/',
        why: 'it is not a URL that can be crawled: send an absolute http or https URL',
      },
    ],
  });
  const first = await served.one(client);
  assert.deepEqual([first.url, first.payload, first.depth, first.attempt], [url, payload, 0, 0]);
  assert.match(first.userAgent, /^crawlstream\//);
  assert.ok(first.leaseMs <= 1_000 && first.renewableMs > 200_000, JSON.stringify(first));
  // Renewed, it is nobody else's for longer than it was leased for.
  for (let n = 0; n < 3; n++) {
    await new Promise((resolve) => setTimeout(resolve, 600));
    const [renewed] = await client.renew([first.lease]);
    assert.ok(renewed!.leaseMs > 0);
  }
  // Its client is not heard of any more, and another one gets it, with an attempt more.
  const second = await served.one(client);
  assert.deepEqual([second.url, second.payload, second.attempt], [url, payload, 1]);
  const late = { lease: first.lease, status: 200 };
  assert.deepEqual(await client.tell([late]), [{ lease: first.lease, state: 'unknown', refused: [] }]);
  assert.equal((await client.renew([first.lease]))[0]!.leaseMs, 0);
  const next = new URL('/next', url).href;
  const answer = { lease: second.lease, status: 200, urls: [{ url: next, payload: 'next' }], title: 'One' };
  assert.equal((await client.tell([answer]))[0]!.state, 'ok');
  assert.equal((await client.tell([answer]))[0]!.state, 'repeated');
  const third = await served.one(client);
  assert.deepEqual([third.url, third.payload, third.depth], [next, 'next', 1]);
  // What was not begun comes again, at no attempt.
  await client.tell([{ lease: third.lease, failure: 'returned' }]);
  const again = await served.one(client);
  assert.deepEqual([again.url, again.attempt, again.payload], [next, 0, 'next']);
  await client.tell([{ lease: again.lease, status: 404 }]);
  await client.work(async () => assert.fail('nothing is left'));
  await served.stop();
  const { stdout } = await runCommand(['pages', '--data', served.data]);
  const pages = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { url: string; title: string });
  assert.deepEqual(
    pages.map((page) => [page.url, page.title]),
    [[url, 'One']],
  );
  const explained = await runCommand(['explain', next, '--data', served.data]);
  assert.match(explained.stdout, /gone|404/);
});

test('a redirect keeps the client’s payload, and a body is parsed like ours', async () => {
  const served = await serve();
  const client = new LeaseClient(served.base);
  const [from, to] = seeds as readonly [string, string];
  await client.add([{ url: from, payload: 'old' }]);
  const first = await served.one(client);
  const urls = [{ url: to, payload: 'new', depth: first.depth, hop: 1, front: true }];
  await client.tell([{ lease: first.lease, status: 302, headers: { Location: to }, urls }]);
  const second = await served.one(client);
  assert.deepEqual([second.url, second.payload, second.hop, second.depth], [to, 'new', 1, 0]);
  const html = `<title>Read here</title><p>Text</p><a href="/found">link</a>`;
  const body = Buffer.from(html).toString('base64');
  const headers = { 'content-type': 'text/html; charset=utf-8', etag: '"one"' };
  await client.tell([{ lease: second.lease, status: 200, headers, body, follow: true }]);
  const third = await served.one(client);
  assert.deepEqual([third.url, third.payload], [new URL('/found', to).href, '']);
  await client.tell([{ lease: third.lease, status: 503, headers: { 'Retry-After': '1' } }]);
  const retried = await served.one(client);
  assert.deepEqual([retried.url, retried.attempt], [third.url, 1]);
  // The client makes use of it as it is: it is not tried again.
  await client.tell([{ lease: retried.lease, status: 500, final: true }]);
  await client.work(async () => assert.fail('nothing is left'));
  await served.stop();
  const { stdout } = await runCommand(['pages', '--data', served.data]);
  const page = JSON.parse(stdout.trim()) as { title: string; text: string; etag: string; links: number };
  assert.deepEqual([page.title, page.etag, page.links], ['Read here', '"one"', 1]);
  assert.match(page.text, /Text/);
});

test('an invalid call gets the field and the remedy', async () => {
  const served = await serve();
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const type = { 'content-type': 'application/json', ...headers };
    const response = await fetch(served.base + path, { method: 'POST', headers: type, body: JSON.stringify(body) });
    return { status: response.status, ...((await response.json()) as { message?: string }) };
  };
  for (const [path, body, says] of [
    ['/v1/leases', { count: 0 }, /^count: .*correct it/],
    ['/v1/leases', { counts: 1 }, /^counts: .*remove it, or correct its name/],
    ['/v1/leases', [], /not a JSON object/],
    ['/v1/urls', { urls: {} }, /^urls: /],
    ['/v1/results', { results: [] }, /^results: /],
    ['/v1/renewals', { leases: [] }, /^leases: /],
  ] as const) {
    const { status, message } = await post(path, body);
    assert.equal(status, 400, `${path} ${JSON.stringify(body).slice(0, 100)}`);
    assert.match(message!, says);
  }
  const added = await post('/v1/urls', {
    urls: [{ url: 'http://a.test/' }, { url: 7 }, { url: 'http://b.test/', payload: 'ü'.repeat(40_000) }],
  });
  const { refused = [] } = added as { refused?: readonly { readonly index: number; readonly why: string }[] };
  assert.deepEqual([added.status, refused.map(({ index }) => index)], [202, [1, 2]]);
  assert.match(refused[0]!.why, /^url: /);
  assert.match(refused[1]!.why, /^payload: .*65536 bytes/);
  for (const [wrong, says] of [
    [{}, /^status: status and failure are both missing/],
    [{ status: 99 }, /^status: /],
    [{ failure: 'tired' }, /^failure: /],
    [{ status: 200, body: '!' }, /^body: /],
  ] as const) {
    const reported = await post('/v1/results', { results: [{ lease: 'x', ...wrong }] });
    const [one] = (reported as { results?: readonly { readonly state: string; readonly why: string }[] }).results!;
    assert.deepEqual([reported.status, one!.state], [200, 'invalid']);
    assert.match(one!.why, says);
  }
  const large = await post('/v1/urls', { urls: [{ url: 'http://a.test/', payload: 'x'.repeat(17 << 20) }] });
  assert.equal(large.status, 413);
  // A page of elsewhere may not lease from a crawl on this machine.
  assert.equal((await post('/v1/leases', {}, { origin: 'https://elsewhere.test' })).status, 403);
  await served.stop();
  const ended = await runCommand(['crawl', 'http://127.0.0.1:8/', '--clients', 'only', '--data', served.data]);
  assert.equal(ended.code, 2, ended.stderr);
  assert.match(ended.stderr, /--clients only: clients need an HTTP or gRPC address; add --http HOST:PORT/);
});

test('beyond this machine the lease API needs the token', async () => {
  const token = 'a-token-of-some-length';
  const served = await serve(['--http', '0.0.0.0:0'], { env: { ...process.env, CRAWLSTREAM_HTTP_TOKEN: token } });
  const refused = new LeaseClient(served.base).lease(1, 0);
  await assert.rejects(refused, (error: LeaseError) => error instanceof LeaseError && error.status === 401);
  assert.deepEqual((await new LeaseClient(served.base, { token }).lease(1, 0)).leases, []);
  await served.stop();
});
