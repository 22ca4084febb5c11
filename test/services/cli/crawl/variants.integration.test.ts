/**
 * Sites of twenty pages whose links have a new value each time, so that their URLs never end: the crawl has each page
 * once or a few times, and ends. Sites whose pages differ by such values are crawled whole.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const pages = 20;
/** Text of a hundred words, different for each number. */
function textOf(number: number): string {
  return Array.from(
    { length: 100 },
    (_, at) => `w${createHash('md5').update(`${number}.${at}`).digest('hex').slice(0, 4)}`,
  ).join(' ');
}

let drawn = 0;
/** Hexadecimal digits that never come twice. */
const token = (length = 16) => createHash('sha256').update(`${drawn++}`).digest('hex').slice(0, length);

interface Site {
  readonly linkTo: (page: number) => string;
  /** More of a page's text. */
  readonly more?: (url: string) => string;
}

/** Serves a site; counts its pages' requests. */
async function serve({ linkTo, more = () => '' }: Site) {
  let asked = 0;
  const server = createServer(({ url = '' }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    asked += 1;
    const page = Number(/p(\d+)/.exec(url)?.[1] ?? 0);
    const links = Array.from({ length: pages }, (_, to) => `<li><a href="${linkTo(to)}">page ${to}</a>`);
    response.setHeader('content-type', 'text/html');
    response.end(`<title>page ${page}</title><p>${textOf(page)}</p>${more(url)}<ul>${links.join('')}</ul>`);
  });
  after(() => server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { seed: `http://127.0.0.1:${(server.address() as AddressInfo).port}/p0`, asked: () => asked };
}

const crawl = async (seed: string, data: string, ...more: readonly string[]) =>
  runCommand(
    ['crawl', seed, '--data', data, '--allow-private', '--delay', '0', '--address-delay', '0', ...more].filter(Boolean),
    { env: { CRAWLSTREAM_CONTACT: 'crawler@example.org' } },
  );

async function titlesIn(data: string): Promise<Set<unknown>> {
  const { stdout } = await runCommand(['pages', '--data', data]);
  return new Set(
    stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { title: unknown }).title),
  );
}

/** Requests that a site without end may cost. */
const requestsMax = 500;

const endless: Readonly<Record<string, Site>> = {
  'a session in a parameter of an unknown name': { linkTo: (page) => `/p${page}?zz=${token()}` },
  'a session in the path': { linkTo: (page) => `/s/${token()}/p${page}` },
  'two sessions, one before the name of the page': { linkTo: (page) => `/${token()}/p${page}/${token()}` },
  'a path parameter': { linkTo: (page) => `/p${page};x=${token()}` },
  'a counter': { linkTo: (page) => `/p${page}?n=${drawn++}` },
  'texts that show their session and the visitor’s number': {
    linkTo: (page) => `/p${page}?zz=${token()}`,
    more: (url) => `<p>Your session: ${url}. You are visitor ${drawn++}.</p>`,
  },
};

describe('a site of twenty pages with a new value in each link', () => {
  for (const [name, site] of Object.entries(endless))
    it(`a site whose links have ${name} is crawled to its end, each page once or a few times`, async () => {
      const { seed, asked } = await serve(site);
      const data = temporaryFolder();
      const { code, stdout } = await crawl(seed, data, '--max-pages', '3000');
      assert.equal(code, 0, stdout);
      assert.ok(asked() <= requestsMax, `${asked()} requests`);
      assert.equal((await titlesIn(data)).size, pages);
      assert.match(stdout, /\(sameContent: \d+ pages were the same under another value\)/);
    });

  it('the crawl says which URL a variant counts as, and goes on with variants once the trap is released', async () => {
    const { seed, asked } = await serve(endless['a session in a parameter of an unknown name']!);
    const data = temporaryFolder();
    const { stdout } = await crawl(seed, data, '--max-pages', '3000');
    const [, host, pattern] = /release (\S+) '([^']+)'/.exec(stdout) ?? [];
    assert.match(pattern!, /^\{zz\}=[0-9a-f]{16}$/);
    const at = new URL(seed).origin;
    const value = pattern!.split('=')[1];
    const explained = await runCommand(['explain', `${at}/p7?zz=0123456789abcdef`, '--data', data]);
    assert.match(explained.stdout, new RegExp(`counts as ${at}/p7\\?zz=${value}, by trap`));
    const dropped = lastJson(await runCommand(['links', '--dropped', '--data', data, '--json']));
    const waitsAt = /"(http:[^"]+zz=[^"]+)"/.exec(JSON.stringify(dropped))![1]!;
    const waiting = await runCommand(['explain', waitsAt, '--data', data]);
    assert.match(waiting.stdout, /held by the trap \{zz\}=/);

    const before = asked();
    const released = await runCommand(['release', host!, pattern!, '--data', data]);
    assert.equal(released.code, 0, released.stderr);
    await crawl('', data, '--max-pages', `${before + 300}`);
    assert.ok(asked() >= before + 200, `${asked() - before} requests after the release`);
  });
});

describe('a site whose pages differ by such a value', () => {
  it('a site with ids and page numbers in its URLs is crawled whole, and no trap is noticed', async () => {
    const ids = Array.from({ length: 8 }, (_, n) => createHash('md5').update(`id ${n}`).digest('hex').slice(0, 16));
    const linkTo = (to: number, at: string) => `/p${to}?id=${at}`;
    const { seed, asked } = await serve({
      linkTo: (to) => linkTo(to, ids[Number.parseInt(token(8), 16) % ids.length]!),
      more: (url) => `<p>${textOf(1_000 + ids.indexOf(new URL(url, 'http://a').searchParams.get('id') ?? ''))}</p>`,
    });
    const data = temporaryFolder();
    const { stdout } = await crawl(seed, data);
    assert.doesNotMatch(stdout, /sameContent/);
    assert.ok(asked() > 100, `${asked()}`);
  });
});
