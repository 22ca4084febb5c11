/** Options of fetching, shared by `crawl` and `fetcher`. */
import type { Command } from 'commander';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { installedReaders } from '../../application/document-readers.ts';
import { parseResolveOverride } from '../../fetcher/connect/resolve-override.ts';
import { archivedBodyLimits } from '../../fetcher/http/archived-body-limits.ts';
import { requestLimits } from '../../fetcher/http/request-limits.ts';
import { requestRulesSchema } from '../../fetcher/http/request-rules-schema.ts';
import { extractRulesWith } from '../../fetcher/pages/extract-rules.ts';
import { mebibyte } from '../../hosting/options/fetching.ts';
import { rulesFile } from '../../hosting/options/rules-file.ts';
import { durationText } from '../../runtime/option-text.ts';
import { collect, duration, networks, wholeNumber } from './arguments.ts';
import { certificates, oneHost } from './certificates.ts';
import { addIdentityOptions } from './identity-flags.ts';
import { setting } from './setting.ts';

/** Options of every command that contacts hosts. */
export function addReachOptions(command: Command): Command {
  return addIdentityOptions(command)
    .addOption(
      setting(
        '--allow-private [networks]',
        'allow private addresses and localhost: all, or only networks as in 10.1.0.0/16,::1',
        'a link must not reach machines behind the firewall',
        networks('--allow-private'),
      ),
    )
    .addOption(
      setting(
        '--resolve <host[:port]:address>',
        "use this address for a host, as curl's --resolve does (repeatable)",
        'names are resolved by DNS',
        collect(parseResolveOverride),
      ),
    )
    .addOption(
      setting(
        '--ca <file>',
        'also trust the certificate authorities in this PEM file (repeatable)',
        'Node’s authorities cover the public web; an intranet needs its own',
        collect(certificates('--ca')),
      ),
    )
    .addOption(
      setting(
        '--insecure <host>',
        'accept any certificate of this host; its results are marked unverified (repeatable)',
        'an unchecked certificate proves nothing; name only hosts that cannot be crawled otherwise',
        collect(oneHost('--insecure')),
      ),
    );
}

export function addRequestsOption(command: Command): Command {
  return command.addOption(
    setting(
      '--requests <file>',
      'headers, cookies, auth, proxies, methods by host or URL (YAML or JSON file)',
      'a crawler sends only its identity',
      rulesFile('--requests', requestRulesSchema, []),
    ),
  );
}

export function addFetcherOptions(command: Command): Command {
  return addRequestsOption(addArchivingOptions(addReachOptions(command)))
    .addOption(
      setting(
        '--extract <file>',
        'rules for main text, language, metadata and CSS fields (YAML or JSON file)',
        'text and links need no rules; main text and fields cost a DOM per page',
        rulesFile('--extract', extractRulesWith(installedReaders), {}),
      ),
    )
    .addOption(
      setting(
        '--no-http2',
        'use only HTTP/1.1',
        'one connection per origin is enough; used only if the server offers HTTP/2',
      ),
    )
    .addOption(
      setting(
        '--links-per-page <n>',
        'most links taken from a page; further links are only counted',
        'the longest manual indexes have about 20,000 links; a page with more than twice that is a flood',
      )
        .argParser(wholeNumber('--links-per-page', 1, crawlLimits.linksPerPageMax))
        .default(crawlLimits.linksPerPage),
    )
    .addOption(
      setting(
        '--max-body <MiB>',
        'most MiB read of a page; cut pages are counted',
        'nearly all pages are smaller, and the limit bounds the memory that a hostile host can take',
      )
        .argParser(wholeNumber('--max-body', 1, requestLimits.bodyBytesMost / mebibyte))
        .default(requestLimits.bodyBytesMax / mebibyte),
    )
    .addOption(
      setting(
        '--first-byte <duration>',
        'time limit from a request to the end of its response headers',
        'a slower page is rarely worth the wait; slow applications need more',
      )
        .argParser(duration('--first-byte', { leastMs: 1_000, mostMs: requestLimits.headersTimeoutMost }))
        .default(requestLimits.headersTimeoutMs, durationText(requestLimits.headersTimeoutMs)),
    )
    .addOption(
      setting(
        '--outlinks',
        'put all links of a page into its record, for a link graph',
        'the frontier gets the links anyway; only a link graph needs them in page records',
      ),
    )
    .addOption(
      setting(
        '--concurrency <n>',
        'most hosts fetched from at once, by a crawl or on Kafka by each fetcher',
        'most hosts are in their delay, which costs a timer and about 2 kB each',
      )
        .argParser(wholeNumber('--concurrency', 1, crawlLimits.concurrencyMax))
        .default(crawlLimits.leasesMax),
    );
}

/** Options of whatever asks hosts for something that archives are to have. */
export function addArchivingOptions(command: Command): Command {
  return command
    .addOption(
      setting(
        '--responses',
        'publish raw responses, which archive reads (crawl --with archive sets this)',
        'raw bodies are the largest part of the output, and only archives need them',
      ),
    )
    .addOption(
      setting(
        '--archive <what>',
        'pages: all answers, with the bodies that are read; all: every body, and failed requests',
        'most crawls are for pages; images, scripts and videos are many times larger',
      )
        .choices(['pages', 'all'])
        .default('pages'),
    )
    .addOption(
      setting(
        '--archive-body <MiB>',
        'most MiB of a body in archives (default: as --max-body; with --archive all, 100)',
        'a full archive should have whole bodies; pages are parsed up to --max-body',
        wholeNumber('--archive-body', 1, archivedBodyLimits.bodyBytesMost / mebibyte),
      ),
    )
    .addOption(
      setting(
        '--bodies <dir>',
        'folder for bodies above 2 MiB, shared with archive; without it, they are cut on Kafka',
        'a data folder has its own; on Kafka, larger bodies are cut unless machines share a folder',
      ),
    );
}
