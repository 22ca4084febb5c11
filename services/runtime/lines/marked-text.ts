/** Text of users' files: UTF-8, or UTF-16 with a byte order mark, as Windows' PowerShell writes redirected output. */
import { TextDecoder } from 'node:util';

/** Decodes bytes as they arrive; the text has no byte order mark. */
export class MarkedTextDecoder {
  #decoder: TextDecoder | undefined;
  #first = Buffer.alloc(0);

  write(chunk: Uint8Array): string {
    if (this.#decoder !== undefined) return this.#decoder.decode(chunk, { stream: true });
    this.#first = Buffer.concat([this.#first, chunk]);
    if (this.#first.length < 2) return '';
    this.#decoder = new TextDecoder(encodingOf(this.#first));
    return this.#decoder.decode(this.#first, { stream: true });
  }

  end(): string {
    return this.#decoder === undefined ? this.#first.toString() : this.#decoder.decode();
  }
}

export function markedText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
