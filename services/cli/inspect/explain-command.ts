/**
 * `crawlstream explain`: explains step by step what a crawl decides about a URL. It calls the same functions as the
 * frontier, and reads the rest from the crawl's log, while the crawl runs or later.
 */
import type { Command } from 'commander';
import { withCrawl } from '../../hosting/connect/open-crawl.ts';
import { explainTyped } from '../../hosting/inspect/explain.ts';
import { explainText } from '../../hosting/inspect/explain-text.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { addCrawlOptions } from '../flags/kafka-flags.ts';
import { print } from '../terminal/print.ts';

interface ExplainFlags extends KafkaFlags {
  readonly json?: boolean;
}

export function addExplainCommand(program: Command): void {
  addCrawlOptions(program.command('explain <url>'))
    .description('show how the crawl treats a URL: normal form, filters, priority, state, outcomes')
    .option('--json', 'print one line of JSON')
    .action((given: string, flags: ExplainFlags) =>
      withCrawl(flags, async (crawl) => {
        const explained = await explainTyped(crawl, flags, given);
        print({ json: explained, text: explainText(explained) }, flags.json);
      }),
    );
}
