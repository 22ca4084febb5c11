/**
 * Writes the folder that an operator publishes for a crawler, for any web server. It has a page for webmasters, the
 * crawler's IP addresses (draft-illyes-aipref-jafar-01, 9 April 2026), and the directory of its signing keys
 * (fetcher/http/web-bot-auth.ts).
 */
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Identity, productTokensOf, userAgentOf } from '../../fetcher/http/identity.ts';
import { type DirectoryKey, directoryPath, publicJwk, readKey } from '../../fetcher/http/web-bot-auth.ts';
import { makeFile, makeFolder } from '../../runtime/disk/durable-names.ts';
import { writeNamedFile } from '../../runtime/disk/named-file.ts';
import { bad } from '../../runtime/option-text.ts';

export const rangesPath = '/ip-ranges.json';

export interface IdentityFolder {
  readonly folder: string;
  readonly identity: Identity;
  /**
   * Path of the private key, which is created if missing. Absent: requests are not signed, and there is no directory.
   */
  readonly keyFile?: string | undefined;
  /** Validity of the key from now on, ms. */
  readonly validMs: number;
  /** CIDR. */
  readonly networks: readonly string[];
}

/** Returns the paths of the written files. A key that the directory already has stays in it until it expires. */
export async function writeIdentityFolder(given: IdentityFolder, nowMs: number): Promise<string[]> {
  const { folder, identity, keyFile, networks } = given;
  const files = new Map([
    ['/index.html', botPage(identity, keyFile !== undefined, networks.length > 0)],
    [rangesPath, `${JSON.stringify(rangesOf(networks, nowMs), null, 2)}\n`],
  ]);
  const written: string[] = [];
  if (keyFile !== undefined) {
    if (!relative(resolve(folder), resolve(keyFile)).startsWith('..'))
      throw bad('--key', keyFile, `choose a path outside ${folder}, which will be published`);
    if (!existsSync(keyFile)) {
      await makeFolder(dirname(resolve(keyFile)));
      if (await makeFile(keyFile, newKey(), `${process.pid}`, { mode: 0o600 })) written.push(keyFile);
    }
    files.set(directoryPath, directoryWith(keyFile, join(folder, directoryPath), given.validMs, nowMs));
  }
  for (const [path, text] of files) {
    const file = join(folder, path);
    await makeFolder(dirname(file));
    await writeNamedFile(file, text);
    written.push(file);
  }
  return written;
}

function newKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function directoryWith(keyFile: string, directory: string, validMs: number, nowMs: number): string {
  const jwk = publicJwk(readKey(`file:${keyFile}`));
  const nowSeconds = Math.floor(nowMs / 1000);
  const before = existsSync(directory)
    ? (JSON.parse(readFileSync(directory, 'utf8')) as { keys: DirectoryKey[] }).keys
    : [];
  const others = before.filter(({ kid, exp }) => kid !== jwk.kid && (typeof exp !== 'number' || exp > nowSeconds));
  const key = { ...jwk, use: 'sig', nbf: nowSeconds, exp: nowSeconds + Math.floor(validMs / 1000) };
  return `${JSON.stringify({ keys: [key, ...others] }, null, 2)}\n`;
}

function rangesOf(networks: readonly string[], nowMs: number) {
  const prefixes = networks.map((network) =>
    network.includes(':') ? { ipv6Prefix: network } : { ipv4Prefix: network },
  );
  return { creationTime: new Date(nowMs).toISOString(), prefixes };
}

function botPage(identity: Identity, signs: boolean, hasRanges: boolean): string {
  const tokens = [productTokensOf(identity)].flat();
  const name = tokens[0]!;
  const rules = tokens.map((token) => `User-agent: ${token}`).join('\n');
  const { contact } = identity;
  const link = contact.includes('@') && !contact.includes('/') ? `mailto:${contact}` : contact;
  const signed = signs
    ? `<li>Each request is signed (Web Bot Auth); the keys are in the <a href="${directoryPath}">directory</a> of this site.</li>`
    : '';
  const ranges = hasRanges
    ? `<li>It comes from the addresses in <a href="${rangesPath}">ip-ranges.json</a>, and from no others.</li>`
    : '';
  // draft-illyes-webbotauth-cbcp: so that programs find them.
  const toRanges = hasRanges ? `<link rel="client-ranges" href="${rangesPath}">` : '';
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${text(name)}: who crawls your site</title>${toRanges}</head>
<body>
<h1>${text(name)}</h1>
<p>This page is about the crawler that calls itself <code>${text(userAgentOf(identity))}</code>.</p>
<h2>Who, and why</h2>
<!-- Write here who you are, why you fetch pages, who can see the results, and whether a browser renders the pages. -->
<p>Write to <a href="${text(link)}">${text(contact)}</a> with questions and complaints: a person reads them.</p>
<h2>How to recognise it</h2>
<ul>
<li>Its name in robots.txt is <code>${text(tokens.join(', '))}</code>.</li>
${[ranges, signed].filter((line) => line !== '').join('\n')}
</ul>
<h2>How to keep it out</h2>
<p>It obeys robots.txt (RFC 9309). These lines keep it out of a site; with <code>Crawl-delay: 30</code> it sends one request in 30 seconds:</p>
<pre>
${text(rules)}
Disallow: /
</pre>
<p>It obeys the usage preferences of a site: Content-Usage, Content-Signal, tdm-reservation, noindex, noarchive, nosnippet,
noai.</p>
<h2>What is kept</h2>
<!-- Write here what you store of a page, for how long, and how its owner can have it removed. -->
<p>For each request: its time, its URL and the answer. For each page: its content.</p>
</body>
</html>
`;
}

function text(value: string): string {
  return value.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
