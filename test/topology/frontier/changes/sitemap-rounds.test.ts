import assert from 'node:assert/strict';
import { it } from 'node:test';
import { neverDue, type SitemapRound, SitemapRounds } from '../../../../topology/frontier/changes/sitemap-rounds.ts';
import { ByteReader, ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';

const round = (dueS: number, more: Partial<SitemapRound> = {}): SitemapRound => ({
  dueS,
  sinceS: 5,
  tries: 0,
  secure: true,
  ...more,
});

it('a host’s sitemaps are due at a time in milliseconds, or never', () => {
  const rounds = new SitemapRounds();
  assert.equal(rounds.dueAtMs(3), undefined);
  rounds.put(3, round(1_700_000_000));
  rounds.put(4, round(neverDue));
  assert.equal(rounds.dueAtMs(3), 1_700_000_000_000);
  assert.equal(rounds.dueAtMs(4), undefined);
  assert.equal(rounds.dueAtMs(5), undefined);
  assert.equal(rounds.size, 2);
});

it('rounds are read back as they were written, with pending ones', () => {
  const rounds = new SitemapRounds();
  rounds.put(3, round(1_700_000_000, { tries: 2, secure: false }));
  rounds.put(4, round(neverDue));
  rounds.put(9, round(7));
  rounds.put(9, round(0, { sinceS: 0 }));
  const writer = new ByteWriter();
  rounds.write(writer);
  const again = new SitemapRounds();
  again.read(new ByteReader(writer.take()));
  assert.deepEqual([...again.entries()], [...rounds.entries()]);
  assert.equal(again.pending, rounds.pending);
});
