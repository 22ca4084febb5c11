/**
 * Reads a server's certificate and key from files, again and again, so that a renewal needs no restart.
 *
 * They are separate files, so between two writes they do not match. A new pair is used once it matches; until then the
 * previous pair is used.
 */
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { CrawlstreamError } from '../../../topology/errors.ts';

/** Interval of reading the files, ms: a renewal may take days, but a revoked certificate should be replaced soon. */
const lookEveryMs = 10_000;

/** PEM. */
export interface CertificateAndKey {
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface TlsPair {
  readonly now: CertificateAndKey;
  /** Calls `take` with each new pair, until the returned function is called. */
  watch(take: (pair: CertificateAndKey) => void): () => void;
}

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** The options that name them, for errors. */
  readonly options: readonly [cert: string, key: string];
}

/**
 * Throws INVALID_ARGUMENT if the files cannot be used. `onTrouble` is called once if they have changed and cannot be
 * used.
 */
export function openTlsPair(files: TlsFiles, onTrouble: (message: string) => void, everyMs = lookEveryMs): TlsPair {
  let now = read(files);
  let refused = '';
  const listeners = new Set<(pair: CertificateAndKey) => void>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    try {
      const next = read(files);
      refused = '';
      if (next.cert.equals(now.cert) && next.key.equals(now.key)) return;
      now = next;
      for (const take of listeners) take(next);
    } catch (error) {
      const { message } = error as Error;
      if (message !== refused) onTrouble(`${message}; the old certificate stays in use`);
      refused = message;
    }
  };
  return {
    get now() {
      return now;
    },
    watch(take) {
      listeners.add(take);
      timer ??= setInterval(look, everyMs).unref();
      return () => {
        listeners.delete(take);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

function read({ cert: certFile, key: keyFile, options: [certOption, keyOption] }: TlsFiles): CertificateAndKey {
  const pair = { cert: readOne(certOption, certFile), key: readOne(keyOption, keyFile) };
  try {
    createSecureContext(pair);
    return pair;
  } catch (error) {
    const message = `${certOption} ${certFile} and ${keyOption} ${keyFile} do not match (${(error as Error).message}): give a certificate and its own key, both in PEM`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message, error);
  }
}

function readOne(option: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new CrawlstreamError('INVALID_ARGUMENT', `${option} ${file}: ${(error as Error).message}`, error);
  }
}
