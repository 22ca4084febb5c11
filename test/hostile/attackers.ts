/**
 * Hostile hosts, in a process of their own, so that what they do to themselves is not held against the crawler:
 * `attackers.ts PRIVATE-PORT`. Prints its port, and ends with its standard input.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { attack } from './attacks.ts';

const privatePort = Number(process.argv[2]);
const server = createServer((request, response) => {
  const host = Number(/^www\.evil(\d+)\.test/.exec(request.headers.host ?? '')?.[1] ?? -1);
  response.on('error', () => {});
  if (host < 0) return response.writeHead(421).end();
  const { port } = server.address() as AddressInfo;
  return attack({ request, response, path: request.url ?? '/', host, port, privatePort });
});
server.on('connection', (socket) => socket.on('error', () => {}));
server.on('clientError', (_, socket) => socket.destroy());
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
process.stdin.resume().once('end', () => process.exit(0));
