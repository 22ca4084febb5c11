/**
 * Hostile hosts, in a process of their own, so that what they do to themselves is not held against the crawler:
 * `attackers.ts PRIVATE-PORT`. Prints its port, and ends with its standard input. A line there is the port of a fleet's API.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { attack } from './attacks.ts';
import { answerAsSite, setFleetPort } from './fleet/hostile-sites.ts';

const privatePort = Number(process.argv[2]);
const server = createServer((request, response) => {
  const host = Number(/^www\.evil(\d+)\.test/.exec(request.headers.host ?? '')?.[1] ?? -1);
  response.on('error', () => {});
  const { port } = server.address() as AddressInfo;
  const target = { request, response, path: request.url ?? '/', port, privatePort };
  if (host >= 0) return attack({ ...target, host });
  if (!answerAsSite(request.headers.host ?? '', target)) response.writeHead(421).end();
});
server.on('connection', (socket) => socket.on('error', () => {}));
server.on('clientError', (_, socket) => socket.destroy());
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
createInterface({ input: process.stdin }).on('line', (line) => setFleetPort(Number(line)));
process.stdin.resume().once('end', () => process.exit(0));
