/**
 * A plugin: external code that takes part in a crawl, by hooks in the fetcher, consumers, endpoints and commands.
 *
 *   export default definePlugin({
 *     name: 'no-ads',
 *     urlFilter: ({ url }) => !url.includes('/ads/'),
 *   });
 *
 * A plugin is as trusted as the crawler: it runs in the fetcher's process, with its rights.
 */
import type { TopicRecords } from '../../../schemas/types.ts';
import type { FetchHooks } from '../../fetcher/hooks/fetch-hooks.ts';
import type { CrawlRoute } from '../extension/crawl-part.ts';
import type { GroupedCommands } from '../extension/extension.ts';

export type { Page } from '../../../schemas/types.ts';
export type {
  FetchHooks,
  FoundUrl,
  HookDocument,
  HookOffer,
  HookParsed,
  HookPayment,
  HookRequest,
  HookResponse,
  RequestChange,
  ResponseChange,
} from '../../fetcher/hooks/fetch-hooks.ts';
export type { Access } from '../../runtime/http/access.ts';
export type { CrawlRoute, NamedCrawl, RouteAnswer, RouteCall } from '../extension/crawl-part.ts';
export type { AddCommands, CommandModule, GroupedCommands } from '../extension/extension.ts';

/** Topics that a plugin's consumer may read. */
export type PluginTopic = 'pages' | 'results' | 'duplicates' | 'responses';

/** A plugin: fetcher hooks, consumers, endpoints and commands, all optional. */
export interface Plugin extends FetchHooks {
  /**
   * Name of the plugin in outcomes, metrics and the crawl's control log: letters, digits, dots, dashes and
   * underscores.
   */
  readonly name: string;
  readonly version?: string;
  /** Its hooks keep no copy of a page. Absent: receipts of `forget` name the plugin as not reached if it sees pages. */
  readonly holds?: 'nothing';
  // biome-ignore lint/suspicious/noExplicitAny: each reads other topics, and one list holds them all
  readonly processors?: readonly PluginProcessor<any>[];
  /** Endpoints of `crawl`, beside its own. */
  readonly routes?: readonly CrawlRoute[];
  /** Commands of command lines that name the plugin, with `--plugin` or in the settings. */
  readonly commands?: readonly GroupedCommands[];
  /** Fields of policies, by name: `extras.NAME.FIELD` in a policy. */
  readonly policyFields?: Readonly<Record<string, PluginPolicyField>>;
  /**
   * Called in a fetcher with the values of these fields: before its first request, and after each change of the policy. An
   * error is logged, and the fetcher goes on.
   */
  onPolicy?(values: Readonly<Record<string, unknown>>): Promise<void> | void;
}

/** A field that a plugin adds to policies. */
export interface PluginPolicyField {
  /** Type and bounds as JSON Schema: `{ type: 'integer', minimum: 0 }`. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Meaning and unit. */
  readonly about: string;
  /** Value in the policy of a new crawl, and wherever a policy has none. */
  readonly initial?: unknown;
  /** Option of `crawl` that sets the field, if the command line names the plugin. */
  readonly flag?: PluginFieldFlag;
}

/** An option for a field of a plugin. */
export interface PluginFieldFlag {
  /** `shortestText` is typed as `--shortest-text`. */
  readonly name: string;
  /** Placeholder of the value; `<duration>` and `<bytes>` are typed with units. Absent: the option takes no value. */
  readonly value?: string;
  /** Description in help. */
  readonly about: string;
  /** Reason of the default. */
  readonly reason: string;
}

/** Copies that a plugin's consumer keeps: none, or pages, which its handler's `forget` deletes. */
export type PluginHolds = 'nothing' | 'pages';

/** A consumer group that the plugin adds to the crawl. */
export interface PluginProcessor<T extends PluginTopic = PluginTopic> {
  /** Name of its group, its metrics and its folder; the same rule as for a plugin's name. */
  readonly name: string;
  /** Beginning with a verb in the third person. */
  readonly does: string;
  /** Absent: pages. */
  readonly reads?: readonly T[];
  /** Its options (`--set NAME.KEY=VALUE`), and their defaults. */
  readonly options?: Readonly<Record<string, { readonly about: string; readonly default?: string }>>;
  /**
   * How to handle a record after all tries of its batch failed. Absent: it becomes a dead letter, and the others
   * continue.
   */
  readonly whenFailed?: 'deadLetter' | 'stop';
  /**
   * Copies that it keeps: `nothing`, or `pages`, which its handler's `forget` deletes. Absent: unknown, and receipts of
   * `forget` name it as not reached.
   */
  readonly holds?: PluginHolds;
  /** Waits before each further try, ms. Absent: the consumers' default. */
  readonly retriesMs?: readonly number[];
  /** Records per batch at most. Absent: the consumers' default. */
  readonly batchRecords?: number;
  /** Called once before the first batch; an error ends the process. */
  open(context: PluginContext): PluginHandler<T> | Promise<PluginHandler<T>>;
}

/** Arguments of a plugin's consumer when it is opened. */
export interface PluginContext {
  /** The values of its options. */
  readonly options: Readonly<Record<string, string>>;
  /** A separate folder, which outlives the process. */
  readonly folder: string;
  readonly crawl: string;
  /** Prints one line among the process's notes, after the plugin's name. */
  say(text: string): void;
}

/** A plugin consumer's work on its batches. */
export interface PluginHandler<T extends PluginTopic = PluginTopic> {
  /**
   * Handles records in order, those of one partition one batch after another. Once it has resolved, they are not given
   * again, unless the process ends before their position is saved: it must tolerate repetitions.
   */
  handle(batch: readonly PluginRecord<T>[], more: PluginBatch): Promise<void> | void;
  /** Called before the batch with pages that are taken back (purged, or no longer allowed): delete your copies. */
  forget?(urls: readonly string[], more: { readonly signal: AbortSignal }): Promise<void> | void;
  /** Called when the process ends in order: not after a crash. */
  close?(): Promise<void> | void;
}

/** Passed with each batch. */
export interface PluginBatch {
  readonly signal: AbortSignal;
  /** Values of the plugin's fields in the policy, by name. They are at most a second old when the batch begins. */
  readonly policy: Readonly<Record<string, unknown>>;
}

/** One record: its value by the topic's schema, and its position. */
export type PluginRecord<T extends PluginTopic = PluginTopic> = {
  readonly [Topic in T]: {
    readonly topic: Topic;
    readonly value: TopicRecords[Topic];
    readonly partition: number;
    readonly offset: number;
  };
}[T];

/** Returns its argument; it exists only for the types. */
export function definePlugin(plugin: Plugin): Plugin {
  return plugin;
}
