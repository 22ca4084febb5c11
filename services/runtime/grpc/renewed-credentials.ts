/**
 * Credentials of a gRPC server that can renew its certificate for new connections, without a restart; grpc-js allows
 * custom classes for that.
 *
 * The class of grpc-js for that purpose, over a certificate provider, is experimental: the order of its arguments
 * differs from the declaration, and a renewal drops the cipher suites of GRPC_SSL_CIPHER_SUITES (1.14).
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
