/** Calls from one server to another that owns the requested data. */
import type { EventEmitter } from 'node:events';
import grpc from '@grpc/grpc-js';
import { grpcLimits } from '../../runtime/grpc/grpc-limits.ts';
import { CallFailed, localHeader } from '../../runtime/grpc/grpc-server.ts';
import type { TlsPair } from '../../runtime/http/tls-pair.ts';
import { peerCertificate } from './peer-certificate.ts';

/** Another process that serves the same crawls. It answers from its own data. */
export interface Peer {
  unary(rpc: string, request: Buffer): Promise<Buffer>;
  /** All answers to one request, or to a finite stream of requests. */
  stream(rpc: string, requests: Buffer | readonly Buffer[]): Promise<Buffer[]>;
  close(): void;
}

export interface PeerOptions {
  readonly service: string;
  readonly token?: string | undefined;
  /** Speaks TLS, to peers that show this very certificate or one that it signed. Absent: plain text. */
  readonly tls?: TlsPair | undefined;
}

const bytes = (value: Buffer) => value;

/** Time for which a call is retried before its client gets an error, ms, because servers come and go. */
const patienceMs = 10_000;

export function connectPeer(address: string, { service, token, tls }: PeerOptions): Peer {
  const credentials =
    tls === undefined
      ? grpc.credentials.createInsecure()
      : grpc.experimental.createCertificateProviderChannelCredentials(peerCertificate(tls), null);
  const client = new grpc.Client(address, credentials, {
    'grpc.max_receive_message_length': grpcLimits.messageBytesMax,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 1_000,
  });
  const metadata = new grpc.Metadata();
  metadata.set(localHeader, '1');
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`);
  const pathOf = (rpc: string) => `/${service}/${rpc}`;
  const options = () => ({ deadline: Date.now() + patienceMs });
  return {
    unary: (rpc, request) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(pathOf(rpc), bytes, bytes, request, metadata, options(), (error, answer) =>
          error === null ? resolve(answer!) : reject(failure(address, error)),
        );
      }),
    stream: (rpc, requests) =>
      new Promise((resolve, reject) => {
        const answers: Buffer[] = [];
        const follow = (call: EventEmitter) => {
          call.on('data', (answer: Buffer) => answers.push(answer));
          call.on('end', () => resolve(answers));
          call.on('error', (error: grpc.ServiceError) => reject(failure(address, error)));
        };
        if (Buffer.isBuffer(requests)) {
          return follow(client.makeServerStreamRequest(pathOf(rpc), bytes, bytes, requests, metadata, options()));
        }
        const call = client.makeBidiStreamRequest(pathOf(rpc), bytes, bytes, metadata, options());
        follow(call);
        for (const request of requests) call.write(request);
        call.end();
      }),
    close: () => client.close(),
  };
}

/** The other server's error is passed on; if it is away, the error says to try again. */
function failure(address: string, { code, details }: grpc.ServiceError): CallFailed {
  const passed = (['NOT_FOUND', 'INVALID_ARGUMENT', 'RESOURCE_EXHAUSTED'] as const).find(
    (name) => grpc.status[name] === code,
  );
  return new CallFailed(passed ?? 'UNAVAILABLE', passed === undefined ? `${address}: ${details}` : details);
}
