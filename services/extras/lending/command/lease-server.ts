/** The gRPC side of a crawl with lease clients, while the crawl runs. */

import { grpcListen } from '../../../hosting/options/grpc-listen.ts';
import { addressText, type ListenAddress } from '../../../runtime/http/listen-address.ts';
import { errorOf } from '../../../runtime/thrown.ts';
import type { Lending } from '../lending.ts';

export interface ClientsGrpcFlags {
  /** Absent: nothing listens. */
  readonly clientsGrpc?: ListenAddress;
  readonly clientsGrpcCert?: string;
  readonly clientsGrpcKey?: string;
  readonly clientsGrpcPlain?: boolean;
}

/** Runs `act`, with the gRPC server if the flags set one. */
export async function withClientsGrpc<T>(
  flags: ClientsGrpcFlags,
  lending: Lending | undefined,
  say: (text: string) => void,
  act: () => Promise<T>,
): Promise<T> {
  const { clientsGrpc: listen, clientsGrpcCert: cert, clientsGrpcKey: key, clientsGrpcPlain: plain } = flags;
  if (listen === undefined || lending === undefined) return act();
  const options = {
    address: '--clients-grpc',
    cert: '--clients-grpc-cert',
    key: '--clients-grpc-key',
    plain: '--clients-grpc-plain',
  };
  const access = grpcListen({ listen, cert, key, plain, options }, say);
  // Loaded only on demand: the gRPC code is as large as the rest of the program.
  const { serveLeases } = await import('../lease-methods.ts');
  const onBug = (error: unknown) => say(`a bug, please report it: ${errorOf(error).stack}`);
  const server = await serveLeases(lending, access, onBug);
  const address = addressText({ host: listen.host, port: server.port });
  say(`leases by gRPC on ${address}${access.tls === undefined ? '' : ' (TLS)'}`);
  try {
    return await act();
  } finally {
    await server.close();
  }
}
