/** An answer over HTTP/1.1 before it is sent: each part of it can be changed separately. */

/** The role of an answer: a page, a host's robots.txt, its sitemap, or a page that leads to another one. */
export type Kind = 'page' | 'robots' | 'sitemap' | 'redirect';

export interface Draft {
  readonly kind: Kind;
  /** The body in characters. It holds `startMark` near its start and `endMark` at its end, unless it is a redirect's. */
  text: string;
  encode: (text: string) => Buffer;
  /** Lines of the head, each without its line end, in ISO 8859-1. */
  readonly before: string[];
  /** Its code is 200 unless a variant is about codes. */
  statusLine: string;
  /** In place of the 200. */
  status: string;
  typeLines: string[];
  codingLines: string[];
  /** ORIGIN and HOST stand for those of the answering host. */
  locationLines: readonly string[];
  otherLines: string[];
  /** The content coding of the encoded body. */
  code: (body: Buffer) => Buffer;
  /** The lines that say where the body ends, and the body as sent. */
  frame: (body: Buffer) => { readonly lines: readonly string[]; readonly sent: Buffer };
  /** Changes the whole head, with its line ends, as the last step. */
  head: (head: string) => string;
}

/** A change of one part of a draft. Drafts change by at most one variant of each dimension. */
export interface Variant {
  readonly dimension: string;
  readonly name: string;
  /** Absent: of all kinds. */
  readonly kinds?: readonly Kind[];
  readonly change: (draft: Draft) => void;
}

export const startMark = 'start-of-body';
export const endMark = 'end-of-body';

const types: Readonly<Record<Kind, string>> = {
  page: 'text/html',
  robots: 'text/plain',
  sitemap: 'application/xml',
  redirect: 'text/html',
};

const texts: Readonly<Record<Kind, (origin: string) => string>> = {
  page: () =>
    `<!doctype html><html><head><title>${startMark}</title></head><body><p>Words of a page.</p>` +
    `<a href="/linked">link</a><p>${endMark}</p></body></html>\n`,
  robots: () => `# ${startMark}\nUser-agent: *\nDisallow: /private\n# ${endMark}\n`,
  sitemap: (origin) =>
    `<?xml version="1.0"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><!-- ${startMark} -->\n` +
    `<url><loc>${origin}/listed</loc></url>\n</urlset><!-- ${endMark} -->\n`,
  redirect: () => '<title>Moved</title><p>The page has moved.</p>\n',
};

/**
 * The target of a redirect. The page repeats how it was requested, so that a reader's links show target and cookies.
 */
export function landingPage(target: string, cookies: string): string {
  const links = [target, `/cookies?${encodeURIComponent(cookies)}`].map((url) => `<a href="${asMarkup(url)}">x</a>`);
  return `<!doctype html><title>${startMark}</title>${links.join('')}<p>${endMark}</p>\n`;
}

function asMarkup(value: string): string {
  return value.replace(/[^ -~]|[<&"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

export function plainDraft(kind: Kind, origin: string): Draft {
  return {
    kind,
    text: texts[kind](origin),
    encode: (text) => Buffer.from(text),
    before: [],
    statusLine: 'HTTP/1.1 200 OK',
    status: kind === 'redirect' ? '302' : '200',
    typeLines: [`Content-Type: ${types[kind]}; charset=utf-8`],
    codingLines: [],
    locationLines: kind === 'redirect' ? ['Location: /landed'] : [],
    otherLines: [],
    code: (body) => body,
    frame: (body) => ({ lines: [`Content-Length: ${body.length}`], sent: body }),
    head: (head) => head,
  };
}

/** The bytes of an answer, up to the close of its connection. */
export function render(draft: Draft, origin: string): Buffer {
  const { lines, sent } = draft.frame(draft.code(draft.encode(draft.text)));
  const { host } = new URL(origin);
  const own = [...draft.locationLines, ...draft.otherLines].map((line) =>
    line.replace('ORIGIN', origin).replace('HOST', host),
  );
  const head = [
    draft.statusLine.replace('200', draft.status),
    ...draft.typeLines,
    ...draft.codingLines,
    ...own,
    ...lines,
  ];
  // Without this field a client may wait for the close of the connection, or send more on it.
  const whole = `${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`;
  return Buffer.concat([...[...draft.before, draft.head(whole)].map((text) => Buffer.from(text, 'latin1')), sent]);
}
