/**
 * Credentials of a gRPC server whose certificate is renewed, for new connections, without a restart; grpc-js allows
 * custom classes for that.
 *
 * Its own class for that, over a certificate provider, is experimental: it takes its arguments in another order than it
 * declares, and a renewal drops the cipher suites that GRPC_SSL_CIPHER_SUITES names (1.14).
 */
import type { SecureContextOptions } from 'node:tls';
import grpc from '@grpc/grpc-js';
import type { CertificateAndKey, TlsPair } from '../http/tls-pair.ts';

export class RenewedCredentials extends grpc.ServerCredentials {
  constructor({ now }: TlsPair) {
    super({ requestCert: false }, contextOf(now));
  }

  renew(shown: CertificateAndKey): void {
    this.updateSecureContextOptions(contextOf(shown));
  }

  override _equals(other: grpc.ServerCredentials): boolean {
    return this === other;
  }
}

/** With the suites that grpc-js has at the start: a new context would have Node's. */
function contextOf({ cert, key }: CertificateAndKey): SecureContextOptions {
  const ciphers = process.env.GRPC_SSL_CIPHER_SUITES;
  return { cert, key, ...(ciphers === undefined ? {} : { ciphers }) };
}
