/**
 * JSON as pages embed it (JSON-LD 1.1 §7.2, "Embedding JSON-LD in HTML Documents"), with what templates and editors put into it.
 *
 * Beside JSON (RFC 8259) it takes: line ends, tabs and other control characters within strings; escapes of JavaScript that JSON
 * lacks; comments of JavaScript and of HTML, CDATA marks; commas before a closing bracket or brace, and a semicolon at the end. The
 * work is linear in the length of the text.
 */

/** Undefined: it is not JSON, even so. */
export function parseLenientJson(text: string): unknown {
  return parseJson(asJson(text));
}

/** Undefined: it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Strings, comments, marks of comments, blanks, and what is between them. A string or comment that is not closed goes to the end. */
const token =
  /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|<!--|-->|<!\[CDATA\[|\]\]>|\s+|[^"/<\-\],\s]+|[\s\S]/g;

function asJson(text: string): string {
  const parts: string[] = [];
  let hasComma = false;
  for (const [part] of text.matchAll(token)) {
    if (part === ',') hasComma = true;
    else if (isBlank(part)) parts.push(' ');
    else {
      if (hasComma && part[0] !== ']' && part[0] !== '}') parts.push(',');
      hasComma = false;
      parts.push(part.startsWith('"') ? part.replace(oddities, mended) : part);
    }
  }
  return parts.join('').replace(/; *$/, '');
}

function isBlank(part: string): boolean {
  return part === '-->' || part === ']]>' || /^(?:\s|\/[/*]|<!)/.test(part);
}

/** An escape, or a character that a string must not contain (RFC 8259 §7). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
const oddities = /\\(?:\r\n|x[0-9a-f]{2}|[\s\S])|\r\n?|[\0-\x1f]/gi;

function mended(written: string): string {
  // A line end of HTML is LF, however it is sent (HTML standard §13.2.3.5).
  if (written[0] === '\r') return '\\n';
  if (written[0] !== '\\') return escaped(written);
  const behind = written.slice(1);
  if (behind.length > 2) return `\\u00${behind.slice(1)}`;
  if (/["\\/bfnrtu]/.test(behind)) return written;
  // JavaScript: a line end behind a backslash is nothing, and any other character is itself.
  return /[\r\n]/.test(behind) ? '' : behind < ' ' ? escaped(behind) : behind;
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
