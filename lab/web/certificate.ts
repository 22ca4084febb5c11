/** A self-signed certificate for all hosts of a web, made by openssl when a web over TLS starts. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebPlan } from './plan.ts';

export interface WebCertificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  /** The certificate, for clients that must trust it. */
  readonly file: string;
  remove(): void;
}

/** `others`: more names, not of the web. @throws an error that names openssl, if it is missing or fails. */
export function makeCertificate({ hosts }: Pick<WebPlan, 'hosts'>, others: readonly string[] = []): WebCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-web-tls-'));
  const [key, file] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  // A wildcard stands for one label (RFC 9525 §6.3).
  const domains = new Set(hosts.map((name) => name.slice(name.indexOf('.') + 1)));
  const names = [...[...domains].map((domain) => `*.${domain}`), ...others].map((name) => `DNS:${name}`).join(',');
  const named = ['-subj', '/CN=synthetic web', '-addext', `subjectAltName=${names}`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-nodes', '-keyout', key, '-out', file, ...named], {
    stdio: 'ignore',
  });
  return {
    key: readFileSync(key),
    cert: readFileSync(file),
    file,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
