/**
 * Whom TLS believes: the authorities that Node trusts, and an operator's own beside them.
 *
 * One context for all connections: a list of certificates that is handed to each handshake is parsed by each, 140 of them.
 */
import * as tls from 'node:tls';

/** `ca`: PEM, one certificate or more. Throws what OpenSSL says of it. */
export function trustBeside(ca: string): tls.SecureContext {
  // Node 22.15 and later tell what else they trust: the system's store, and NODE_EXTRA_CA_CERTS.
  const known = (tls as { getCACertificates?: (type: 'default') => string[] }).getCACertificates?.('default');
  return tls.createSecureContext({ ca: [...(known ?? tls.rootCertificates), ca] });
}
