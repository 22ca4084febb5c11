import { createServer } from 'node:net';

let next = 20_000 + (process.pid % 8_000);

/** A free port of 127.0.0.1, below those that systems give to outgoing connections. */
export async function loopbackPort(): Promise<number> {
  for (let tries = 0; tries < 1_000; tries++) {
    const port = next++;
    if (await isFree(port)) return port;
  }
  throw new Error('no free port from 20000 on');
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
