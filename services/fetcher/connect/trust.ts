/**
 * The authorities that TLS trusts: those of Node, and an operator's own beside them.
 *
 * There is one context for all connections, since a list of 140 certificates that is passed to each handshake is parsed
 * each time.
 */
import * as tls from 'node:tls';

/** `ca`: PEM, one certificate or more. Throws OpenSSL's error where it is not valid. */
export function trustBeside(ca: string): tls.SecureContext {
  // Node 22.15 and later can list what else they trust: the system's store, and NODE_EXTRA_CA_CERTS.
  const known = (tls as { getCACertificates?: (type: 'default') => string[] }).getCACertificates?.('default');
  return tls.createSecureContext({ ca: [...(known ?? tls.rootCertificates), ca] });
}
