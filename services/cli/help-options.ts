/**
 * Options in `--help`: in groups where a command has many, and defaults as a person types them. `crawl --help` shows the
 * options that most crawls use and fits two screens; `crawl --help all` shows every option.
 */
import { type Command, Help, Option } from 'commander';
import { argumentDescription, optionDescription } from './flags/option-texts.ts';

/** Number of options from which they are grouped: one screen. */
const groupedFrom = 20;

type Group = readonly [title: string, common: readonly string[], rest: readonly string[]];

/** `common` is in `crawl --help`; `rest` only in `crawl --help all`. */
const groups: readonly Group[] = [
  [
    'Most used:',
    ['maxPages', 'contact', 'data', 'maxDepth', 'scope', 'include', 'exclude', 'delay', 'allowPrivate', 'dashboard'],
    [],
  ],
  [
    'What to crawl:',
    ['sitemap', 'recrawl', 'traps'],
    [
      ...[
        'recrawlEvery',
        'recrawlHubs',
        'overlays',
        'requisites',
        'sameUrl',
        'sameUrlProofs',
        'fetchAs',
        'canonicals',
        'score',
      ],
      ...['seedKeys', 'followSeedRedirects', 'fromStart', 'traceRatio', 'traceHosts'],
    ],
  ],
  [
    'Limits:',
    ['maxTime', 'maxBytes', 'maxErrors'],
    [
      ...['maxPagesPerHost', 'maxPagesPerDomain', 'maxBytesPerHost', 'maxQueued', 'maxQueuedPerHost', 'whenFull'],
      ...['maxBody', 'linksPerPage'],
    ],
  ],
  [
    'Politeness and requests:',
    ['userAgent', 'requests', 'retries', 'concurrency'],
    [
      ...['politeness', 'addressDelay', 'hostDelay', 'maxCrawlDelay', 'robotsToken', 'from', 'acceptLanguage'],
      ...[
        'ca',
        'insecure',
        'resolve',
        'firstByte',
        'http2',
        'signatureKey',
        'signatureAgent',
        'signatureDirectory',
        'inFlight',
      ],
    ],
  ],
  ['Usage and payment:', [], ['uses', 'usesBarred', 'pay']],
  [
    'Consumers and plugins:',
    ['with', 'extract', 'handler', 'plugin'],
    [
      ...['set', 'responses', 'outlinks', 'archive', 'archiveBody', 'archiveTo', 'archiveFileMb', 'archiveKnown'],
      ...['archiveOperator', 'bodies', 'browser', 'dedupBy', 'opensearch', 'opensearchIndex', 'screenshots'],
    ],
  ],
  [
    'State and disk:',
    ['newOptions', 'keep'],
    ['seen', 'seenMemory', 'seenUrls', 'seenErrors', 'snapshotEvery', 'snapshotTo', 'snapshotsKept'],
  ],
  [
    'Processes and Kafka:',
    ['workers', 'brokers', 'crawl'],
    ['registry', 'partitions', 'compression', 'role', 'fleet', 'instanceId'],
  ],
  [
    'External clients and HTTP:',
    ['clients', 'http'],
    [
      ...['clientsGrpc', 'clientsGrpcCert', 'clientsGrpcKey', 'clientsGrpcPlain', 'leaseTime'],
      ...['httpOpen', 'httpCert', 'httpKey', 'callback'],
    ],
  ],
  ['Output, logs and settings:', ['json', 'config'], ['log', 'logLevel', 'otlp']],
];

const others = 'Other options:';
const inAll: ReadonlySet<string> = new Set(groups.flatMap(([, , rest]) => rest));

/** Call it before commands are added: they inherit the program's help. */
export function showDefaultsAsTyped(program: Command): void {
  program.configureHelp({ optionDescription, argumentDescription });
}

/** `words`: the command line; `--help all` asks for every option. */
export function groupOptions(command: Command, words: readonly string[]): void {
  if (command.options.length <= groupedFrom) return;
  const order = groups.flatMap(([, common, rest]) => [...common, ...rest]);
  const titles = new Map(groups.flatMap(([title, common, rest]) => [...common, ...rest].map((key) => [key, title])));
  const rank = (option: Option) => {
    const at = order.indexOf(option.attributeName());
    return at < 0 ? order.length : at;
  };
  for (const option of command.options) option.helpGroup(titles.get(option.attributeName()) ?? others);
  (command.options as Option[]).sort((a, b) => rank(a) - rank(b));
  const last = groups.at(-1)![0];
  if (command.name() !== 'crawl') {
    command.addHelpOption(new Option('-h, --help', 'display this help').helpGroup(last));
    return;
  }
  command.addHelpOption(new Option('-h, --help [all]', 'display this help, or every option').helpGroup(last));
  if (asksForAll(words)) return;
  const hidden = command.options.filter((option) => inAll.has(option.attributeName())).length;
  // Only here: what mends a misspelt option looks at the visible options, too.
  command.configureHelp({
    ...command.configureHelp(),
    formatHelp: (of, helper) => {
      const shown = helper.visibleOptions(of).filter((option) => !inAll.has(option.attributeName()));
      return Help.prototype.formatHelp.call(helper, of, Object.assign(helper, { visibleOptions: () => shown }));
    },
  });
  command.addHelpText('after', `\n${hidden} more options: crawlstream crawl --help all`);
}

function asksForAll(words: readonly string[]): boolean {
  return words.some((word, at) => (word === '--help' || word === '-h') && words[at + 1] === 'all');
}
