/** The server: crawls behind, gRPC in front. */

import { type GrpcListen, serveGrpc } from '../../runtime/grpc/grpc-server.ts';
import { errorOf } from '../../runtime/thrown.ts';
import type { CrawlBook } from './crawl-book.ts';
import type { GroupPeers } from './group-peers.ts';
import { methodsOf } from './methods.ts';
import { alone } from './pass-on.ts';
import { callsPackage, RequestLog } from './request-log.ts';
import { codecOf } from './wire.ts';

export const urlfrontierService = 'urlfrontier.URLFrontier';

export interface ServerOptions {
  readonly book: CrawlBook;
  readonly listen: GrpcListen;
  /** The other processes that serve these crawls; absent: there are none. */
  readonly peers?: GroupPeers | undefined;
  say(text: string): void;
}

export interface UrlfrontierServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startServer({ book, listen, peers, say }: ServerOptions): Promise<UrlfrontierServer> {
  const log = new RequestLog(say);
  let port = listen.port;
  const methods = methodsOf({
    crawls: book,
    log,
    peers: peers ?? alone,
    nodes: peers?.nodes ?? (async () => [`${listen.host}:${port}`]),
    isActive: () => book.policy?.paused !== true,
    configure: book.configure,
  });
  const onBug = (error: unknown) => log.write('ERROR', () => `${callsPackage}: ${errorOf(error).stack}`);
  const server = await serveGrpc(urlfrontierService, methods, codecOf, listen, onBug);
  port = server.port;
  return server;
}
