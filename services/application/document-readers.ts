/** Readers of documents that the extras of this program offer. */
import { installed } from '../extras/installed.ts';
import type { DocumentReader } from '../fetcher/pages/document-reader.ts';

export const installedReaders: readonly DocumentReader[] = installed.flatMap(({ readers = [] }) => readers);
