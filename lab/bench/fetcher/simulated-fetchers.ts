/**
 * Fetchers without a network: the process that `bench worker-ceiling` starts. Each is a fetch worker's fetcher over a
 * separate channel, and real except for HTTP and DNS: a request is answered one turn later with the answer of the
 * synthetic web. So the process with the log, which is the measured one, receives the same messages as from as many
 * fetch workers.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFetchers } from '../../../services/application/fetchers.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../../../services/fetcher/http/client.ts';
import { openCodec, type SchemaSource } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { logOverChannel } from '../../../services/runtime/log/channel/log-over-channel.ts';
import { type Channel, createChannel } from '../../../services/runtime/log/channel/message-channel.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { planWeb } from '../../web/plan.ts';
import { createResponder } from '../../web/responses.ts';

export interface SimulatedFetchers {
  readonly socket: string;
  readonly count: number;
  readonly manifest: { readonly crawl: string; readonly partitions: number; readonly keyMode: 'host' };
  readonly hosts: number;
  readonly pagesPerHost: number;
}

export const simulatedPort = 80;
const mark = 'simulated-fetchers:';

/** The last argument of the program. */
export function ordersFor(orders: SimulatedFetchers): string {
  return mark + JSON.stringify(orders);
}

const given = process.argv.at(-1) ?? '';
if (given.startsWith(mark)) await playAll(JSON.parse(given.slice(mark.length)) as SimulatedFetchers);

async function playAll({ socket, count, manifest, hosts, pagesPerHost }: SimulatedFetchers): Promise<void> {
  const http = answerAll(hosts, pagesPerHost);
  for (let number = 0; number < count; number++) await play(socket, number, count, manifest, http);
}

/** One after another, so that each gets the share that belongs to its number. */
async function play(
  path: string,
  number: number,
  count: number,
  manifest: SimulatedFetchers['manifest'],
  http: HttpClient,
): Promise<void> {
  const socket = connect(path);
  await once(socket, 'connect');
  const fail = (error: unknown) => {
    throw error;
  };
  const { log, served } = logOverChannel(() => channel);
  let stop = async () => {};
  const channel: Channel = createChannel(socket, { ...served, stop: () => stop() }, fail);
  const registry: SchemaSource = {
    idFor: (subject, schema) => channel.call('schemas.idFor', subject, schema) as Promise<number | null>,
    schemaById: (id, subject) => channel.call('schemas.byId', id, subject) as Promise<object>,
    isWhole: true,
  };
  const clock = new SystemClock();
  const codec = await openCodec(registry, manifest.crawl);
  const group = await createFetchers({ log, codec, clock, manifest }).fetcherMember({
    fetcherId: `${number}`,
    normalize: compileNormalizer(),
    dnsLookup: async () => ({ addresses: ['93.184.216.34'], ttlMs: 3_600_000 }),
    openHttp: () => http,
    onFailure: fail,
    config: {
      ...{ version: '0', contact: '', allowPrivate: false, resolve: [], addressDelayMs: 0 },
      groupSize: () => 1,
      linksMax: crawlLimits.linksPerPage,
      leasesMax: Math.ceil(crawlLimits.leasesMax / count),
    },
  });
  stop = () => group.stop();
}

function answerAll(hosts: number, pagesPerHost: number): HttpClient {
  const plan = planWeb({ preset: 'plain', hosts, pagesPerHost });
  const responder = createResponder(plan);
  const request = async ({ url, wants }: HttpRequest): Promise<HttpResponse> => {
    const startMs = Date.now();
    await nextTurn();
    const { hostname, pathname, search } = new URL(url);
    const host = plan.hostOf(hostname);
    const target = pathname + search;
    const ask = { host, target, port: simulatedPort, gzip: false, ifNoneMatch: undefined, ifModifiedSince: undefined };
    const answer = responder.answer(ask, plan.resolve(host, target));
    const headers = answer.headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text));
    const body = (wants?.(answer.status, headers) ?? true) ? answer.body : Buffer.alloc(0);
    return {
      ...{ status: answer.status, headers, body, rawBody: body, truncated: false, address: '93.184.216.34' },
      ...{ startMs, endMs: Date.now(), connectMs: 0, firstByteMs: 0, failure: null },
      ...{ staleConnection: false, unreached: false },
    };
  };
  return { request, stats: () => ({ origins: 0, inFlight: 0 }), close: async () => {} };
}
