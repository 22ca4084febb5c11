/** One viewer's stream: `text/event-stream` (WHATWG HTML, 9.2) over a response that stays open. */
import type { ServerResponse } from 'node:http';
import type { ViewEvent, Viewer, Viewers } from './viewers.ts';

export function streamTo(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  client: string,
  viewers: Pick<Viewers, 'add' | 'remove'>,
): void {
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8', connection: 'keep-alive' });
  response.flushHeaders();
  const viewer: Viewer = {
    client,
    send({ event, data }: ViewEvent) {
      // The event `over` is sent even to a slow viewer, since it is sent only once.
      if (response.destroyed || (response.writableNeedDrain && event !== 'over')) return false;
      // JSON has no line breaks.
      response.write(`event: ${event}\ndata: ${data}\n\n`);
      return true;
    },
    end: () => void response.end(),
  };
  response.on('close', () => viewers.remove(viewer));
  response.on('error', () => viewers.remove(viewer));
  viewers.add(viewer);
}
