/**
 * The certificates of other servers that a server trusts, in the form that grpc-js takes: the certificate that all
 * servers share, or one of its authorities. It is reloaded; open connections keep the earlier one.
 *
 * Servers renew their certificate within seconds of each other, so they also trust the previous one.
 */
import type { experimental } from '@grpc/grpc-js';
import type { TlsPair } from '../../runtime/http/tls-pair.ts';

export function peerCertificate(pair: TlsPair): experimental.CertificateProvider {
  const unwatch = new Map<unknown, () => void>();
  let latest: Buffer = pair.now.cert;
  let believed = latest;
  const authorities = (): Buffer => {
    const { cert } = pair.now;
    if (!cert.equals(latest)) believed = Buffer.concat([cert, Buffer.from('\n'), latest]);
    latest = cert;
    return believed;
  };
  return {
    addCaCertificateListener(listener) {
      const notify = () => listener({ caCertificate: authorities() });
      unwatch.set(listener, pair.watch(notify));
      notify();
    },
    removeCaCertificateListener(listener) {
      unwatch.get(listener)?.();
      unwatch.delete(listener);
    },
    // A client shows no certificate: the token says who it is.
    addIdentityCertificateListener() {},
    removeIdentityCertificateListener() {},
  };
}
