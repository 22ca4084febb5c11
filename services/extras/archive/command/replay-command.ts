/** `crawlstream replay`: serves an archive to browsers and clients of Memento, until it is stopped. */
import { basename } from 'node:path';
import type { Command } from 'commander';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { addHttpAccessOptions } from '../../../cli/flags/http-flags.ts';
import { decodeBody } from '../../../fetcher/http/content-coding.ts';
import { type HttpFlags, withHttp } from '../../../hosting/options/http-side.ts';
import { type ListenAddress, parseListenAddress } from '../../../runtime/http/listen-address.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { say } from '../../../runtime/logging/say.ts';
import type { Service } from '../../../runtime/metrics/service.ts';
import { stopOnSignals } from '../../../runtime/stop-signals.ts';
import { indexOf } from '../merged-index.ts';
import { ArchiveIndex } from '../replay/archive-index.ts';
import { archiveOf } from '../replay/archive-of.ts';
import type { Decode } from '../replay/content.ts';
import { replayRoutes, replayTarget } from '../replay/replay-routes.ts';
import { servedFiles } from '../replay/served-files.ts';

interface ReplayFlags extends HttpFlags {
  readonly data?: string;
  readonly http: ListenAddress;
}

const usualAddress: ListenAddress = { host: '127.0.0.1', port: 9466 };

export function addReplayCommand(program: Command): void {
  const command = program
    .command('replay')
    .description('serve archived pages as they were at a time, for browsers and Memento clients')
    .argument('[files...]', 'WARC files, or folders of them; each with its index (.cdxj) beside it')
    .option('--data <folder>', 'data folder of a crawl with an archive');
  addHttpAccessOptions(command)
    .option(
      '--http <host:port>',
      'address to listen on; a port alone: on this machine only',
      (value) => parseListenAddress('--http', value),
      usualAddress,
    )
    .action(showArchive);
}

async function showArchive(given: readonly string[], flags: ReplayFlags): Promise<void> {
  const places = [...given, ...(flags.data === undefined ? [] : [await archiveOf(flags.data)])];
  if (places.length === 0) {
    throw new CrawlstreamError(
      'INVALID_ARGUMENT',
      'no archive is given: add WARC files, or the --data folder of a crawl',
    );
  }
  const files = await servedFiles(places, (file) =>
    say(`${file} has no index ${basename(indexOf(file))} beside it: indexing it in memory`, 'warn'),
  );
  const stop = new AbortController();
  const routes = [replayRoutes(new ArchiveIndex(files), files.length, decode)];
  const side = { role: 'replay', routes, rewriteUrl: replayTarget, say };
  await withHttp(flags, side, async ({ probes, listensOn, isSecure }: Service) => {
    const release = stopOnSignals(stop, 'stopping');
    probes.serve(() => null);
    toStdout(`archive: http${isSecure ? 's' : ''}://${listensOn}/\n`);
    await new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
    release();
  });
}

const decode: Decode = async (body, contentEncoding, bytesMax) => {
  const result = await decodeBody(body, contentEncoding, bytesMax);
  return 'error' in result ? null : result.body;
};
