/** Address and access of a gRPC server. Beyond this machine, callers need a token and TLS. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { GrpcListen } from '../../runtime/grpc/grpc-server.ts';
import { isLoopbackHost, type ListenAddress } from '../../runtime/http/listen-address.ts';
import { openTlsPair } from '../../runtime/http/tls-pair.ts';

export interface GrpcAccess {
  readonly listen: ListenAddress;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Something else guards the port. */
  readonly plain: boolean | undefined;
  /** Names of the options, for messages. */
  readonly options: { readonly address: string; readonly cert: string; readonly key: string; readonly plain: string };
}

/** Throws INVALID_ARGUMENT. */
export function grpcListen(
  { listen: { host, port }, cert, key, plain, options }: GrpcAccess,
  warn: (text: string) => void,
): GrpcListen {
  if ((cert === undefined) !== (key === undefined)) {
    const [given, missing] = cert === undefined ? [options.key, options.cert] : [options.cert, options.key];
    throw new CrawlstreamError('INVALID_ARGUMENT', `${given} without ${missing}: give both, or neither`);
  }
  const token = process.env.CRAWLSTREAM_GRPC_TOKEN || undefined;
  const lacks = [
    ...(token === undefined ? ['a token (set CRAWLSTREAM_GRPC_TOKEN)'] : []),
    ...(cert === undefined ? [`TLS (give ${options.cert} and ${options.key})`] : []),
  ].join(' and without ');
  if (!isLoopbackHost(host) && lacks !== '') {
    if (plain !== true) {
      const message = `${options.address} ${host} is reachable by other machines without ${lacks}: add what is missing, or ${options.plain} if a proxy or firewall protects it`;
      throw new CrawlstreamError('INVALID_ARGUMENT', message);
    }
    warn(`anyone who reaches ${host} can call it without ${lacks}`);
  }
  if (cert === undefined || key === undefined) return { host, port, token };
  return { host, port, token, tls: openTlsPair({ cert, key, options: [options.cert, options.key] }, warn) };
}
