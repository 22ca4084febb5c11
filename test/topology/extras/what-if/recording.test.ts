/** What a recording tells of the web. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  blankControl,
  blankHostFacts,
  blankLink,
  blankLinkGroup,
  blankOutcome,
  blankRequest,
  blankResult,
} from '../../../../schemas/blank.ts';
import type { Control, HostFacts, LinkGroup, Outcome, Request } from '../../../../schemas/types.ts';
import { Recording } from '../../../../topology/extras/what-if/recording.ts';

const outcome = (index: number, own: Partial<Outcome> = {}): Outcome => ({
  ...{ ...blankOutcome, index, url: `https://a.test/${index}`, kind: 'fetched', status: 200 },
  ...own,
});
const request = (outcomeIndex: number, startMs: number, endMs: number): Request => ({
  ...{ ...blankRequest, kind: 'page', outcomeIndex, startMs, endMs },
});
const group = (sourceUrl: string, ...urls: readonly string[]): LinkGroup => ({
  ...{ ...blankLinkGroup, hostKey: 'b.test', sourceUrl },
  links: urls.map((url) => ({ ...blankLink, url })),
});

function recorded(outcomes: readonly Outcome[], requests: readonly Request[] = [], host: Partial<HostFacts> = {}) {
  const recording = new Recording();
  const facts = { ...blankHostFacts, ...host };
  recording.result({
    ...blankResult,
    hostKey: 'a.test',
    outcomes: [...outcomes],
    requests: [...requests],
    host: facts,
  });
  return recording;
}

describe('a recording', () => {
  it('a recording has each URL’s responses and their durations: the last of its requests, at least a millisecond', () => {
    const requests = [request(1, 0, 90), request(0, 100, 250), request(1, 300, 340), request(2, 400, 400)];
    const recording = recorded([outcome(0), outcome(1), outcome(2), outcome(3, { kind: 'robotsDenied' })], requests);
    recording.result({ ...blankResult, outcomes: [outcome(0, { status: 404 })] });
    assert.deepEqual(
      [...recording.answers].map(([url, answers]) => [url, answers.map((one) => [one.outcome.status, one.tookMs])]),
      [
        [
          'https://a.test/0',
          [
            [200, 150],
            [404, 0],
          ],
        ],
        ['https://a.test/1', [[200, 40]]],
        ['https://a.test/2', [[200, 1]]],
        ['https://a.test/3', [[200, 0]]],
      ],
    );
    assert.equal(recording.outcomes, 5);
  });

  it('a recording has no response of a URL that was not requested', () => {
    const kinds = ['returned', 'unknown', 'crawlDelayTooLong'] as const;
    const recording = recorded(kinds.map((kind, index) => outcome(index, { kind })));
    assert.deepEqual([recording.answers.size, recording.outcomes], [0, 3]);
  });

  it('a recording has the newest meaningful facts of a host', () => {
    const recording = recorded([], [], { robotsStatus: 'rules', crawlDelayMs: 5 });
    recording.result({ ...blankResult, hostKey: 'a.test' });
    assert.equal(recording.hosts.get('a.test')?.crawlDelayMs, 5);
    recording.result({
      ...blankResult,
      hostKey: 'a.test',
      host: { ...blankHostFacts, robotsStatus: 'rules', crawlDelayMs: 6 },
    });
    assert.equal(recording.hosts.get('a.test')?.crawlDelayMs, 6);
  });

  it('a recording keeps links with their page, and external links with their time', () => {
    const recording = recorded([outcome(0)]);
    const [ours, more] = [group('https://a.test/0', 'https://b.test/1'), group('https://a.test/0', 'https://b.test/2')];
    const [seeds, sitemap] = [
      group('', 'https://b.test/1', 'https://b.test/3'),
      group('https://a.test/map.xml', 'https://b.test/4'),
    ];
    recording.found({ groups: [ours, seeds] }, 1, 500);
    recording.found({ groups: [sitemap] }, 2, 400);
    recording.found({ groups: [more] }, 1, 300);
    assert.deepEqual([...recording.links], [['https://a.test/0', [ours, more]]]);
    assert.deepEqual(recording.arrivalsFrom(0), [
      { atMs: 400, partition: 2, topic: 'discovered', record: { groups: [sitemap] } },
      { atMs: 500, partition: 1, topic: 'discovered', record: { groups: [seeds] } },
    ]);
    assert.deepEqual(
      recording.arrivalsFrom(500).map(({ atMs }) => atMs),
      [500],
    );
    assert.deepEqual(recording.arrivalsFrom(501), []);
    assert.equal(recording.discovered, 5);
    assert.equal(recording.mass.get('https://b.test/1'), 2);
    assert.equal(recording.mass.get('https://b.test/4'), 1);
  });

  it('a recording has operators’ events, and not those between frontiers', () => {
    const recording = new Recording();
    const kinds = ['policy', 'quota', 'quotaReport', 'pauseHost', 'manifest', 'blockHost'] as const;
    for (const [n, kind] of kinds.entries()) recording.control({ ...blankControl, kind } as Control, n, 10);
    assert.deepEqual(
      recording.arrivalsFrom(0).map(({ partition, record }) => [partition, (record as Control).kind]),
      [
        [0, 'policy'],
        [5, 'blockHost'],
      ],
    );
  });
});
