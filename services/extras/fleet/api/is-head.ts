import type { HttpRequest } from '../../../runtime/http/http-server.ts';

/** A HEAD gets only the header fields: a stream has no length and no end. */
export function isHead({ method }: HttpRequest): boolean {
  return method === 'HEAD';
}
