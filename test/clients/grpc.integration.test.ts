/** Leases by gRPC, to clients that are not ours: over real sockets, judged by the servers. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandOptions, runCommand, startCommand } from '../../lab/process/command.ts';
import { assertFlawless, printedPages, startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { grpcPython, leasesAt, leasesStub, runGrpcClient } from './grpc-run.ts';

const delayMs = 40;
grpcPython();

test('a client generated from the proto by grpcio crawls a web: each page once, politely, with links and statuses', async () => {
  const web = { preset: 'plain', naming: 'addresses', hosts: 6, pagesPerHost: 12, domains: 3, seed: 5 } as const;
  const small = await startSmallWeb(web);
  const data = join(temporaryFolder(), 'data');
  const flags = ['--delay', `${delayMs}ms`, '--address-delay', '0', '--allow-private', '--contact', 'me@example.org'];
  const clients = ['--clients', 'only', '--clients-grpc', '0', '--data', data];
  const crawl = startCommand(['crawl', ...small.seeds, '--scope', 'all', ...clients, ...flags]);
  const run = runGrpcClient(await leasesAt(crawl), 4);
  assert.equal(await run.ended, 0, run.stderr());
  crawl.child.kill('SIGINT');
  const { code, stderr } = await crawl.ended;
  assert.equal(code, 130, stderr);
  assertFlawless(small.check({ delayMs, sitemaps: false }));
  assert.deepEqual(run.urls().sort(), await printedPages(data));
  const audit = await runCommand(['audit', '--data', data]);
  assert.equal(audit.code, 0, audit.stdout + audit.stderr);
});

async function serve(more: readonly string[] = [], options: CommandOptions = {}) {
  const small = await startSmallWeb({ preset: 'plain', naming: 'addresses', hosts: 3, pagesPerHost: 5, domains: 3 });
  const data = join(temporaryFolder(), 'data');
  const flags = ['--delay', '20ms', '--address-delay', '0', '--allow-private', '--contact', 'me@example.org'];
  const clients = ['--clients', 'only', '--clients-grpc', '0', '--data', data];
  const crawl = startCommand(['crawl', ...clients, ...flags, ...more], options);
  const address = await leasesAt(crawl);
  const stop = async () => {
    crawl.child.kill('SIGINT');
    const { code, stderr } = await crawl.ended;
    assert.equal(code, 130, stderr);
  };
  return { small, address, stop };
}

interface Leases {
  readonly leases: readonly { readonly lease: string; readonly url: string; readonly payload: string }[];
  readonly idle?: boolean;
}

/** As soon as the crawl is up. */
async function untilUp<T>(act: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await act();
    } catch (error) {
      // 14: UNAVAILABLE.
      if (tries > 200 || (error as { code?: number }).code !== 14) throw error;
      await sleep(50);
    }
  }
}

