/**
 * XML as a stream of elements and text, by htmlparser2's Tokenizer in XML mode.
 *
 * Only the five predefined entities and numeric references are expanded. DTDs are skipped, so neither internal nor
 * external entities can do harm. Markup need not be well formed. The text may come in pieces of any size; only the
 * last `sliceChars` of it are kept, so a longer token loses its beginning (no location is that long).
 */
import { Tokenizer } from 'htmlparser2';
import { decodeXmlText } from './entities.ts';
import { parseLimits } from './parse-limits.ts';

export interface XmlEvents {
  /**
   * Names are in lower case; `prefix` is empty if there is none. `value` returns an attribute, or an empty string.
   * `values` has all attributes, and is valid during the call only.
   */
  open(prefix: string, name: string, value: (attribute: string) => string, values: ReadonlyMap<string, string>): void;
  close(prefix: string, name: string): void;
  text(text: string): void;
}

export interface XmlScanner {
  write(xml: string): void;
  /** Call at the end. True: the text breaks off inside markup. */
  end(): boolean;
}

export function createXmlScanner(events: XmlEvents): XmlScanner {
  return new TokenScanner(events);
}

class TokenScanner implements XmlScanner {
  readonly #events: XmlEvents;
  readonly #tokenizer: Tokenizer;
  /** The text from `windowStart` on; offsets of the tokenizer count from the very beginning. */
  #window = '';
  #windowStart = 0;
  #prefix = '';
  #name = '';
  #attributeName = '';
  #valueStart = -1;
  #valueEnd = -1;
  #textStart = -1;
  #textEnd = -1;
  readonly #values = new Map<string, string>();

  constructor(events: XmlEvents) {
    this.#events = events;
    this.#tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: false }, this.#callbacks());
  }

  readonly #read = (attribute: string) => this.#values.get(attribute) ?? '';
  #cut(start: number, end: number) {
    return this.#window.slice(Math.max(start - this.#windowStart, 0), Math.max(end - this.#windowStart, 0));
  }

  /** Neighbouring pieces go out as one, or a reference that lies across them would be lost. */
  #endText() {
    if (this.#textStart >= 0) this.#events.text(decodeXmlText(this.#cut(this.#textStart, this.#textEnd)));
    this.#textStart = -1;
  }

  readonly #split = (start: number, end: number) => {
    this.#endText();
    const full = this.#cut(start, Math.min(end, start + nameCharsMax)).toLowerCase();
    const colon = full.indexOf(':');
    this.#prefix = colon < 0 ? '' : full.slice(0, colon);
    this.#name = colon < 0 ? full : full.slice(colon + 1);
  };

  readonly #openTag = () => {
    this.#events.open(this.#prefix, this.#name, this.#read, this.#values);
    this.#values.clear();
  };

  /** Callbacks for the tokenizer. */
  #callbacks(): Callbacks {
    return {
      onopentagname: this.#split,
      onattribname: (start, end) => {
        this.#attributeName = this.#cut(start, Math.min(end, start + nameCharsMax)).toLowerCase();
        this.#valueStart = this.#valueEnd = -1;
      },
      onattribdata: (start, end) => {
        if (this.#valueStart < 0) this.#valueStart = start;
        this.#valueEnd = end;
      },
      onattribend: () => {
        if (
          this.#valueStart < 0 ||
          this.#valueEnd - this.#valueStart > parseLimits.hrefCharsMax ||
          this.#values.size >= attributesMax
        )
          return;
        if (!this.#values.has(this.#attributeName))
          this.#values.set(this.#attributeName, decodeXmlText(this.#cut(this.#valueStart, this.#valueEnd)));
      },
      onopentagend: this.#openTag,
      onselfclosingtag: () => {
        this.#openTag();
        this.#events.close(this.#prefix, this.#name);
      },
      onclosetag: (start, end) => {
        this.#split(start, end);
        this.#events.close(this.#prefix, this.#name);
      },
      ontext: (start, end) => {
        if (this.#textStart >= 0 && (start !== this.#textEnd || end - this.#textStart > parseLimits.hrefCharsMax))
          this.#endText();
        if (this.#textStart < 0) this.#textStart = start;
        this.#textEnd = end;
      },
      oncdata: (start, end, endOffset) => {
        this.#endText();
        this.#events.text(this.#cut(start, end - endOffset));
      },
      onend: ignore,
      oncomment: ignore,
      ondeclaration: ignore,
      onprocessinginstruction: ignore,
      onattribentity: ignore,
      ontextentity: ignore,
    };
  }
  write(xml: string): void {
    const { sliceChars } = parseLimits;
    for (let at = 0; at < xml.length; at += sliceChars) {
      const slice = xml.slice(at, at + sliceChars);
      const kept = this.#window.slice(-sliceChars);
      this.#windowStart += this.#window.length - kept.length;
      this.#window = kept + slice;
      this.#tokenizer.write(slice);
    }
  }

  end(): boolean {
    this.#endText();
    return this.#window.lastIndexOf('<') > this.#window.lastIndexOf('>');
  }
}

type Callbacks = ConstructorParameters<typeof Tokenizer>[1];

function ignore(): void {}

const nameCharsMax = 256;
const attributesMax = 32;
