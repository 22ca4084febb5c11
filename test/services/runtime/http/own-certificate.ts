/** Self-signed certificates for `localhost`, made when a test asks for one. */
import { execFileSync } from 'node:child_process';

export const noOpenssl = (() => {
  try {
    execFileSync('openssl', ['version']);
    return false;
  } catch {
    return 'openssl is not there';
  }
})();

/** Writes both files, in PEM. */
export function writeOwnCertificate(cert: string, key: string): void {
  const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', ['req', '-x509', ...ec, '-nodes', '-keyout', key, '-out', cert, ...named], {
    stdio: 'ignore',
  });
}
