/**
 * `crawlstream explain`: explains step by step what a crawl decides about a URL. It calls the same functions as the
 * frontier, and reads the rest from the crawl's log, while the crawl runs or later.
 */
import type { Command } from 'commander';
import { askUrl } from '../../hosting/inspect/ask-url.ts';
import { explainedJson, explainTyped } from '../../hosting/inspect/explain.ts';
import { explainText } from '../../hosting/inspect/explain-text.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { withStates } from '../../hosting/state/state-source.ts';
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
      withStates(flags, async (source) => {
        const crawl = { ...source, topics: source.manifest };
        const ask = (url: string) => askUrl(source, url, 'the score leaves out links, domains and cash');
        const explained = await explainTyped(crawl, flags, given, ask);
        print({ json: explainedJson(explained), text: explainText(explained, Date.now()) }, flags.json);
      }),
    );
}
