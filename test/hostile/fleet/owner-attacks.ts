/**
 * What a hostile owner of a fleet does with its key. Each attack goes on until its signal. Calls that a fleet should have refused,
 * or answers that hold something of another owner, are reported.
 */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { deep, policyAtBound } from './large-policies.ts';

export interface Attacker {
  readonly base: string;
  /** Of this owner. */
  readonly name: string;
  readonly key: string;
  /** Port of the hostile sites. */
  readonly sitePort: number;
  /** Crawls of others. */
  readonly others: readonly string[];
  readonly signal: AbortSignal;
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly text: string }>;
  /** Something that no owner may get. */
  report(what: string): void;
}

type Attack = (by: Attacker) => Promise<void>;

const siteOf = (by: Attacker, kind: string, n = 0) => `http://${kind}-${n}.evil.test:${by.sitePort}/`;

/** Calls again and again. */
async function again(by: Attacker, everyMs: number, act: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; !by.signal.aborted; n++) {
    await act(n).catch(() => {});
    await sleep(everyMs, undefined, { signal: by.signal }).catch(() => {});
  }
}

/** A crawl of some hosts of a kind, as wide as it goes, made again if it ends. */
function crawls(kind: string, more: Record<string, unknown> = {}, hosts = 40): Attack {
  return (by) =>
    again(by, 5_000, async (n) => {
      const seeds = Array.from({ length: hosts }, (_, at) => siteOf(by, kind, at + n * hosts));
      await by.call('POST', '/v1/crawls', {
        seeds,
        ...more,
        policy: { scope: { kind: 'all' }, ...(more['policy'] as object) },
      });
    });
}

/** A request in bytes; `onSocket` does the rest. */
function raw(by: Attacker, head: string, onSocket: (socket: Socket) => void): Promise<void> {
  const { hostname, port } = new URL(by.base);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(head);
      onSocket(socket);
    });
    socket.on('error', () => {}).once('close', () => resolve());
    by.signal.addEventListener('abort', () => socket.destroy(), { once: true });
  });
}

const headOf = (by: Attacker, line: string) =>
  `${line} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${by.key}\r\n`;

/** Many sockets at once; each begins again when it ends. */
async function sockets(by: Attacker, count: number, one: (n: number) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: count }, (_, at) => again(by, 200, () => one(at))));
}

const operators: readonly object[] = [
  { sink: 'pull' },
  { patterns: 'javascript' },
  { parallel: [{ hosts: ['*'], leases: 16 }] },
  { serverErrorsMax: 1 },
  { queuedMax: 1e9 },
  { overlays: [{ name: 'o', match: { domains: ['test'] }, set: { robotsNotAsked: 'x' } }] },
];

