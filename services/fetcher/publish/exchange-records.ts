/** Records of exchanges with hosts, for archives: each names the policy that was in force. */
import { hash } from 'node:crypto';
import type { Response } from '../../../schemas/types.ts';
import { createBodyFiles } from '../http/body-files.ts';
import type { HttpResponse } from '../http/client.ts';
import type { BodyArchive } from '../http/kept-body.ts';
import { responseRecord } from '../http/response-record.ts';
import type { PacedRequest } from '../pace/paced-request.ts';

/** The published exchanges for archives, as configured: plain data. */
export interface ArchiveConfig {
  /**
   * `all`: every exchange whole, including failures. `pages`: responses that were read, and the headers of the others.
   */
  readonly what: 'all' | 'pages';
  readonly bodyBytesMax: number;
  readonly messageBytesMax: number;
  /** Folder for bodies longer than a message. Absent: they are cut. */
  readonly folder?: string | undefined;
}

export function bodyArchive({ folder, ...archive }: ArchiveConfig): BodyArchive {
  return folder === undefined ? archive : { ...archive, files: createBodyFiles(folder) };
}

export interface ExchangeRecords {
  take(request: PacedRequest, response: HttpResponse, noArchiveFromMs?: number): void;
  /** A record that was made otherwise. */
  add(record: Response): void;
  /** A response that is not to be archived. */
  leave(response: HttpResponse): void;
  /** `payload`: the policy as it is on `control`. */
  setPolicy(version: number, payload: string): void;
}

export function createExchangeRecords(
  { what, messageBytesMax, files }: BodyArchive,
  publish: (record: Response) => void,
): ExchangeRecords {
  let policy = { policyVersion: 0, policyHash: '' };
  const leave = ({ kept }: HttpResponse) => {
    if (kept?.file != null) files?.remove(kept.file.name);
  };
  return {
    take(request, response, noArchiveFromMs = -1) {
      const { hostKey, kind = 'other', depth = -1 } = request;
      const context = { hostKey, kind, depth, noArchiveFromMs, ...policy };
      const record = responseRecord(request, response, messageBytesMax, context, what === 'all');
      if (record === undefined) leave(response);
      else publish(record);
    },
    add: (record) => publish({ ...record, ...policy }),
    leave,
    setPolicy(version, payload) {
      policy = { policyVersion: version, policyHash: hash('sha256', payload, 'hex').slice(0, 32) };
    },
  };
}
