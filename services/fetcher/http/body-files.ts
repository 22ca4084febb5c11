/**
 * Stores bodies that are too large for a message as files, in a folder that fetchers and the archive share.
 *
 * A file gets its name once it is whole and synced, so that a record never names a file that a power cut destroyed. A
 * process that dies leaves `.part` files, and whole ones that no record names; the reader of the bodies removes both.
 */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream, mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { renameWritten } from '../../runtime/disk/durable-names.ts';

export interface FiledBody {
  readonly name: string;
  readonly bytes: number;
  /** SHA-1, hexadecimal. */
  readonly digest: string;
}

export interface BodyFile {
  /** False: the disk is behind; `onDrain` is called when it no longer is. */
  write(chunk: Buffer): boolean;
  /** Null: the disk did not take it. */
  finish(): Promise<FiledBody | null>;
  discard(): void;
}

export interface BodyFiles {
  open(onDrain: () => void): BodyFile;
  remove(name: string): void;
}

export function createBodyFiles(folder: string): BodyFiles {
  mkdirSync(folder, { recursive: true });
  return {
    open(onDrain) {
      const name = randomUUID();
      const path = join(folder, name);
      const part = `${path}.part`;
      const hash = createHash('sha1');
      const stream = createWriteStream(part, { flags: 'wx' });
      let bytes = 0;
      let hasFailed = false;
      stream.on('drain', onDrain);
      const closed = new Promise<void>((resolve) => stream.once('close', resolve));
      stream.on('error', () => {
        hasFailed = true;
        onDrain();
      });
      const discard = () => {
        stream.destroy();
        void closed.then(() => rm(part, { force: true })).catch(() => {});
      };
      return {
        write(chunk) {
          if (hasFailed) return true;
          bytes += chunk.length;
          hash.update(chunk);
          return stream.write(chunk);
        },
        async finish() {
          stream.end();
          await closed;
          try {
            if (hasFailed) throw new Error('the disk did not take it');
            await renameWritten(part, path);
            return { name, bytes, digest: hash.digest('hex') };
          } catch {
            discard();
            return null;
          }
        },
        discard,
      };
    },
    remove: (name) => void rm(join(folder, name), { force: true }).catch(() => {}),
  };
}
