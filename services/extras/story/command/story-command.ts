/** `crawlstream story`: everything that happened to a URL, from every topic, as text, JSON lines and a picture. */
import type { Command } from 'commander';
import { plainEvent } from '../../../../topology/timeline/timeline-event.ts';
import { timelinePicture } from '../../../../topology/timeline/timeline-picture.ts';
import { timelineText } from '../../../../topology/timeline/timeline-text.ts';
import { addCrawlOptions } from '../../../cli/flags/kafka-flags.ts';
import { withCrawl } from '../../../hosting/connect/open-crawl.ts';
import { isAbout, timelineTyped } from '../../../hosting/inspect/url-history.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { writeNamedFile } from '../../../runtime/disk/named-file.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { rows } from '../../../runtime/rows-text.ts';
import type { Timeline } from '../../../runtime/timeline/read-timeline.ts';

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
