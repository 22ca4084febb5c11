/**
 * An extra: everything that the program has beside the crawl itself, declared once. Commands, their place in help, their
 * examples, settings, consumers, rights on the brokers, and what `forget` reaches are derived from it.
 *
 * Each extra is a folder in `services/extras/` with a file `extension.ts`. Without the folder the program is built, and
 * runs, without the extra: the core imports none.
 */
import type { Command } from 'commander';
import type { FieldsOfExtra } from '../../../topology/policy/extra-fields.ts';
import type { DocumentReader } from '../../fetcher/pages/document-reader.ts';
import type { OpenPayments } from '../../fetcher/pay/payments.ts';
import type { Declaration, Processor } from '../processor/processor.ts';
import type { CrawlFacts } from './crawl-facts.ts';
import type { CrawlPart } from './crawl-part.ts';
import type { Finding } from './finding.ts';
import type { LeaseClients } from './lease-clients.ts';

export interface Extension {
  /** Name of its folder. */
  readonly name: string;
  /** Description of the extra, beginning with a verb in the third person. */
  readonly about: string;
  /** Names of extras that it needs: without them it cannot be built. */
  readonly uses?: readonly string[];
  readonly commands?: readonly ExtensionCommands[];
  readonly consumers?: readonly Processor[];
  /** Processors that are not consumers: each has a command of its name. */
  readonly roles?: readonly Declaration[];
  /** Checks of the machine for `crawlstream doctor`. */
  readonly checks?: (env: NodeJS.ProcessEnv) => Promise<readonly Finding[]>;
  /** Command lines for help, by path of the command, without `crawlstream` and the path. */
  readonly examples?: Readonly<Record<string, readonly string[]>>;
  /** Programs by others that fetch a crawl's URLs. Only one extra may offer them. */
  readonly leaseClients?: () => Promise<LeaseClients>;
  /** Pays for pages that answer 402. Only one extra may offer it. */
  readonly openPayments?: () => Promise<OpenPayments>;
  /** Facts about crawls, for `stats` and `explain`. */
  readonly facts?: () => Promise<CrawlFacts>;
  /** Called once in each process with a frontier: options of `crawl`, endpoints, and work beside the crawl. */
  readonly crawlPart?: () => Promise<CrawlPart>;
  /**
   * Fields that it adds to policies, in `extras.NAME`. Checks, default, flag, settings, rights in a fleet, OpenAPI and pages
   * follow. followFields reads them.
   */
  readonly policyFields?: FieldsOfExtra;
  /** Readers of documents that are no web pages. A field of `--extract`, by the name of the reader, switches each on. */
  readonly readers?: readonly DocumentReader[];
  /** Kinds of files with pages that its commands write, and that `forget` does not reach. */
  readonly files?: readonly string[];
}

/** Commands that are declared in one module, and have a group in help. */
export interface GroupedCommands extends CommandModule {
  /** Title of their group in `--help`, with its colon: an existing group, or a new one at the end. */
  readonly group: string;
}

/** Commands of an extra. */
export interface ExtensionCommands extends GroupedCommands {
  /** True: each command runs a part of a crawl, has settings in file and environment, and logs. */
  readonly isService?: boolean;
}

/** A module with commands. */
export interface CommandModule {
  /** Commands that it adds. */
  readonly names: readonly string[];
  /** Loaded once a command line names one of them: the code of a command is a large part of the program. */
  readonly load: () => Promise<AddCommands>;
}

/** Adds commands to the program. */
export type AddCommands = (program: Command) => void;

/** Returns its argument: it is there for the types. */
export function defineExtension(extension: Extension): Extension {
  return extension;
}
