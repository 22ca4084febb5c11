/** Refuses a call with 429. `waitS`: seconds after which to retry. 0: waiting does not help. */
export function tooMany(
  reply: { header(name: string, value: string): unknown },
  { message, waitS }: { readonly message: string; readonly waitS: number },
): Error {
  if (waitS > 0) reply.header('retry-after', `${waitS}`);
  return Object.assign(new Error(message), { statusCode: 429, code: 'TOO_MANY' });
}
