import assert from 'node:assert/strict';
import { test } from 'node:test';
import { captureLine, type KnownCapture } from '../../../../topology/frontier/transfer/capture-line.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { compileRecrawl } from '../../../../topology/policy/recrawl/schedule.ts';

const url = 'https://example.org/a/b';
const day = 86_400_000;
const at = Date.UTC(2026, 0, 1);
const capture = (status: number, more: Partial<KnownCapture> = {}): KnownCapture => ({
  ...{ url, atMs: at, status, digest: 'A', etag: '', lastModified: '' },
  ...more,
});
const weekly = compileRecrawl({ ...defaultRecrawl, schedule: 'fixed', intervalMs: 7 * day });
const adaptive = compileRecrawl({ ...defaultRecrawl, schedule: 'adaptive' });

test('a URL has the outcome of its captured response; one with a temporary failure is requested again', () => {
  const endOf = (status: number) => captureLine(url, [capture(status)], null)?.status ?? null;
  const ends = [200, 206, 304, 301, 404, 410, 403, 408, 429, 500, 503, 0].map((status) => [status, endOf(status)]);
  assert.deepEqual(ends, [
    ...[
      [200, 'page'],
      [206, 'page'],
      [304, 'page'],
      [301, 'redirected'],
      [404, 'failed'],
      [410, 'failed'],
    ],
    ...[
      [403, 'failed'],
      [408, null],
      [429, null],
      [500, null],
      [503, null],
      [0, 'known'],
    ],
  ]);
});

test('the time of a capture stands for Last-Modified, unless that is given', () => {
  assert.equal(captureLine(url, [capture(200)], null)?.lastModified, 'Thu, 01 Jan 2026 00:00:00 GMT');
  assert.equal(captureLine(url, [capture(301)], null)?.lastModified, undefined);
  const reported = captureLine(
    url,
    [capture(200, { etag: '"x"', lastModified: 'Wed, 31 Dec 2025 00:00:00 GMT' })],
    null,
  );
  assert.deepEqual([reported?.etag, reported?.lastModified], ['"x"', 'Wed, 31 Dec 2025 00:00:00 GMT']);
});

test('a URL is never due without a schedule; with one, by its last capture', () => {
  assert.equal(captureLine(url, [capture(200)], null)?.visits, undefined);
  const visits = captureLine(url, [capture(200)], weekly)?.visits;
  assert.deepEqual(
    [visits?.dueAtMs, visits?.visitedAtMs, visits?.changedAtMs, visits?.frontQueue],
    [at + 7 * day, at, at, 2],
  );
  assert.equal(captureLine('https://example.org/', [capture(200)], weekly)?.visits?.frontQueue, 0);
  const never = compileRecrawl({ ...defaultRecrawl, schedule: 'fixed', goneMs: null });
  assert.equal(captureLine(url, [capture(404)], never)?.visits, undefined);
});

test('several captures are visits: their digests reveal changes, and move the next visit', () => {
  const of = (digests: string) =>
    captureLine(
      url,
      [...digests].map((digest, n) => capture(200, { digest, atMs: at + n * day })),
      adaptive,
    )!.visits!;
  const [lively, still] = [of('ABCDE'), of('AAAAA')];
  assert.deepEqual([lively.history.changes, still.history.unchanged], [4, 4]);
  assert.deepEqual([lively.changedAtMs, still.changedAtMs], [at + 4 * day, at]);
  assert.ok(lively.dueAtMs < still.dueAtMs);
  // An error between two captures says nothing of the page.
  const broken = captureLine(
    url,
    [capture(200), capture(503, { atMs: at + day }), capture(200, { atMs: at + 2 * day })],
    adaptive,
  )!;
  assert.deepEqual([broken.visits!.history.unchanged, broken.visits!.history.unchangedS], [1, (2 * day) / 1_000]);
});
