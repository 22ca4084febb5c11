/** The thread with the socket of a name server: it passes queries on, and sends the answers. */
import { createSocket } from 'node:dgram';
import { parentPort, workerData } from 'node:worker_threads';

/** A query, or the answer to one, and its other end. */
export interface Datagram {
  readonly bytes: Uint8Array;
  readonly port: number;
  readonly address: string;
}

/** A query; the port of the socket; or the reason why there is none. */
export type ThreadMessage = Datagram | { readonly bound: number } | { readonly code: string; readonly text: string };

/** Bytes of unread queries that the system is asked to keep: it gives less where it may. */
const unreadBytes = 4 * 1024 * 1024;

const report = (message: ThreadMessage) => parentPort!.postMessage(message);
const socket = createSocket({ type: 'udp4', recvBufferSize: unreadBytes });
socket.on('message', (bytes, { port, address }) => report({ bytes, port, address }));
socket.on('error', ({ code = '', message: text }: NodeJS.ErrnoException) => report({ code, text }));
parentPort!.on('message', ({ bytes, port, address }: Datagram) => socket.send(bytes, port, address));
socket.bind(workerData as { readonly address: string; readonly port: number }, () =>
  report({ bound: socket.address().port }),
);
