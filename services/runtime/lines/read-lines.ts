/** Lines of a file, plain or gzip, or of standard input (`-`); some thousand at a time. Empty lines count. */
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { MarkedTextDecoder } from './marked-text.ts';

/** Longest line that is read. */
const lineCharsMax = 16 * 2 ** 20;

/** Throws INVALID_ARGUMENT, naming the file, if it cannot be read. */
export async function* readLines(name: string): AsyncGenerator<string[]> {
  const source = name === '-' ? process.stdin : createReadStream(name, { highWaterMark: 2 ** 18 });
  const decoder = new MarkedTextDecoder();
  let rest = '';
  try {
    for await (const chunk of name.endsWith('.gz') ? source.pipe(gunzipOf(source)) : source) {
      const lines = (rest + decoder.write(chunk as Buffer)).split('\n');
      rest = lines.pop()!;
      if (rest.length > lineCharsMax) throw new Error(`a line has more than ${lineCharsMax} characters`);
      if (lines.length > 0) yield lines;
    }
    rest += decoder.end();
    if (rest !== '') yield [rest];
  } catch (error) {
    if (error instanceof CrawlstreamError) throw error;
    const why = (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'there is no such file' : (error as Error).message;
    throw new CrawlstreamError('INVALID_ARGUMENT', `${name} can't be read: ${why}`, error);
  } finally {
    source.destroy();
  }
}

function gunzipOf(source: Readable) {
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  return gunzip;
}
