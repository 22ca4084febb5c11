/** The table of answers over every way: its size, its page, and a slice of `npm run ways` by the built command. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { compareWithCurl, isForCurl } from '../../../lab/ways/compare-curl.ts';
import { waysPage } from '../../../lab/ways/page.ts';
import { runWays } from '../../../lab/ways/run.ts';
import { besideCurl } from '../../../lab/ways/situations/beside-curl.ts';
import { situations } from '../../../lab/ways/situations/table.ts';
import { columns, fits, isIn, ways } from '../../../lab/ways/ways.ts';
import { root } from '../../run/files.ts';

const program = join(root, 'dist/bundle/crawlstream.js');
const quick = situations.filter(({ isSlow, crawl }) => isSlow === undefined && crawl === undefined);
/** A third of them over each way of four. */
const slice = quick.filter((_, n) => n % 3 === 0);
const labels = ['h1-http-pooled', 'h1-connect-fresh', 'h2-pooled', 'h2-socks5-fresh'];

describe('the table of answers over every way', { timeout: 300_000 }, () => {
  it('the table has at least 150 situations over each of ten ways, and the documentation shows it', () => {
    assert.equal(ways.length, 10);
    for (const way of ways) {
      const shown = situations.filter((one) => columns.some((column) => column.way === way && isIn(one, column)));
      assert.ok(shown.length >= 150, `${way.label}: ${shown.length} situations`);
    }
    assert.equal(readFileSync(join(root, 'docs/fetch-ways.md'), 'utf8'), waysPage());
  });

  it('each situation has a name of its own, and each difference a reason and a way', () => {
    const names = situations.map(({ group, name }) => `${group}: ${name}`);
    assert.deepEqual(
      names.filter((name, n) => names.indexOf(name) !== n),
      [],
    );
    for (const { name, differs = [], only } of situations)
      for (const { where, reason } of [...differs, ...(only === undefined ? [] : [only])]) {
        assert.match(reason, /RFC \d|KNOWN GAP/, name);
        assert.ok(
          columns.some((column) => fits(where, column)),
          name,
        );
      }
  });

  it('a third of the quick situations ends as the table says, over four of the ways', async () => {
    const four = columns.filter(({ domain }) => labels.includes(domain.replace('.test', '')));
    assert.equal(four.length, labels.length);
    const { cases, mismatches } = await runWays({ situations: slice, columns: four, port: 21_300, program });
    assert.ok(cases > 250, `${cases} cases`);
    assert.deepEqual(mismatches, []);
  });

  it('each difference of curl is of situations in the table, has a reason, and stands in the documentation', () => {
    const names = new Set(situations.filter(isForCurl).map(({ group, name }) => `${group}: ${name}`));
    const page = waysPage();
    for (const { of, where = {}, reason } of besideCurl) {
      assert.match(reason, /RFC \d|--/);
      for (const name of of) {
        assert.ok(names.has(name), name);
        assert.ok(page.includes(`| ${name.replace(': ', ' | ')}`), name);
      }
      assert.ok(columns.some((column) => column.isFresh && fits(where, column)));
    }
  });

  it('curl takes a third of the quick situations as the table says, over three of the ways', {
    skip: !/HTTP2/.test(spawnSync('curl', ['--version'], { encoding: 'utf8' }).stdout ?? ''),
  }, async () => {
    const three = columns.filter(
      ({ way, isFresh }) => isFresh && ['h1', 'h1-socks5', 'h2-connect'].includes(way.label),
    );
    // Versions of curl differ in what they take of these.
    const same = slice.filter(({ group }) => group !== 'HTTP/2' && group !== 'coding');
    const { cases, mismatches } = await compareWithCurl(same, three, 21_380);
    assert.ok(cases > 100, `${cases} cases`);
    assert.deepEqual(mismatches, []);
  });

  it('a crawler that fetches nothing differs everywhere', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'no-crawler-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const none = join(folder, 'none.cjs');
    writeFileSync(none, '');
    const few = quick.filter(({ group }) => group === 'coding');
    const one = columns.slice(0, 1);
    const { cases, mismatches } = await runWays({ situations: few, columns: one, port: 21_340, program: none });
    assert.equal(mismatches.length, cases);
  });
});
