/** What `wget -r` fetches of a site as pages: the URLs of its log whose files it took for HTML. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface WgetSet {
  readonly urls: ReadonlySet<string>;
  /** False where it was cut off. */
  readonly ended: boolean;
  readonly seconds: number;
}

export async function wgetSet(url: string, secondsMax: number): Promise<WgetSet> {
  const own = mkdtempSync(join(tmpdir(), 'crawlstream-zoo-wget-'));
  const startedAtMs = Date.now();
  try {
    const reject = 'css,js,png,gif,jpg,jpeg,svg,ico,woff,woff2,ttf,pdf,txt,json,xml,zip,gz,py,inv';
    const args = [
      '-r',
      '-l',
      'inf',
      '-np',
      '-nH',
      '--server-response',
      '--no-verbose',
      '--tries=1',
      '--reject',
      reject,
      url,
    ];
    const child = spawn('wget', args, {
      cwd: own,
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, LC_ALL: 'C' },
    });
    let log = '';
    child.stderr.on('data', (bytes: Buffer) => (log += bytes.toString('latin1')));
    let ended = true;
    const cut = setTimeout(() => {
      ended = false;
      child.kill('SIGKILL');
    }, secondsMax * 1_000);
    await once(child, 'close');
    clearTimeout(cut);
    return { urls: pagesIn(log), ended, seconds: (Date.now() - startedAtMs) / 1_000 };
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}

/** Each answer's headers, then the line that names the URL. */
function pagesIn(log: string): Set<string> {
  const urls = new Set<string>();
  let isHtml = false;
  for (const line of log.split('\n')) {
    const type = /^\s+Content-Type:\s*([^\s;]+)/i.exec(line)?.[1]?.toLowerCase();
    if (type !== undefined) isHtml = type === 'text/html' || type === 'application/xhtml+xml';
    const url = /URL:\s?(\S+) \[/.exec(line)?.[1];
    if (url !== undefined && isHtml) urls.add(url);
  }
  return urls;
}
