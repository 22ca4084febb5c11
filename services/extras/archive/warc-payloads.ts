/** Payloads read lately, by digest, so that revisits find theirs: bounded in bytes, the oldest go first. */
export interface Payloads {
  keep(digest: string, body: Buffer): void;
  get(digest: string): Buffer | undefined;
}

export function createPayloads(bytesMax: number): Payloads {
  const held = new Map<string, Buffer>();
  let bytes = 0;
  return {
    keep(digest, body) {
      if (body.length === 0 || held.has(digest)) return;
      held.set(digest, body);
      bytes += body.length;
      for (const [oldest, { length }] of held) {
        if (bytes <= bytesMax) break;
        held.delete(oldest);
        bytes -= length;
      }
    },
    get: (digest) => held.get(digest),
  };
}
