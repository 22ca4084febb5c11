/** What is answered of a game's end: by the state, and by readers of its changelog. */
import type { ModelRig } from '../../../../lab/model/model-rig.ts';
import { FinishedUrls } from '../../../../topology/frontier/ask/finished-urls.ts';
import { HostScan } from '../../../../topology/frontier/ask/list-hosts.ts';
import { answerHost, answerUrl } from '../../../../topology/frontier/ask/queries.ts';
import type { UrlEvent } from '../../../../topology/frontier/ask/url-events.ts';
import { UrlTimeline } from '../../../../topology/frontier/ask/url-timeline.ts';
import { decodeChangelog, readChangelog } from '../../../../topology/frontier/changes/changelog.ts';
import { freshnessNow } from '../../../../topology/frontier/recrawl/freshness-now.ts';
import { compilePolicy, type PolicyConfig } from '../../../../topology/policy/policy.ts';
import { CommitEvents } from '../../../../topology/timeline/commit-events.ts';
import { Discoveries } from '../../../../topology/timeline/discoveries.ts';
import { controlEvents, resultEvents, Subject } from '../../../../topology/timeline/record-events.ts';
import { inOrder, type TimelineEvent, type UnversionedEvent } from '../../../../topology/timeline/timeline-event.ts';
import { timelinePicture } from '../../../../topology/timeline/timeline-picture.ts';
import { timelineText } from '../../../../topology/timeline/timeline-text.ts';
import type { TopicName } from '../../../../topology/topics.ts';
import { hostKeyOf } from '../../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../../topology/url/normalize.ts';
import { hosts } from './rich-game.ts';

/** Of each host. */
const urlsAsked = 2;
/** Those that there were when the answers were kept. */
const sortsAsked = ['queued', 'fetched', 'errors', 'delay', 'ready', 'name'] as const;

export function* answers(rig: ModelRig, nowMs: number): Generator<unknown> {
  const { state } = rig.core;
  for (const sort of sortsAsked) {
    const scans = ['', 'in.test'].map((search) => new HostScan({ search, sort, limit: 3 }));
    yield [sort, ...scans.map((scan) => rig.rows.run(scan.slice(state)))];
  }
  yield freshnessNow([state.recrawl], nowMs);
  for (const host of hosts) {
    const first = rig.rows.run(answerHost(state, host, 3, { frontQueue: 0, seq: 0 }));
    const next = first?.next ? rig.rows.run(answerHost(state, host, 50, first.next)) : null;
    yield { host, first, next };
  }
  for (const url of urlsOf(rig))
    yield {
      url,
      answer: rig.rows.run(answerUrl(state, url)),
      story: timelineOf(rig, url),
      fromSitemap: reportOf(rig, url),
    };
  for (const outcome of [null, 'fetched', 'failed', 'dead'] as const) {
    for (const [hostKey, prefix] of [
      ['', ''],
      ['a.in.test', 'https://a.in.test/p'],
    ] as const) {
      const finished = new FinishedUrls({ hostKey, prefix, outcome });
      for (const [offset, value] of rig.changelog.entries()) finished.take(offset, decodeChangelog(value));
      yield finished.found;
    }
  }
}

/** Of all topics, in words. */
function reportOf(rig: ModelRig, url: string): unknown {
  const hostKey = hostKeyOf(url);
  const normalize = compileNormalizer();
  const subject = new Subject(url, hostKey, normalize);
  const discoveries = new Discoveries(subject);
  const compile = (json: string) => compilePolicy(JSON.parse(json) as PolicyConfig);
  const commits = new CommitEvents(subject, 0, discoveries, (version, json) =>
    version % 7 === 0 ? null : compile(json),
  );
  const place = (topic: TopicName, offset: number) => ({ topic, partition: 0, offset, timestampMs: 1_700_000_000_000 });
  const others: UnversionedEvent[] = [];
  rig.sent('discovered').forEach((record, offset) => {
    others.push(...discoveries.take(record, place('discovered', offset), [hostKey]));
  });
  rig
    .sent('control')
    .forEach((record, offset) => void others.push(...controlEvents(subject, record, place('control', offset))));
  rig
    .sent('results')
    .forEach((record, offset) => void others.push(...resultEvents(subject, record, place('results', offset))));
  const events: TimelineEvent[] = [];
  for (const [offset, value] of rig.changelog.entries()) {
    const record = readChangelog(value);
    if (record.kind !== 'foreign') events.push(...commits.take(offset, record, value.includes(hostKey)));
  }
  const all = [...others.map((event) => commits.versioned(event)), ...events].sort(inOrder);
  return [all, timelineText(all), timelinePicture(url, all)];
}

function urlsOf(rig: ModelRig): string[] {
  const found = new Map<string, Set<string>>(hosts.map((host) => [host, new Set()]));
  for (const { groups } of rig.sent('discovered')) {
    for (const { url } of groups.flatMap(({ links }) => links)) {
      const ofHost = found.get(hostKeyOf(url));
      if (ofHost !== undefined && ofHost.size < urlsAsked) ofHost.add(url);
    }
  }
  return [...found.values()].flatMap((urls) => [...urls]);
}

function timelineOf(rig: ModelRig, url: string) {
  const events: UrlEvent[] = [];
  const timeline = new UrlTimeline(hostKeyOf(url), url, (event) => events.push(event));
  const taken = Array.from(rig.changelog, (value, offset) => timeline.take(offset, decodeChangelog(value)));
  const { place, leasesOut, nowMs, policyVersion, facts, hostSlots } = timeline;
  const { admitted, leased, outcomes } = timeline;
  const held = Array.from({ length: 32 }, (_, number) => [timeline.isHeld(number), timeline.trapOf(number)]);
  return { events, taken, place, leasesOut, nowMs, policyVersion, facts, hostSlots, held, admitted, leased, outcomes };
}
