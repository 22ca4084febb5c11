/** The server: crawls behind, gRPC in front. */
import type { CrawlBook } from './crawl-book.ts';
import { type GrpcListen, serveGrpc } from './grpc-server.ts';
import { methodsOf } from './methods.ts';
import { callsPackage, RequestLog } from './request-log.ts';

export const urlfrontierPort = 7071;

export interface ServerOptions {
  readonly book: CrawlBook;
  readonly listen: GrpcListen;
  /** `host:port` of every process that serves these crawls; absent: this one alone. */
  readonly nodes?: () => Promise<readonly string[]>;
  say(text: string): void;
}

export interface UrlfrontierServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startServer({ book, listen, nodes, say }: ServerOptions): Promise<UrlfrontierServer> {
  const log = new RequestLog(say);
  let port = listen.port;
  const methods = methodsOf({
    crawls: book,
    log,
    nodes: nodes ?? (async () => [`${listen.host}:${port}`]),
    isActive: () => book.policy?.paused !== true,
    configure: book.configure,
  });
  const onBug = (error: unknown) => log.tell('ERROR', () => `${callsPackage}: ${(error as Error).stack ?? error}`);
  const server = await serveGrpc('urlfrontier.URLFrontier', methods, listen, onBug);
  port = server.port;
  return server;
}
