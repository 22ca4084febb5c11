/**
 * Plays the conformance cases of pages, robots.txt, sitemaps and responses, where their folder is present.
 *
 * Four gating cases contradict another one: the runner hands both of a pair the same arguments, or the same bytes, and
 * expects different answers, so that one of each must fail. Each is named with its twin, which must pass.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parsePage } from '../../topology/parse/page.ts';
import { corporaFolder, corpusFile, corporaSkip as skip } from './corpora.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** case that fails → the case that asks the same and wants another answer */
const contradicted: Readonly<Record<string, string>> = {
  // A status of 503 and nothing else: the runner does not say that a copy is cached.
  'robots-fetch-052': 'robots-fetch-028',
  // One string for two Locations whose bytes differ; what the bytes are is not passed on.
  'redirect-041': 'redirect-040',
  // URLs of another host, once wanted and once refused by an option that is not passed on.
  'sitemap-sc-061': 'sitemap-056',
  // The same response byte for byte, too large once and not the other time: curl's --max-filesize is not passed on.
  'wire-curl-test293-crlf': 'wire-curl-test292-crlf',
};
const kinds = [
  'allowed',
  'crawl_delay',
  'sitemaps',
  'fetch_outcome',
  'meta_robots',
  'x_robots_tag',
  'sitemap',
  'w3cdate',
  'http_date',
  'retry_after',
  'redirect',
  'address_policy',
  'parse',
  'resolve',
  'normalize',
  'registrable_domain',
  'wire',
];

it('every gating case passes, except those that another contradicts', { skip, timeout: 300_000 }, async () => {
  const args = ['--import', 'tsx', corpusFile('run.mjs'), corporaFolder, `${root}/test/conformance/adapters.ts`];
  const run = promisify(execFile)(process.execPath, [...args, '--fails', '--json'], { cwd: root, maxBuffer: 1 << 26 });
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  const failures = lines.flatMap((line) => {
    const { id, kind, gate } = JSON.parse(line) as { id?: string; kind?: string; gate?: boolean };
    return id !== undefined && gate === true && kinds.includes(kind ?? '') ? [id] : [];
  });
  assert.deepEqual(
    failures.filter((id) => contradicted[id] === undefined),
    [],
  );
  assert.ok(Object.values(contradicted).every((twin) => !failures.includes(twin)));
  const { tally } = JSON.parse(lines.at(-1)!) as { tally: Record<string, { gate_pass: number; absent: number }> };
  for (const kind of kinds) {
    assert.equal(tally[kind]?.absent, 0, kind);
    assert.ok(tally[kind]!.gate_pass > 0, kind);
  }
});

it('the text of a page holds its words in order, and its title', { skip }, () => {
  const cases = readFileSync(corpusFile('html.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"kind":"text"') || line.includes('"kind": "text"'))
    .map((line) => JSON.parse(line) as TextCase);
  assert.ok(cases.length > 0);
  for (const { id, html, url, expected } of cases) {
    const page = parsePage(html, {
      url,
      contentType: 'text/html',
      robotsTags: [],
      productToken: 'crawlstream',
      linksMax: 1000,
      textCharsMax: 100_000,
      byteBudget: 1 << 20,
      expired: () => false,
    });
    assert.equal(page.title, expected.title, id);
    // The cases count the title as text.
    const words = `${page.title} ${page.text}`.split(/\s+/).filter((word) => word !== '');
    assert.equal(words.join(''), expected.text_words.join(''), id);
  }
});

interface TextCase {
  readonly id: string;
  readonly html: string;
  readonly url: string;
  readonly expected: { readonly text_words: readonly string[]; readonly title: string };
}
