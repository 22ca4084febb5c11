/** Two streams, each of which reads what is written to the other, as two processes have. */
import { Duplex, PassThrough } from 'node:stream';

export function streamPair(): [Duplex, Duplex] {
  const [there, back] = [new PassThrough(), new PassThrough()];
  return [Duplex.from({ readable: back, writable: there }), Duplex.from({ readable: there, writable: back })];
}
