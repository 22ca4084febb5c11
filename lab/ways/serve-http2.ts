/**
 * A connection of HTTP/2, on the server's side. Node's session reads the requests and answers SETTINGS and PING.
 * Responses are frames that this file writes to the same connection, unknown to the session.
 */
import { http2SessionOn } from '../web/http2-session.ts';
import { http2Parts } from './answer-parts.ts';
import { type Line, send } from './send.ts';
import type { AnswerFor } from './serve.ts';
import { frameOf, frameTypes, numbers } from './situations/h2-frames.ts';

export function serveHttp2(line: Line, answerFor: AnswerFor): void {
  const { socket } = line;
  const session = http2SessionOn(socket);
  session.on('stream', (stream, headers) => {
    const id = stream.id!;
    const fields = new Map(Object.entries(headers).map(([name, value]) => [name, `${value}`]));
    const answer = answerFor(fields.get(':authority') ?? '', fields.get(':path') ?? '', fields);
    if (answer.streamsMax !== undefined) session.settings({ maxConcurrentStreams: answer.streamsMax });
    void send(line, answer, http2Parts(answer, id), id).then((isOpen) => {
      if (!isOpen || answer.closes !== true) return;
      socket.end(frameOf(frameTypes.goAway, 0, 0, numbers(id, 0)));
    });
  });
}