const webhook = (url: string) => ({ url, secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` });

export const ownerAttacks: Readonly<Record<string, Attack>> = {
  operatorsFields: (by) =>
    again(by, 100, async (n) => {
      const policy = operators[n % operators.length]!;
      const { status } = await by.call('POST', '/v1/crawls', { seeds: [siteOf(by, 'fast')], policy });
      if (status < 300) by.report(`made a crawl with the operator's ${JSON.stringify(policy)}`);
    }),
  backtracking: crawls('long', {
    policy: { filters: { include: ['(a+)+$', '(a|aa)+!', 'test'] }, metadata: [{ name: 'm', url: '(a*)*b' }] },
  }),
  hugePolicies: (by) =>
    again(by, 200, async (n) => {
      const policy = [
        { filters: { exclude: Array.from({ length: 200_000 }, (_, at) => `/p${at}/`) } },
        {
          overlays: Array.from({ length: 20_000 }, (_, at) => ({
            name: `${at}`,
            match: { hosts: [`h${at}.a`] },
            set: { maxDepth: 1 },
          })),
        },
        { filters: { exclude: Array.from({ length: 1_000 }, (_, at) => `(${at}{500}){2}`) } },
        { filters: { exclude: deep(100_000) } },
      ][n % 4]!;
      await by.call('POST', '/v1/crawls', { seeds: [siteOf(by, 'fast')], policy });
    }),
  policiesAtTheBound: crawls('long', { policy: policyAtBound() }),
  deadNames: crawls('dead'),
  dearMarkdown: crawls('dear', { output: { markdown: true } }),
  dearBodies: crawls('dear', { weight: 1_000 }),
  pdfs: crawls('pdf'),
  costlyRobots: crawls('robots', {}, 400),
  feedsAndGuesses: crawls('forms'),
  loops: crawls('loops', { policy: { hopsMax: 10 } }),
  slowHeads: crawls('slowhead', { weight: 1_000 }, 2_000),
  slowBodies: crawls('slowbody', { weight: 1_000 }, 2_000),
  everyAttackOfHosts: (by) =>
    again(by, 5_000, async () => {
      const seeds = Array.from({ length: 100 }, (_, n) => `http://www.evil${n}.test:${by.sitePort}/`);
      await by.call('POST', '/v1/crawls', {
        seeds,
        policy: { scope: { kind: 'all' } },
        output: { markdown: true, warc: true },
      });
    }),
  clockLikeRetries: crawls('later', { policy: { delayMs: 1, retriesMs: [1, 1, 1] } }, 300),
  linkFarms: crawls('links', { policy: { urlsPerHostMax: 10_000_000 } }),
  privateLinks: (by) =>
    again(by, 3_000, async () => {
      const { pathname } = new URL(by.base);
      const seeds = [siteOf(by, 'private'), ...privateSeeds(by).map((base) => `${base}v1/crawls${pathname}`)];
      for (const seed of seeds) await by.call('POST', '/v1/scrape', { url: seed, maxAgeSeconds: 0, waitSeconds: 3 });
      await by.call('POST', '/v1/crawls', { seeds, policy: { scope: { kind: 'all' } } });
    }),
  webhooksInward: (by) =>
    again(by, 4_000, async (n) => {
      const urls = [...privateSeeds(by).map((base) => `${base}v1/crawls`), siteOf(by, 'hook'), siteOf(by, 'slowhead')];
      const seeds = [siteOf(by, 'fast', n)];
      await by.call('POST', '/v1/crawls', { seeds, webhook: webhook(urls[n % urls.length]!) });
    }),
  othersNames: (by) =>
    again(by, 20, async (n) => {
      const other = by.others[n % by.others.length]!;
      const paths = [
        '',
        '/pages',
        '/events',
        '/pages.parquet',
        '/archive.warc.gz',
        '/pause',
        '/end',
        '/../x',
        '/pages?cursor=0',
      ];
      const path = `/v1/crawls/${other}${paths[n % paths.length]}`;
      const method = /pause|end$/.test(path) ? 'POST' : n % 50 === 0 ? 'DELETE' : 'GET';
      const { status, text } = await by.call(method, path, method === 'POST' ? {} : undefined);
      if (status < 300 || text.includes('private of ')) by.report(`${method} ${path} answered ${status}`);
      if (n % 10 !== 0) return;
      const name = `page-${n.toString(16).padStart(24, '0')}`;
      const made = await by.call('POST', '/v1/crawls', { seeds: [siteOf(by, 'fast')], name });
      if (made.status < 300) by.report(`took the name ${name}`);
    }),
  unreadAnswers: (by) =>
    Promise.all([
      crawls('fast')(by),
      again(by, 3_000, async () => {
        const { text } = await by.call('GET', '/v1/crawls');
        const { crawls: mine } = JSON.parse(text) as { readonly crawls: readonly { readonly name: string }[] };
        const paths = mine.flatMap(({ name }) => [
          `/v1/crawls/${name}/pages?limit=1000`,
          `/v1/crawls/${name}/pages.parquet`,
        ]);
        await Promise.all(
          Array.from({ length: 60 }, (_, n) =>
            raw(by, `${headOf(by, `GET ${paths[n % paths.length]}`)}\r\n`, (socket) => {
              socket.pause();
              setTimeout(() => socket.destroy(), 20_000).unref();
            }),
          ),
        );
      }),
    ]).then(() => {}),
  eventStreams: (by) =>
    Promise.all([
      crawls('fast')(by),
      sockets(by, 40, async (n) => {
        const { text } = await by.call('GET', '/v1/crawls');
        const { crawls: mine } = JSON.parse(text) as { readonly crawls: readonly { readonly name: string }[] };
        const head = headOf(by, `GET /v1/crawls/${mine[0]?.name ?? 'none'}/events?content=page`);
        await raw(by, `${head}\r\n`, (socket) => {
          if (n % 2 === 0) socket.pause();
          setTimeout(() => socket.destroy(), n % 3 === 0 ? 20 : 10_000).unref();
        });
      }),
    ]).then(() => {}),
  longScrapes: (by) =>
    sockets(by, 60, async (n) => {
      const url = `${siteOf(by, 'slowhead', n)}${Date.now()}`;
      await by.call('POST', '/v1/scrape', { url, maxAgeSeconds: 0, waitSeconds: 50 });
    }),
  scrapeStorm: (by) =>
    sockets(by, 10, async (n) => {
      await by.call('POST', '/v1/scrape', { url: `${siteOf(by, 'fast', n)}${Date.now()}`, waitSeconds: 5 });
    }),
  tinyCrawls: (by) =>
    sockets(by, 4, async (n) => {
      const { status, text } = await by.call('POST', '/v1/crawls', {
        seeds: [siteOf(by, 'fast', n)],
        policy: { pageQuota: 1 },
      });
      if (status < 300) await by.call('DELETE', `/v1/crawls/${(JSON.parse(text) as { readonly name: string }).name}`);
    }),
  manySeeds: (by) =>
    again(by, 1_000, async (n) => {
      const hosts = Array.from(
        { length: n % 2 === 0 ? 100_000 : 10_000 },
        (_, at) => `http://s${at}.fast-${at}.evil.test:${by.sitePort}/${n}`,
      );
      const seeds = n % 4 === 3 ? hosts.slice(0, 400).map((url) => `${url}${'a'.repeat(8_000)}`) : hosts;
      const { status, text } = await by.call('POST', '/v1/crawls', { seeds });
      if (status < 300) await by.call('DELETE', `/v1/crawls/${(JSON.parse(text) as { readonly name: string }).name}`);
    }),
  idempotencyStorm: (by) =>
    sockets(by, 8, async (n) => {
      const idempotencyKey = n === 0 ? `${Math.random()}`.padEnd(200, 'k') : 'the same';
      const { status, text } = await by.call('POST', '/v1/crawls', {
        seeds: [siteOf(by, 'fast')],
        policy: { pageQuota: 1 },
        idempotencyKey,
      });
      if (n === 0 && status < 300)
        await by.call('DELETE', `/v1/crawls/${(JSON.parse(text) as { readonly name: string }).name}`);
    }),
  quotaGame: (by) =>
    again(by, 500, async (n) => {
      const { status, text } = await by.call('POST', '/v1/crawls', {
        seeds: Array.from({ length: 50 }, (_, at) => siteOf(by, 'fast', at + n)),
      });
      await sleep(1_500);
      if (status < 300) await by.call('DELETE', `/v1/crawls/${(JSON.parse(text) as { readonly name: string }).name}`);
    }),
  slowCalls: (by) =>
    sockets(by, 100, async (n) => {
      const head = headOf(by, 'POST /v1/crawls');
      const whole = `${head}content-type: application/json\r\ncontent-length: 4000000\r\n\r\n`;
      await raw(by, n % 2 === 0 ? head : whole, (socket) => {
        const timer = setInterval(() => socket.write(n % 2 === 0 ? 'x-a: b\r\n' : ' '.repeat(50)), 1_000);
        socket.once('close', () => clearInterval(timer));
      });
    }),
  strangers: (by) =>
    sockets(by, 20, async (n) => {
      const paths = [
        '/v1/crawls',
        '/metrics',
        '/dashboard/',
        '/livez',
        '/v1/openapi.json',
        '/readyz',
        '/x'.repeat(4_000),
      ];
      const head = `GET ${paths[n % paths.length]} HTTP/1.1\r\nhost: 127.0.0.1\r\n${n % 3 === 0 ? 'authorization: Bearer x\r\n' : ''}\r\n`;
      await raw(by, head.repeat(n % 2 === 0 ? 200 : 1), (socket) => {
        socket.on('data', (bytes) => {
          if (`${bytes}`.includes('private of ')) by.report(`${paths[n % paths.length]} without a key shows a page`);
        });
        setTimeout(() => socket.destroy(), 1_000).unref();
      });
    }),
};

/** The fleet itself, in the spellings of its address. */
function privateSeeds(by: Attacker): string[] {
  const { port } = new URL(by.base);
  return ['127.0.0.1', 'localhost', '2130706433', '[::ffff:127.0.0.1]', '0'].map((host) => `http://${host}:${port}/`);
}
