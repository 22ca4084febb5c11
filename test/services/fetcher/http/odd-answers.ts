/** Answers over HTTP/1.1 that browsers and curl read though their lines are odd: each is a page of text/html, `<title>T</title>`. */
const body = '<title>T</title>';
const ok = 'HTTP/1.1 200 OK\r\n';
const type = 'Content-Type: text/html\r\n';
const length = `Content-Length: ${body.length}\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const [first, second] = [body.slice(0, 4), body.slice(4)];
const chunks = (line = '', between = '\r\n') =>
  `4${line}${between}${first}${between}c${line}${between}${second}${between}0${line}${between}\r\n`;
const sized = (fields: string) => `${ok}${type}${fields}${length}\r\n${body}`;
const inChunks = (fields: string, sent = chunks()) => `${ok}${type}${fields}\r\n${sent}`;
const interim = (status: string) => `HTTP/1.1 ${status}\r\nX: y\r\n\r\n`;

export const odd: Readonly<Record<string, string>> = {
  'length twice': sized(length),
  'length three times, in other letters': sized(`content-length:${body.length}\r\nCONTENT-LENGTH: ${body.length}\r\n`),
  'length as a list': `${ok}${type}Content-Length: ${body.length}, ${body.length}\r\n\r\n${body}`,
  'length before chunked': inChunks(length + chunked),
  'length behind chunked': inChunks(chunked + length),
  'a wrong length beside chunked': inChunks(`${chunked}Content-Length: 3\r\n`),
  'two lengths beside chunked': inChunks(`Content-Length: 3\r\n${chunked}Content-Length: 4\r\n`),
  'identity, chunked': inChunks('Transfer-Encoding: identity, chunked\r\n'),
  'chunked, identity': inChunks('Transfer-Encoding: chunked, identity\r\n'),
  'chunked, chunked': inChunks('Transfer-Encoding: chunked, chunked\r\n'),
  'identity and chunked in two fields': inChunks(`Transfer-Encoding: identity\r\n${chunked}`),
  'chunked and identity in two fields': inChunks(`${chunked}Transfer-Encoding: identity\r\n`),
  'identity beside a length': sized('Transfer-Encoding: identity\r\n'),
  'bare LF': sized('X: y\r\n').replaceAll('\r\n', '\n'),
  'bare LF in chunks': inChunks(chunked).replaceAll('\r\n', '\n'),
  'bare LF behind the status line alone': sized('').replace('\r\n', '\n'),
  'bare LF at the end of the head alone': sized('').replace('\r\n\r\n', '\r\n\n'),
  'bare LF in the fields alone': sized('A: b\nC: d\n'),
  'CR CR LF': sized('A: b\r\r\n'),
  'CR CR LF at the end of the head': sized('').replace('\r\n\r\n', '\r\n\r\r\n'),
  'folded by a space': sized('Set-Cookie: a=b;\r\n path=/\r\n'),
  'folded by a tab': sized('Set-Cookie: a=b;\r\n\tpath=/\r\n'),
  'folded content type': `${ok}Content-Type:\r\n text/html\r\n${length}\r\n${body}`,
  'folded length': `${ok}${type}Content-Length:\r\n ${body.length}\r\n\r\n${body}`,
  'folded transfer coding': inChunks('Transfer-Encoding: identity,\r\n chunked\r\n'),
  'folded by a bare LF': sized('A: b;\n c\n'),
  'folded behind the status line': `${ok} stray\r\n${type}${length}\r\n${body}`,
  'a space before the colon': `${ok}Content-Type : text/html\r\n${length}\r\n${body}`,
  'a tab before the colon': `${ok}Content-Type\t: text/html\r\n${length}\r\n${body}`,
  'a space before the colon of the length': `${ok}${type}Content-Length : ${body.length}\r\n\r\n${body}`,
  'spaces in a name': sized('X Powered By: me\r\n'),
  'letters in a name that are no token': sized('X(A)[1]@{b}"/\\: me\r\n'),
  'bytes beyond ASCII in a name': sized('caf\xe9: me\r\n'),
  'no name': sized(': me\r\n'),
  'no colon': sized('garbage\r\n'),
  'control character in a value': sized('X-A: a\x01b\r\n'),
  'all control characters in values': sized(
    [1, 2, 7, 8, 11, 12, 14, 27, 31, 127].map((code) => `X-${code}: a${String.fromCharCode(code)}b\r\n`).join(''),
  ),
  'NUL in a value': sized('X-A: a\0b\r\n'),
  'lone CR in a value': sized('X-A: a\rb\r\n'),
  'two spaces in the status line': sized('').replace('HTTP/1.1 200', 'HTTP/1.1  200'),
  'a tab in the status line': sized('').replace('HTTP/1.1 200', 'HTTP/1.1\t200'),
  'http in small letters': sized('').replace('HTTP/1.1', 'http/1.1'),
  'Http mixed': sized('').replace('HTTP/1.1', 'Http/1.1'),
  'HTTP/2 over a connection of HTTP/1.1': sized('').replace('HTTP/1.1', 'HTTP/2'),
  'HTTP/2.0': sized('').replace('HTTP/1.1', 'HTTP/2.0'),
  'HTTP/1': sized('').replace('HTTP/1.1', 'HTTP/1'),
  'HTTP/1.2': sized('').replace('HTTP/1.1', 'HTTP/1.2'),
  'control character in the reason': sized('').replace('200 OK', '200 O\x01K'),
  'status line with blanks behind': sized('').replace('200 OK', '200  \t'),
  'a space behind chunk sizes': inChunks(chunked, chunks('  ')),
  'a tab behind chunk sizes': inChunks(chunked, chunks('\t')),
  'spaces around extensions': inChunks(chunked, chunks(' ; a = "b c" ')),
  'a space before chunk sizes': inChunks(chunked, ` 4\r\n${first}\r\n c\r\n${second}\r\n 0\r\n\r\n`),
  'bare LF behind chunk sizes': inChunks(chunked, `4\n${first}\r\nc\n${second}\r\n0\r\n\r\n`),
  'bare LF behind chunks': inChunks(chunked, `4\r\n${first}\nc\r\n${second}\n0\r\n\r\n`),
  'odd trailers': inChunks(chunked, chunks().replace(/\r\n$/, 'A : b\r\n c\r\nD\x01: e\n\r\n')),
  '100 Continue': interim('100 Continue') + sized(''),
  '100 Continue twelve times': interim('100 Continue').repeat(12) + sized(''),
  '100 with bare LF': `HTTP/1.1 100 Continue\n\n${sized('')}`,
  '102, 103, 100 and 199': ['102 Processing', '103 Early Hints', '100', '199 Odd'].map(interim).join('') + sized(''),
  '101 Switching Protocols': interim('101 Switching Protocols') + sized(''),
  'empty lines first': `\r\n\n\r\n${sized('A : b\r\n')}`,
  'until the connection closes': `${ok}${type}A : b\r\n\r\n${body}`,
};
