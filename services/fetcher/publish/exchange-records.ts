/** Records of exchanges with hosts, for archives: each names the policy that was in force. */
import { hash } from 'node:crypto';
import type { Response } from '../../../schemas/types.ts';
import type { HttpResponse } from '../http/client.ts';
import { responseRecord } from '../http/response-record.ts';
import type { PacedRequest } from '../pace/paced-request.ts';

export interface ExchangeRecords {
  take(request: PacedRequest, response: HttpResponse, noArchiveFromMs?: number): void;
  /** `payload`: the policy as it is on `control`. */
  setPolicy(version: number, payload: string): void;
}

/** `bodyBytesMax`: what a message may carry. */
export function createExchangeRecords(bodyBytesMax: number, publish: (record: Response) => void): ExchangeRecords {
  let policy = { policyVersion: 0, policyHash: '' };
  return {
    take(request, response, noArchiveFromMs = -1) {
      const { hostKey, kind = 'other', depth = -1 } = request;
      const record = responseRecord(request, response, bodyBytesMax, {
        ...{ hostKey, kind, depth, noArchiveFromMs },
        ...policy,
      });
      if (record !== undefined) publish(record);
    },
    setPolicy(version, payload) {
      policy = { policyVersion: version, policyHash: hash('sha256', payload, 'hex').slice(0, 32) };
    },
  };
}
