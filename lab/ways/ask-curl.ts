/** One request by curl for a case of the table, over the same way and under the limits of the table's crawls. */
import { execFile } from 'node:child_process';
import type { Case, ServedWays } from './serve.ts';
import { proxyOf } from './serve.ts';
import type { Way } from './ways.ts';

export interface CurlAnswer {
  /** Exit code; 0: curl took the answer as complete. */
  readonly exit: number;
  /** 0: no status came. */
  readonly status: number;
  /** Bytes of the body, as on the wire. */
  readonly bytes: number;
}

export function askCurl({ origin, hostname, column }: Case, { addressOf, certificateFile }: ServedWays, port: number) {
  const { way } = column;
  const target = new URL(origin);
  const place = `${hostname}:${target.port}:${addressOf(hostname)}`;
  return run([
    ...['--silent', '--compressed', '--cacert', certificateFile, '--resolve', place],
    way.version === 'HTTP/2' ? '--http2' : '--http1.1',
    ...proxyArguments(way, port, certificateFile),
    // Silence in the body ends a request after ten seconds, as in a crawl. curl has no separate limit for the head.
    ...['--connect-timeout', '10', '--speed-limit', '1', '--speed-time', '10', '--max-time', '30'],
    ...['--output', '/dev/null', '--write-out', '%{exitcode} %{http_code} %{size_download}', `${origin}/`],
  ]);
}

function proxyArguments(way: Way, port: number, certificateFile: string): string[] {
  const proxy = proxyOf(way, port);
  return proxy === null ? ['--noproxy', '*'] : ['--proxy', proxy, '--proxy-cacert', certificateFile];
}

function run(args: readonly string[]): Promise<CurlAnswer> {
  return new Promise((resolve, reject) => {
    execFile('curl', args, { env: { PATH: process.env['PATH'] } }, (error, stdout) => {
      const [exit, status, bytes] = stdout.trim().split(' ').map(Number);
      if (bytes === undefined) return reject(new Error('curl printed no verdict: is it installed?', { cause: error }));
      resolve({ exit: exit!, status: status!, bytes });
    });
  });
}
