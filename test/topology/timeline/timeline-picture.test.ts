import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TimelineEvent } from '../../../topology/timeline/timeline-event.ts';
import { timelinePicture } from '../../../topology/timeline/timeline-picture.ts';
import { sinceText, timelineText } from '../../../topology/timeline/timeline-text.ts';

function event(kind: TimelineEvent['kind'], atMs: number, text: string, details = {}): TimelineEvent {
  return { kind, topic: 'frontier-changelog', partition: 0, offset: atMs, atMs, policyVersion: 1, text, details };
}

describe('the picture of a history', () => {
  it('the picture of a history shows texts of pages and URLs as text, never as markup', () => {
    const evil = '</text><script>alert(1)</script>"\u0000\u001b[2J\ud800';
    const svg = timelinePicture(`http://a.test/${evil}`, [event('page', 0, evil)]);
    for (const char of ['<script', '\u0000', '\u001b', '\ud800']) assert.ok(!svg.includes(char), JSON.stringify(char));
    assert.match(svg, /&lt;script&gt;/);
  });

  it('the picture of a history draws a lease as a bar to its end, however far apart its events are', () => {
    const lease = { leaseId: 7 };
    const svg = timelinePicture('http://a.test/', [
      event('leased', 0, 'on lease', lease),
      event('again', 5_000, 'of another', { leaseId: 8 }),
      event('ended', 90 * 86_400_000, 'done', lease),
    ]);
    const [, from, width] = svg.match(/<rect x="(\d+)" y="\d+" width="(\d+)"/)!;
    const dots = [...svg.matchAll(/<circle cx="(\d+)"/g)].map(([, x]) => Number(x));
    assert.deepEqual([Number(from), Number(from) + Number(width)], [dots[0], dots[2]]);
    assert.ok(dots[2]! < 1_000, 'three months fit a screen');
  });

  it('the picture of a history without events is empty', () => {
    assert.match(timelinePicture('http://a.test/', []), /<\/svg>/);
  });
});

describe('the text of a history', () => {
  it('the text of a history has a line per event, whatever characters its words hold', () => {
    const text = timelineText([event('page', 1_000, 'a\nb\u001b[31m\u202e'), event('ended', 2_500, 'done')]);
    assert.deepEqual(text.split('\n').length, 2);
    for (const char of ['\u001b', '\u202e']) assert.ok(!text.includes(char), JSON.stringify(char));
    assert.match(text, /\+1\.50 s {2}done/);
  });

  it('the text of a history gives times in the two largest units', () => {
    const cases = [0, 999, 1_500, 125_000, 11_040_000, 1_062_000_000];
    const said = ['+0 ms', '+999 ms', '+1.50 s', '+2 min 5 s', '+3 h 4 min', '+12 d 7 h'];
    assert.deepEqual(cases.map(sinceText), said);
  });
});
