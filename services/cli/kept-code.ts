/**
 * Loads a script that was built as one file, with the code that V8 kept of it. V8 refuses code that another version of V8,
 * another processor architecture or other options of V8 made; then the script is compiled as if there were none.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

export interface LoadedScript {
  readonly exports: unknown;
  /** Did V8 take the code that was kept? */
  readonly fromKept: boolean;
  /** The file to write, with the code of all functions that have run so far. */
  code(): { readonly file: string; readonly bytes: Buffer };
}

/** `file`: a CommonJS module in ASCII that is wrapped in `(function (exports, require, module, scriptUrl, importModule) { … })`. */
export function loadScript(file: string): LoadedScript {
  const bytes = readFileSync(file);
  const cachedData = readKept(keptFile(file), bytes);
  const script = new Script(bytes.toString('latin1'), {
    filename: file,
    ...(cachedData !== null && { cachedData }),
  });
  const module = { exports: {} };
  const importModule = (name: string): Promise<unknown> => import(name);
  script.runInThisContext()(module.exports, createRequire(file), module, pathToFileURL(file).href, importModule);
  return {
    exports: module.exports,
    fromKept: script.cachedDataRejected === false,
    code: () => ({ file: keptFile(file), bytes: withChecksums(script.createCachedData(), bytes) }),
  };
}

/** The file starts with two checksums, of the code and of the script: 4 bytes each. */
const headBytes = 8;

/**
 * Null: there is none, or it cannot be read, is damaged, or is of another script. V8 compares only the script's length,
 * and runs damaged code.
 */
function readKept(kept: string, script: Buffer): Buffer | null {
  const file = bytesOf(kept);
  if (file === null || file.length <= headBytes) return null;
  const code = file.subarray(headBytes);
  return file.readUInt32LE(0) === crc32(code) && file.readUInt32LE(4) === crc32(script) ? code : null;
}

function bytesOf(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
}

function withChecksums(code: Buffer, script: Buffer): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(crc32(code), 0);
  head.writeUInt32LE(crc32(script), 4);
  return Buffer.concat([head, code]);
}

/** V8's options are part of the name: with another size of the heap it refuses code, though that does not depend on it. */
function keptFile(file: string): string {
  const semiSpace = process.execArgv.find((word) => word.startsWith('--max-semi-space-size=')) ?? '';
  return `${file}.${process.arch}-${process.versions.v8}${semiSpace.replace('--max-semi-space-size=', '-semi')}.code`;
}
