/** A document as a browser's scripts left it, as a record of `responses`, for archives. */
import { blankResponse } from '../../../schemas/blank.ts';
import type { Response } from '../../../schemas/types.ts';
import type { BodyArchive } from '../http/kept-body.ts';

export interface RenderedDocument extends Pick<Response, 'url' | 'hostKey' | 'depth' | 'status' | 'noArchiveFromMs'> {
  readonly html: string;
  readonly atMs: number;
}

/** A document that is too long for a message goes into a file; without a folder for files, it is cut. */
export async function renderedRecord(
  { html, atMs, ...known }: RenderedDocument,
  { bodyBytesMax, messageBytesMax, files }: BodyArchive,
): Promise<Response> {
  const whole = Buffer.from(html);
  const record = {
    ...blankResponse,
    ...known,
    requestBody: Buffer.alloc(0),
    kind: 'rendered',
    fetchedAtMs: atMs,
    headers: ['content-type', 'text/html; charset=utf-8'],
  };
  const body = whole.subarray(0, files === undefined ? Math.min(bodyBytesMax, messageBytesMax) : bodyBytesMax);
  const truncatedBy = body.length < whole.length ? 'length' : '';
  const made = { ...record, truncated: truncatedBy !== '', truncatedBy };
  if (body.length <= messageBytesMax || files === undefined) return { ...made, body };
  const file = files.open(() => {});
  file.write(body);
  const filed = await file.finish();
  if (filed === null)
    return { ...made, body: body.subarray(0, messageBytesMax), truncated: true, truncatedBy: 'unspecified' };
  return { ...made, body: Buffer.alloc(0), bodyFile: filed.name, bodyBytes: filed.bytes, bodyDigest: filed.digest };
}
