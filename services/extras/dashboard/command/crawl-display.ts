/** Shows the crawl of this process on the dashboard. */
import type { Display, DisplayedCrawl } from '../../../application/extension/display.ts';
import { listHosts } from '../../../frontier/query/host-lists.ts';
import { askHost } from '../../../frontier/query/query-routes.ts';
import { explainer } from '../../../hosting/inspect/explain.ts';
import { hostArgument } from '../../../hosting/options/url-argument.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { encodeRequest } from '../../../runtime/crawl/requests.ts';
import { productVersion } from '../../../runtime/version.ts';
import type { OwnView, ViewedCrawl } from '../crawl-view.ts';
import { createDashboard } from '../dashboard-routes.ts';
import { viewOf } from '../followed-crawl.ts';
import { aboutKafka } from './about-kafka.ts';
import { failureReader } from './failure-reader.ts';
import { hostPager, hostPageUrls } from './host-page.ts';
import { pageLists } from './page-lists.ts';
import { recordReader } from './record-reader.ts';
import { seedReader } from './seed-reader.ts';
import { timelineReader } from './timeline-reader.ts';

export interface CrawlDisplay extends Display {
  /** Undefined while the crawl is not up. */
  shown(): OwnView | undefined;
}

/** Its acts are fields, since a fleet replaces one. */
export function displayCrawl(clock: Clock): CrawlDisplay {
  let view: OwnView | undefined;
  const { routes, over } = createDashboard(clock, () => view);
  return {
    routes,
    over,
    open(crawl) {
      view = viewOf(viewedCrawl(crawl));
    },
    async awaitsRelease() {
      // If no owner of a host answers, the host could not be unblocked.
      return (await view?.awaitsRelease().catch(() => false)) ?? false;
    },
    close() {
      view = undefined;
    },
    shown: () => view,
  };
}

function viewedCrawl({ log, codec, clock, manifest, flags, ...shown }: DisplayedCrawl): ViewedCrawl {
  const { member, queries, places, about, folder, stop, part, parts } = shown;
  const { crawl, partitions, keyMode } = manifest;
  const read = { log, codec, topics: manifest };
  return {
    ...{ log, codec, clock, topics: manifest, release: productVersion, places, folder, stop },
    members: () => queries.members(),
    fetchers: async () => member.fetchers ?? null,
    activity: async () => ({ idle: null, silentMs: null }),
    about: about ?? (async () => aboutKafka({ ...flags, crawl })),
    hosts: (asked) => listHosts({ partitions, queries }, asked, false),
    host: hostPager({ ...read, clock }, flags, (host, from) =>
      askHost({ partitions, keyMode, queries }, host, hostPageUrls, from),
    ),
    explain: explainer(read, flags),
    story: timelineReader(read, flags),
    record: recordReader(read, flags),
    failures: failureReader(read, flags),
    ...pageLists(parts, read, part),
    hostKey: hostArgument,
    seedsUnder: seedReader(flags),
    send: (records) => log.append(encodeRequest(codec, crawl, records)),
  };
}
