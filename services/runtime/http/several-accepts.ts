/**
 * Accepts several connections in each turn of the event loop.
 *
 * Node (libuv since 1.45) accepts one connection a turn for each listening socket. The loop of a busy fleet has some tens
 * of turns a second. So a few dozen new connections a second, which need no key, made all others wait for half a minute:
 * beyond the backlog the system drops them, and the caller's system tries again after 1, 3, 7 and 15 s.
 *
 * A process that lives for a tenth of a second passes copies of the listening socket back. Each copy accepts one
 * connection a turn, too. Where such a process cannot start, one connection a turn remains.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { httpLimits } from './http-limits.ts';

const script = `
  process.once('message', (copies, socket) => {
    let left = copies;
    const sent = () => { if (--left === 0) process.exit(); };
    for (let n = 0; n < copies; n++) process.send(n, socket, {}, sent);
  });`;

/** Until the returned function is called, which ends when all connections of the copies have ended. */
export function acceptSeveral(server: Server): () => Promise<void> {
  const copies: Server[] = [];
  let isClosed = false;
  const take = (socket: Server) => {
    const { allowHalfOpen } = server as unknown as { readonly allowHalfOpen: boolean };
    const copy = createServer({ allowHalfOpen, noDelay: true }, (connection) => server.emit('connection', connection));
    // An accept that failed is tried again in the next turn.
    copy.on('error', () => {});
    copy.listen(socket);
    copies.push(copy);
    if (isClosed) copy.close();
  };
  const ended = passBack(server, take);
  return async () => {
    isClosed = true;
    ended.stop();
    const closed = copies.map((copy) => new Promise<void>((done) => copy.close(() => done())));
    await Promise.all([ended.whole, ...closed]);
  };
}

/** If no process can start (no descriptor, no memory), nothing is taken. */
function passBack(server: Server, take: (socket: Server) => void): { stop(): void; readonly whole: Promise<unknown> } {
  try {
    // Without NODE_OPTIONS: the hooks that they name would run in that process, too.
    const child = spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const whole = once(child, 'close').catch(() => {});
    child.on('message', (_, socket) => take(socket as Server));
    child.send(httpLimits.acceptsATurn - 1, (server as unknown as { readonly _handle: Server })._handle, () => {});
    return { whole, stop: () => child.kill('SIGKILL') };
  } catch {
    return { whole: Promise.resolve(), stop: () => {} };
  }
}
