/** `--http`: the HTTP side of a service, while the service runs. */
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { httpLimits } from '../../../topology/limits.ts';
import type { Routes } from '../../runtime/http/http-server.ts';
import { type ListenAddress, parseListenAddress } from '../../runtime/http/listen-address.ts';
import type { MetricSource } from '../../runtime/metrics/metrics.ts';
import type { Service } from '../../runtime/service.ts';
import { createService } from '../../runtime/service.ts';
import { productVersion } from '../terminal/version.ts';

export interface HttpFlags {
  /** Absent: nothing listens. */
  readonly http?: ListenAddress;
}

export function addHttpOption(command: Command): Command {
  return command.option(
    '--http <host:port>',
    'answer /livez, /readyz, /startupz and /metrics there, a frontier also /partitions, /hosts/KEY and /urls?url=URL; a port alone: on this machine only',
    (value) => parseListenAddress('--http', value),
  );
}

export interface HttpSide {
  /** `frontier`, `fetcher`, … */
  readonly role: string;
  /** The service's own. */
  readonly routes?: readonly Routes[];
  say(text: string): void;
}

/** Runs `act` with its service's HTTP side up, if one is asked for. */
export async function withHttp<T>(
  { http: listen }: HttpFlags,
  { role, routes = [], say }: HttpSide,
  act: (service: Service) => Promise<T>,
): Promise<T> {
  const service = createService(role);
  const { probes, sources } = service;
  if (listen === undefined) return act(service);
  const token = tokenOf(process.env);
  const [{ startHttpServer }, { createExposition }] = await Promise.all([
    import('../../runtime/http/http-server.ts'),
    import('../../runtime/metrics/exposition.ts'),
  ]);
  const ofService: MetricSource = (tell) => {
    tell.value('crawlstream_info', 1, { version: productVersion, role });
    tell.value('crawlstream_ready', probes.waitsFor === null ? 1 : 0);
    for (const [fate, count] of Object.entries(service.spans?.counts ?? {})) {
      tell.value('crawlstream_spans_total', count, { fate });
    }
  };
  const exposition = createExposition(
    () => [ofService, ...sources],
    (error) => say(`metrics: ${(error as Error).message}`),
  );
  const onBug = (error: unknown) => say(`a bug, please report it: ${(error as Error).stack}`);
  const server = await startHttpServer({ listen, token, probes, metrics: exposition.scrape, routes, onBug });
  service.listensOn = server.address;
  say(`listening on http://${server.address}`);
  try {
    return await act(service);
  } finally {
    await server.close();
  }
}

function tokenOf({ CRAWLSTREAM_HTTP_TOKEN: token }: NodeJS.ProcessEnv): string | undefined {
  if (token === undefined || token === '') return undefined;
  if (token.length >= httpLimits.tokenCharsMin && /^\S+$/.test(token)) return token;
  const remedy = `give at least ${httpLimits.tokenCharsMin} characters without white space, as openssl rand -hex 32 makes them`;
  throw new CrawlstreamError('INVALID_ARGUMENT', `CRAWLSTREAM_HTTP_TOKEN is too short or has white space: ${remedy}`);
}
