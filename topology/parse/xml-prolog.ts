/**
 * Reads the prolog of an XML document (XML 1.0 §2.8): declaration, comments, processing instructions, and a DOCTYPE
 * with an internal subset that may hold all of these and quoted markup.
 *
 * The text comes in pieces of any size. Linear in its length; only a few characters of the text are kept.
 */

export interface PrologReader {
  /** Returns the text from the root element on; null: the root has not begun. */
  write(text: string): string | null;
  /** Name of the DOCTYPE in lower case; empty: none so far. */
  readonly doctype: string;
}

type Place = 'prolog' | 'doctype' | 'subset';

/** Longest beginning that identifies markup: `<!DOCTYPE`. */
const markChars = 9;
const nameCharsMax = 256;
const doctypeStart = /^<!doctype/i;
/** Characters that matter within a DOCTYPE, and within its subset. */
const doctypeMarks = /["'[>]/g;
const subsetMarks = /["'\]]|<!--|<\?/g;

export function createPrologReader(): PrologReader {
  let rest = '';
  let place: Place = 'prolog';
  /** End of the current comment, instruction or quoted text. */
  let until = '';
  let doctype = '';
  /** The name of the DOCTYPE is still incomplete. */
  let naming = false;

  /** Skips past `until`; false: the text so far does not contain it. */
  const skip = (): boolean => {
    const end = rest.indexOf(until);
    rest = end < 0 ? rest.slice(Math.max(0, rest.length - until.length + 1)) : rest.slice(end + until.length);
    if (end < 0) return false;
    until = '';
    return true;
  };
  /** One piece of markup between the beginning and the root. True: there may be another. */
  const readProlog = (): boolean => {
    rest = rest.trimStart();
    if (rest.length < markChars && !/>|^<[^!?]|^[^<]/.test(rest)) return false;
    if (rest.startsWith('<!--')) [until, rest] = ['-->', rest.slice(4)];
    else if (rest.startsWith('<?')) [until, rest] = ['?>', rest.slice(2)];
    else if (doctypeStart.test(rest)) [place, naming, rest] = ['doctype', true, rest.slice(markChars)];
    else if (rest.startsWith('<!')) [until, rest] = ['>', rest.slice(2)];
    // Between prolog and root, text such as a stray byte order mark is not markup.
    else if (rest !== '' && !rest.startsWith('<')) rest = rest.slice(firstMark(rest));
    else return false;
    return rest !== '';
  };
  const readName = (): boolean => {
    const name = /^\s*([^\s[>"']*)(.)?/s.exec(rest)!;
    if (name[2] === undefined && rest.length < nameCharsMax) return false;
    [doctype, naming] = [name[1]!.toLowerCase(), false];
    return true;
  };
  const readDoctype = (): boolean => {
    if (naming && !readName()) return false;
    const marks = place === 'doctype' ? doctypeMarks : subsetMarks;
    marks.lastIndex = 0;
    const found = marks.exec(rest);
    if (found === null) {
      // A comment of the subset may begin in the next piece.
      rest = rest.slice(-3);
      return false;
    }
    const [mark] = found;
    rest = rest.slice(found.index + mark.length);
    if (mark === '[') place = 'subset';
    else if (mark === ']') place = 'doctype';
    else if (mark === '>') place = 'prolog';
    else until = mark === '<!--' ? '-->' : mark === '<?' ? '?>' : mark;
    return rest !== '';
  };
  return {
    write(text) {
      rest += text;
      for (let more = rest !== ''; more; ) {
        if (until !== '') more = skip() && rest !== '';
        else more = place === 'prolog' ? readProlog() : readDoctype();
      }
      const isRoot = until === '' && place === 'prolog' && /^<[^!?]/.test(rest);
      return isRoot ? rest : null;
    },
    get doctype() {
      return doctype;
    },
  };
}

function firstMark(text: string): number {
  const at = text.indexOf('<');
  return at < 0 ? text.length : at;
}
