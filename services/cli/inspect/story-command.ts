/** `crawlstream story`: everything that happened to a URL, from every topic, as text, JSON lines and a picture. */

import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { compilePolicy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { plainEvent } from '../../../topology/timeline/timeline-event.ts';
import { timelinePicture } from '../../../topology/timeline/timeline-picture.ts';
import { sinceText, timelineText } from '../../../topology/timeline/timeline-text.ts';
import { dashboardLimits } from '../../dashboard/limits.ts';
import type { TimelineStatus } from '../../dashboard/status.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { writeNamedFile } from '../../runtime/disk/named-file.ts';
import { readTimeline, type Timeline } from '../../runtime/timeline/read-timeline.ts';
import { type ReadableCrawl, withCrawl } from '../connect/open-crawl.ts';
import { listsOfCrawl } from '../connect/policy-lists.ts';
import type { KafkaFlags } from '../flags/kafka-flags.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { toStdout } from '../terminal/door.ts';
import { rows } from '../terminal/print.ts';
import { noPolicy } from './no-policy.ts';
import { byEitherScheme } from './typed-scheme.ts';

interface TimelineFlags extends KafkaFlags {
  readonly json?: boolean;
  readonly svg?: string;
}

export function addStoryCommand(program: Command): void {
  addCrawlOptions(program.command('story <url>'))
    .description('print the history of a URL: links, queues, leases, requests, outcomes, duplicates')
    .option('--json', 'print one JSON object per event')
    .option('--svg <file>', 'also draw a timeline into this SVG file')
    .action((given: string, flags: TimelineFlags) =>
      withCrawl(flags, async (crawl) => {
        const timeline = await timelineTyped(crawl, flags, given);
        if (flags.svg !== undefined) await writeNamedFile(flags.svg, timelinePicture(timeline.url, timeline.events));
        if (flags.json) for (const event of timeline.events) toStdout(`${JSON.stringify(plainEvent(event))}\n`);
        else toStdout(`${textOf(timeline)}\n`);
      }),
    );
}

/** For the dashboard. */
export function timelineReader(crawl: TracedCrawl, flags: Pick<KafkaFlags, 'brokers' | 'data'>) {
  return async (given: string): Promise<TimelineStatus> => {
    const { url, events: all, changelogStart } = await timelineTyped(crawl, flags, given);
    const events = all.slice(-dashboardLimits.timelineEvents);
    const firstMs = all[0]?.atMs ?? 0;
    const output = events.map((event) => {
      const { time, text, topic, partition, offset, policyVersion } = plainEvent(event);
      return { time, since: sinceText(event.atMs - firstMs), text, topic, partition, offset, policyVersion };
    });
    const picture = timelinePicture(url, events);
    return { url, events: output, all: all.length, picture, trimmed: changelogStart > 0 };
  };
}

/** The parts of a crawl that it reads. */
type TracedCrawl = Pick<ReadableCrawl, 'codec' | 'log' | 'topics'>;

function timelineTyped(
  crawl: TracedCrawl,
  flags: Pick<KafkaFlags, 'brokers' | 'data'>,
  given: string,
): Promise<Timeline> {
  return byEitherScheme(given, (url) => timelineOf(crawl, flags, url), isAbout);
}

async function timelineOf(
  { log, codec, topics }: TracedCrawl,
  flags: Pick<KafkaFlags, 'brokers' | 'data'>,
  given: string,
): Promise<Timeline> {
  const { policy: text } = await readControl(log, codec, topics.crawl);
  if (text === null) throw noPolicy();
  const config = parsePolicy(text.json);
  const lists = await listsOfCrawl(config, flags);
  const policy = compilePolicy(config, lists);
  const url = policy.normalize(given);
  if (url === null) {
    const message = `${given} cannot be crawled: crawlstream check url shows why`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  return readTimeline({ log, codec, topics, lists }, url, policy);
}

/** True if there are other events than those of operators about its host. */
function isAbout({ events }: Pick<Timeline, 'events'>): boolean {
  return events.some(({ kind }) => kind !== 'control');
}

function textOf({ url, hostKey, partition, events, changelogStart, asOfMs }: Timeline): string {
  const [first] = events;
  const head = rows([
    ['URL', url],
    ['host', `${hostKey}, partition ${partition}`],
    ['begins', first === undefined ? null : new Date(first.atMs).toISOString()],
    ['as of', asOfMs === 0 ? null : new Date(asOfMs).toISOString()],
    ['missing', changelogStart > 0 ? `changelog records before offset ${changelogStart} were trimmed` : null],
  ]);
  if (!isAbout({ events })) return `${head}\n\nThe crawl has no record of this URL: no link to it was found.`;
  return `${head}\n\n${timelineText(events)}`;
}
