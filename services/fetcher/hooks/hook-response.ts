/** Converts a response for hooks, and their changes back for the fetcher. */
import type { HttpResponse } from '../http/client.ts';
import type { HookResponse, ResponseChange } from './fetch-hooks.ts';

export function hookResponse(url: string, { status, headers, body }: HttpResponse): HookResponse {
  const named: Record<string, string> = Object.create(null);
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i]!;
    named[name] = named[name] === undefined ? headers[i + 1]! : `${named[name]}, ${headers[i + 1]}`;
  }
  return { url, status, headers: named, body };
}

/** Named headers replace the received ones; the others stay. */
export function withHookResponse(response: HttpResponse, { status, headers, body }: ResponseChange): HttpResponse {
  const kept: string[] = [];
  const replaced = new Set(Object.keys(headers ?? {}).map((name) => name.toLowerCase()));
  for (let i = 0; i < response.headers.length; i += 2) {
    if (!replaced.has(response.headers[i]!)) kept.push(response.headers[i]!, response.headers[i + 1]!);
  }
  for (const [name, value] of Object.entries(headers ?? {})) kept.push(name.toLowerCase(), `${value}`);
  if (status !== undefined && !(Number.isInteger(status) && status >= 100 && status <= 599))
    throw new Error(`status ${status} is not a whole number from 100 to 599`);
  if (body !== undefined && !(body instanceof Uint8Array)) throw new Error('body is not a Uint8Array');
  return {
    ...response,
    status: status ?? response.status,
    headers: kept,
    ...(body !== undefined && { body: Buffer.from(body.buffer, body.byteOffset, body.byteLength) }),
  };
}
