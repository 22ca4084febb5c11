/**
 * The certificate authorities that TLS trusts: those of Node, and the operator's.
 *
 * All connections share one context: a list of 140 certificates would otherwise be parsed at each handshake.
 */
import * as tls from 'node:tls';

/** `ca`: PEM, one or more certificates. Throws OpenSSL's error if it is invalid. */
export function trustBeside(ca: string): tls.SecureContext {
  // Node 22.15 and later can list what else they trust: the system's store, and NODE_EXTRA_CA_CERTS.
  const known = (tls as { getCACertificates?: (type: 'default') => string[] }).getCACertificates?.('default');
  return tls.createSecureContext({ ca: [...(known ?? tls.rootCertificates), ca] });
}