test('an added URL is returned, reported once, renewed and counted; an invalid call names the field', async () => {
  const { small, address, stop } = await serve();
  const stub = leasesStub(address);
  const [url] = small.seeds;
  const added = await untilUp(() => stub.call('Add', { urls: [{ url, payload: 'ü{}' }, { url: 'ftp://a.test/' }] }));
  const why = 'it is not a URL that can be crawled: send an absolute http or https URL';
  assert.deepEqual(added, { accepted: 1, refused: [{ index: 1, url: 'ftp://a.test/', why }] });
  const { leases } = (await stub.call('Lease', { count: 2 })) as unknown as Leases;
  assert.deepEqual(
    leases.map((leased) => [leased.url, leased.payload]),
    [[url, 'ü{}']],
  );
  const { lease } = leases[0]!;
  const renewed = await stub.call('Renew', { leases: [lease, 'nobody’s'] });
  const [mine, other] = renewed['leases'] as unknown as { leaseMs?: number }[];
  assert.ok(mine!.leaseMs! > 50_000);
  assert.equal(other!.leaseMs ?? 0, 0);
  const { out, given } = (await stub.call('Status', {})) as { out?: number; given?: number };
  assert.deepEqual([out, given], [1, 1]);
  const body = Buffer.from('<title>A</title><a href="/p/1">to</a>');
  const result = { lease, status: 200, headers: { 'content-type': 'text/html' }, body, follow: true };
  const report = async () => {
    const { results } = (await stub.call('Tell', { results: [result] })) as unknown as {
      results: readonly { readonly state?: string }[];
    };
    return results[0]!.state ?? 'OK';
  };
  assert.deepEqual([await report(), await report()], ['OK', 'REPEATED']);
  const { leases: next } = (await stub.call('Lease', {})) as unknown as Leases;
  assert.equal(next[0]!.url, new URL('/p/1', url).href, 'the crawl has parsed the body, and followed its link');
  await stub.call('Tell', { results: [{ lease: next[0]!.lease, failure: 'REFUSED' }] });

  const refused = (name: string, request: object, words: RegExp) =>
    assert.rejects(stub.call(name, request), (error: { code: number; details: string }) => {
      assert.equal(error.code, 3, 'INVALID_ARGUMENT');
      assert.match(error.details, words);
      return true;
    });
  await refused('Lease', { count: 257 }, /count: .*correct it/);
  await refused('Add', { urls: [] }, /urls: .*schemas\/leases\.proto/);
  const wrong = [{ lease: 'x' }, { lease: 'x', failure: 77 }];
  const { results: answers } = (await stub.call('Tell', { results: wrong })) as unknown as {
    results: readonly { readonly state: string; readonly why: string }[];
  };
  assert.deepEqual(
    answers.map(({ state, why }) => [state, why.split(':')[0]]),
    [
      ['INVALID', 'status'],
      ['INVALID', 'failure'],
    ],
  );
  const { refused: unread } = (await stub.call('Add', {
    urls: [{ url, payload: 'x'.repeat(64 * 1024 + 1) }],
  })) as unknown as { refused: readonly { readonly why: string }[] };
  assert.match(unread[0]!.why, /^payload: .*65536 bytes/);

  // A client that hangs up while it waits gets nothing that others would miss.
  const [first, second] = ['/p/2', '/p/3'].map((path) => new URL(path, url).href);
  await stub.call('Add', { urls: [{ url: first }] });
  const { leases: held } = (await stub.call('Lease', {})) as unknown as Leases;
  assert.equal(held[0]!.url, first);
  await stub.call('Add', { urls: [{ url: second }] });
  await assert.rejects(stub.call('Lease', { waitMs: 20_000 }, 300), { code: 4 });
  await stub.call('Tell', { results: [{ lease: held[0]!.lease, failure: 'REFUSED' }] });
  const { leases: others } = (await stub.call('Lease', {})) as unknown as Leases;
  assert.equal(others[0]!.url, second);
  await stub.call('Tell', { results: [{ lease: others[0]!.lease, failure: 'REFUSED' }] });
  await stop();
});

test('a token is required if one is set, and TLS is used if there is a certificate', async () => {
  const folder = temporaryFolder();
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name)) as [string, string];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-days', '2'];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  const token = 'a-token-of-this-test';
  const { address, stop } = await serve(['--clients-grpc-cert', cert, '--clients-grpc-key', key], {
    env: { ...process.env, CRAWLSTREAM_GRPC_TOKEN: token },
  });
  const root = readFileSync(cert);
  // 16: UNAUTHENTICATED.
  await assert.rejects(leasesStub(address, undefined, root).call('Status', {}), { code: 16 });
  await assert.rejects(leasesStub(address, 'another', root).call('Status', {}), { code: 16 });
  await leasesStub(address, token, root).call('Status', {});
  await assert.rejects(
    leasesStub(address, token).call('Status', {}, 3_000),
    ({ code }: { code: number }) => code !== 0,
  );
  await stop();
});

test('beyond this machine nobody listens without a token and TLS, and no client without --clients', async () => {
  const data = join(temporaryFolder(), 'data');
  const common = ['--data', data, '--contact', 'me@example.org'];
  const open = await runCommand(['crawl', '--clients', 'only', '--clients-grpc', '0.0.0.0:0', ...common]);
  assert.equal(open.code, 2, open.stderr);
  assert.match(open.stderr, /--clients-grpc 0\.0\.0\.0 is reachable by other machines without a token .* without TLS/);
  const alone = await runCommand(['crawl', 'http://a.test/', '--clients-grpc', '0', ...common]);
  assert.equal(alone.code, 2, alone.stderr);
  assert.match(alone.stderr, /--clients-grpc: lease clients are not enabled; add --clients only or --clients beside/);
});
