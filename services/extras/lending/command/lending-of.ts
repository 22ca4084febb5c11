/** Opens the lease API of a crawl to programs by others. */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { Lending } from '../lending.ts';
import type { ClientsGrpcFlags } from './lease-server.ts';

export const clientsChoices = ['only', 'beside'] as const;

export interface LendingFlags extends ClientsGrpcFlags {
  readonly clients?: (typeof clientsChoices)[number];
}

/** Time for which a client keeps a URL by default, ms. Downloads and callbacks take seconds. */
export const clientTimeMs = 300_000;

/** undefined: no client may lease anything. Throws INVALID_ARGUMENT where clients could not reach it. */
export function lendingOf(flags: LendingFlags, hasHttp: boolean, clock: Clock): Lending | undefined {
  const { clients, clientsGrpc } = flags;
  if (clients === undefined && clientsGrpc !== undefined) {
    const remedy = 'add --clients only or --clients beside';
    throw new CrawlstreamError('INVALID_ARGUMENT', `--clients-grpc: lease clients are not enabled; ${remedy}`);
  }
  if (clients === undefined) return undefined;
  if (hasHttp || clientsGrpc !== undefined) return new Lending(clock);
  const remedy = 'add --http HOST:PORT, as in --http 127.0.0.1:9464, or --clients-grpc';
  throw new CrawlstreamError(
    'INVALID_ARGUMENT',
    `--clients ${clients}: clients need an HTTP or gRPC address; ${remedy}`,
  );
}
