/** A connection of HTTP/1.1, on the server's side. */
import { http1Parts } from './answer-parts.ts';
import { type Line, send } from './send.ts';
import type { AnswerFor } from './serve.ts';

export function serveHttp1(line: Line, answerFor: AnswerFor): void {
  let head = '';
  let isBusy = false;
  const next = async () => {
    const end = head.indexOf('\r\n\r\n');
    if (end < 0 || isBusy) return;
    const [first = '', ...lines] = head.slice(0, end).split('\r\n');
    head = head.slice(end + 4);
    const fields = new Map(
      lines.map((one) => [one.slice(0, one.indexOf(':')).toLowerCase(), one.slice(one.indexOf(':') + 1).trim()]),
    );
    isBusy = true;
    const answer = answerFor(fields.get('host') ?? '', first.split(' ')[1] ?? '', fields);
    const isOpen = await send(line, answer, http1Parts(answer));
    if (isOpen && (answer.closes === true || answer.framing === 'close' || answer.bytes !== undefined))
      line.socket.end();
    isBusy = false;
    if (isOpen) void next();
  };
  line.socket.on('data', (bytes) => {
    head += bytes.toString('latin1');
    void next();
  });
}
