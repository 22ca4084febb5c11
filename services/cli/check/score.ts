/** `crawlstream check score`: the score of a URL, factor by factor, and its front queue. */
import { dirname } from 'node:path';
import type { Command } from 'commander';
import { Option } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { kindOf } from '../../../topology/frontier/decide/links/score-inputs.ts';
import { patternCompilerOf } from '../../../topology/policy/policy-patterns.ts';
import {
  type LinkSource,
  linkSources,
  type PageKind,
  type ScoreInputs,
} from '../../../topology/policy/score/inputs.ts';
import { compileListedDomains } from '../../../topology/policy/score/listed-domains.ts';
import { compileScorer, factorScores, frontQueueOfScore, groupScores } from '../../../topology/policy/score/score.ts';
import { defaultScore, type WeightedScore } from '../../../topology/policy/score/score-config.ts';
import { scoreLines } from '../../hosting/inspect/score-text.ts';
import { normalUrl } from '../../hosting/options/url-argument.ts';
import { bad } from '../../runtime/option-text.ts';
import { createListFiles } from '../../runtime/policy/list-files.ts';
import { rows } from '../../runtime/rows-text.ts';
import { oneOf, wholeNumber } from '../flags/arguments.ts';
import { policyInFile } from '../policy/policy-file.ts';
import { print } from '../terminal/print.ts';

interface ScoreFlags {
  readonly depth: number;
  readonly linkingDomains?: number;
  readonly trafficRank?: number;
  readonly pagesGood?: number;
  readonly pagesFetched?: number;
  readonly inLinks?: number;
  readonly type?: PageKind;
  readonly source: LinkSource;
  readonly ageDays?: number;
  readonly changesPerDay?: number;
  readonly changedShare?: number;
  readonly policy?: string;
  readonly json?: boolean;
}

const dayMs = 86_400_000;
const kinds = ['html', 'feed', 'text', 'document', 'other'] as const;

export function addCheckScore(check: Command): void {
  check
    .command('score')
    .description('print the score of a URL by factor, and its front queue')
    .argument('<url>', 'a URL in any spelling')
    .option('--depth <n>', 'number of links between a seed and the URL', wholeNumber('--depth'), 0)
    .option('--linking-domains <n>', 'domains that link to the host', wholeNumber('--linking-domains'))
    .option('--traffic-rank <n>', 'traffic rank of the site', wholeNumber('--traffic-rank', 1))
    .option('--pages-good <n>', 'requests to the host that returned a page', wholeNumber('--pages-good'))
    .option('--pages-fetched <n>', 'requests to the host in total, for --pages-good', wholeNumber('--pages-fetched', 1))
    .option('--in-links <n>', 'links to the page', wholeNumber('--in-links'))
    .option('--type <kind>', `kind of content: ${kinds.join(', ')} (default: by the extension)`, oneOf('--type', kinds))
    .addOption(
      new Option('--source <source>', `source of the link: ${linkSources.join(', ')}`)
        .argParser(oneOf('--source', linkSources))
        .default('link'),
    )
    .option('--age-days <n>', 'days since the last fetch of the page', number('--age-days'))
    .option('--changes-per-day <n>', 'changes of the page per day', number('--changes-per-day'))
    .option(
      '--changed-share <n>',
      'share of the page’s fetches that found a change, 0 to 1',
      number('--changed-share', 1),
    )
    .option('--policy <file>', 'score by the policy in this file')
    .option('--json', 'print one line of JSON')
    .action(checkScore);
}

function number(option: string, most = Number.MAX_SAFE_INTEGER): (value: string) => number {
  return (value) => {
    const parsed = Number(value);
    if (!/^\d+(?:\.\d+)?$/.test(value) || parsed > most)
      throw bad(option, value, most === 1 ? 'give a number from 0 to 1' : 'give a number of at least 0');
    return parsed;
  };
}

async function checkScore(given: string, flags: ScoreFlags): Promise<void> {
  const policy = flags.policy === undefined ? null : await policyInFile('--policy', flags.policy);
  const config = policy?.score ?? defaultScore;
  if (config.kind === 'opic') {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      '--policy scores by OPIC cash, which exists only inside a crawl: run `crawlstream explain URL` with --data',
    );
  }
  const url = normalUrl(given);
  const inputs = await withLists(config, flags, url, inputsOf(url, flags));
  const compile = policy === null ? undefined : patternCompilerOf(policy);
  const score = compileScorer(config, compile)(url, inputs);
  const factors = factorScores(config, url, inputs, compile);
  const frontQueue = frontQueueOfScore(score);
  const shownGroups = groupScores(config, factors);
  const text = [
    rows([
      ['url', url],
      ['score', score.toFixed(3)],
      ['front queue', `${frontQueue} of 0 (first) to 7`],
    ]),
    ...scoreLines(shownGroups, factors),
  ].join('\n');
  print({ json: { url, score, frontQueue, groups: shownGroups, factors }, text }, flags.json);
}

async function withLists(config: WeightedScore, { policy = '' }: ScoreFlags, url: string, inputs: ScoreInputs) {
  const lists = config.lists ?? [];
  const listed = compileListedDomains(lists, await createListFiles().load(lists, dirname(policy)));
  return listed === null ? inputs : { ...inputs, domain: listed(url, inputs.domain) };
}

function inputsOf(url: string, flags: ScoreFlags): ScoreInputs {
  return {
    domain: {
      listedAuthority: null,
      listedQuality: null,
      linkingDomains: flags.linkingDomains ?? null,
      trafficRank: flags.trafficRank ?? null,
      pagesGood: flags.pagesGood ?? null,
      pagesFetched: flags.pagesFetched ?? null,
    },
    page: {
      cash: null,
      inLinks: flags.inLinks ?? null,
      depth: flags.depth,
      type: flags.type ?? kindOf(url),
      source: flags.source,
    },
    freshness: {
      ageMs: flags.ageDays === undefined ? null : flags.ageDays * dayMs,
      changesPerDay: flags.changesPerDay ?? null,
      changedShare: flags.changedShare ?? null,
    },
  };
}
