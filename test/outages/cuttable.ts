/** A way to a port of this machine that can be cut: while it is, connections are refused, and those that were are gone. */
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface Cuttable {
  readonly port: number;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

export async function cuttable(port: number, to: number): Promise<Cuttable> {
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  const mend = async () => {
    const listening = createServer((near) => {
      const far = connect(to, '127.0.0.1');
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(one);
        one
          .on('error', () => other.destroy())
          .once('close', () => {
            sockets.delete(one);
            other.destroy();
          });
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve, reject) => {
      listening.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    server = listening;
  };
  await mend();
  return {
    port,
    mend,
    async cut() {
      const closed = new Promise((resolve) => server?.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
