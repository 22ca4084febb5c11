/** Programs by others that fetch a crawl's URLs, beside our fetchers or instead of them. An extra offers this. */
import type { Command } from 'commander';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import type { ScopeKind } from '../../../topology/url/scope.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Routes } from '../../runtime/http/http-server.ts';
import type { Outside } from '../../runtime/leases/outside.ts';
import type { Log } from '../../runtime/log/log.ts';

export interface LeaseClients {
  /** Adds the options that enable clients to a command that fetches. */
  addOptions(command: Command): Command;
  /**
   * Undefined: no client may lease anything. `options`: of the command. `hasHttp`: the process answers by HTTP. Throws
   * INVALID_ARGUMENT where clients could not reach the process.
   */
  open(options: object, hasHttp: boolean, clock: Clock): Lender | undefined;
}

/** Options of a policy that depend on whether clients fetch. */
interface PolicyOptions {
  readonly leaseTime?: number;
  readonly scope?: ScopeKind;
}

/** Leases the URLs of a crawl. */
export interface Lender {
  /** The option of a fetcher's configuration by which it works beside clients, or leaves its work to them. */
  readonly outside: Outside;
  /** By HTTP. */
  readonly routes: Routes;
  /** Runs `act`, with the gRPC server if the options set one. */
  serve<T>(say: (text: string) => void, act: () => Promise<T>): Promise<T>;
  /** Announces a crawl that is up. */
  open(crawl: LentCrawl): void;
  close(): void;
  /** Call before a check of the crawl. Returns a function that takes the result: whether the crawl is idle. */
  look(): (idle: boolean) => void;
  /** The number of processes that fetch. Throws INVALID_ARGUMENT for more than can lease. */
  workersOf(workers: number | undefined): number;
  /** Options of the policy, with the defaults of a crawl that clients fetch. `seeds`: all seeds of the crawl. */
  policyOptions<T extends PolicyOptions>(options: T, seeds: readonly string[], before: PolicyConfig | null): T;
}

export interface LentCrawl {
  readonly log: Pick<Log, 'append'>;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly topics: { readonly crawl: string; readonly partitions: number; readonly keyMode: KeyMode };
}
