/** Parts of a fetcher that its leases use. */
import type { Page, Task } from '../../../schemas/types.ts';
import type { UsesPolicy } from '../../../topology/usage/uses-policy.ts';
import type { Outside } from '../../runtime/leases/outside.ts';
import type { SpanSink } from '../../runtime/tracing/spans.ts';
import type { HttpResponse } from '../http/client.ts';
import type { Headers } from '../http/headers.ts';
import type { Sessions } from '../http/sessions.ts';
import type { RequestPath } from '../pace/paced-request.ts';
import type { ProcessorShare } from '../pace/processor-share.ts';
import type { PageReader } from '../pages/page-reader.ts';
import type { Payments } from '../pay/payments.ts';
import type { LinkOrigin } from '../publish/page-links.ts';
import type { RobotsCache } from '../robots/cache.ts';
import type { RobotsAsker } from '../robots/fetch.ts';
import type { TdmFiles } from '../robots/tdm-files.ts';
import type { SitemapAgenda } from '../sitemaps/agenda.ts';
import type { HostSlots } from './host-slots.ts';
import type { LateReports } from './late-reports.ts';
import type { NameGate } from './name-gate.ts';

export interface LeaseRunner {
  readonly requestPath: RequestPath;
  readonly hostSlots: HostSlots;
  /** Absent: names are looked up as requests are made. */
  readonly names?: NameGate | undefined;
  /**
   * Called by a lease that runs in parallel with others of its host: the host failed, or asked for fewer requests, in a
   * contact that ended at `atMs`.
   */
  readonly inTrouble?: (atMs: number) => void;
  readonly robots: RobotsCache;
  /** In the place of that of `robots`. */
  readonly hop?: RobotsCache['hop'] | undefined;
  /** As in RobotsAsker. */
  readonly sharedRobots?: RobotsAsker['sharedRobots'];
  readonly tdmFiles: TdmFiles;
  /** Clients that may make requests instead of this fetcher. Absent: there are none. */
  readonly outside?: Outside | undefined;
  /** Pays for pages. Absent: nothing is paid. */
  readonly payments?: Payments | undefined;
  readonly sitemaps: SitemapAgenda;
  readonly processorShare: ProcessorShare;
  readonly reader: PageReader;
  /** Opens sessions. Absent: no rule keeps cookies. */
  readonly sessions?: Sessions | undefined;
  /** User-Agent, Accept and so on: names and values alternating. */
  readonly headers: Headers;
  readonly sitemapHeaders: Headers;
  readonly totalTimeoutMs: number;
  /** Wanted uses of pages, by the policy in force. */
  readonly usesPolicy: () => UsesPolicy;
  /** True if a URL is out of the scope of the current policy. */
  readonly outOfScope: (url: string) => boolean;
  /** Sees every page with its response. */
  readonly onPage: (page: Page, task: Task, response: HttpResponse) => void;
  /** Waits until `untilMs` for room for another page; false: there is none. */
  readonly room: (untilMs: number) => Promise<boolean> | undefined;
  readonly sourceOf: (hostKey: string) => Pick<LinkOrigin, 'source' | 'sourceKey'>;
  /** Receives spans of URLs that are traced. */
  readonly onSpan: SpanSink;
  readonly lateReports: LateReports;
  /** True if the lease is over, whatever it still does. */
  readonly isVoid: (task: Task) => boolean;
}
