/**
 * Unread answers in memory, by caller. A caller that does not read gets no further answers, and an answer that is
 * never read is given up.
 */
import type { ServerResponse } from 'node:http';
import { httpLimits } from './http-limits.ts';

export class AnswersUnderWay {
  readonly #bytes = new Map<string, number>();

  /** Bytes of a caller's answers that are not read yet. */
  of(caller: string): number {
    return this.#bytes.get(caller) ?? 0;
  }

  /**
   * Returns whether an answer of this size may be sent. It counts until it has been read, or its connection is
   * closed.
   */
  add(caller: string, bytes: number, response: ServerResponse): boolean {
    const before = this.of(caller);
    // A single answer may have any length.
    if (before > 0 && before + bytes > httpLimits.unreadBytesMax) return false;
    this.#bytes.set(caller, before + bytes);
    const { socket } = response;
    const giveUp = () => void socket?.destroy();
    if (bytes >= httpLimits.watchedBytes) socket?.setTimeout(httpLimits.unreadMs, giveUp);
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      // The server sets its own timeout for the next request.
      socket?.removeListener('timeout', giveUp);
      const left = this.of(caller) - bytes;
      if (left > 0) this.#bytes.set(caller, left);
      else this.#bytes.delete(caller);
    };
    response.once('finish', end);
    response.once('close', end);
    return true;
  }
}
