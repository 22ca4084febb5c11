/**
 * The response for a capture: pages, style sheets and drawings with links rewritten into the archive, everything else
 * unchanged.
 */
import { Readable } from 'node:stream';
import { charsetParameter, createXmlDecoder, decodePage } from '../../../../topology/parse/charset.ts';
import { headerOf } from '../http-message.ts';
import type { Memento } from './memento.ts';
import { replayLimits } from './replay-limits.ts';
import { rewriteCss } from './rewrite/css.ts';
import { rewriteHtml } from './rewrite/html.ts';
import type { Linker } from './rewrite/linker.ts';
import { contentTypeOf, dispositionOf, languageOf } from './shown-headers.ts';

/** Decodes content codings, up to `bytesMax` bytes; null: cannot be decoded. */
export type Decode = (body: Buffer, contentEncoding: string, bytesMax: number) => Promise<Buffer | null>;

export interface Content {
  readonly headers: Readonly<Record<string, string>>;
  /** Null: its content coding cannot be decoded. */
  readonly body: string | Buffer | Readable | null;
  /** Length of a body that supports ranges; undefined: ranges are not supported. */
  readonly bytes?: number;
}

/** Enough to recognise the form of a body by. */
const peekedBytes = 512;

type Kind = 'html' | 'xml' | 'css' | 'other';

/** `accepts`: value of the client's Accept-Encoding. The memento is closed by this function, or by its body. */
export async function contentOf(memento: Memento, linker: Linker, accepts: string, decode: Decode): Promise<Content> {
  const header = (name: string) => headerOf(memento.headers, name);
  const given = header('content-type');
  const type = contentTypeOf(given, charsetParameter(given));
  const language = languageOf(header('content-language'));
  const disposition = dispositionOf(header('content-disposition'));
  const about = {
    ...(language !== undefined && { 'content-language': language }),
    ...(disposition !== undefined && { 'content-disposition': disposition }),
  };
  const coding = header('content-encoding').trim().toLowerCase();
  const { first, body } = await peeked(memento.body);
  const isUnnamed = given === '' && (coding === '' || coding === 'identity');
  const media = isUnnamed && looksLikeHtml(first) ? 'text/html' : type.media;
  const kind = kindOf(media);
  if (kind !== 'other') {
    const whole = await collected(body, replayLimits.rewrittenBytesMax);
    await memento.close();
    const plain = await decode(whole, coding, replayLimits.rewrittenBytesMax);
    if (plain === null) return { headers: about, body: null };
    const text = textOf(plain, kind, given || null);
    const led = kind === 'css' ? rewriteCss(text, linker) : rewriteHtml(text, linker, kind === 'xml');
    // XML declares its encoding itself, but the header takes precedence.
    return { headers: { ...about, 'content-type': `${media}; charset=utf-8` }, body: led };
  }
  const headers = { ...about, 'content-type': type.header || 'application/octet-stream' };
  const isPlain = coding === '' || coding === 'identity' || (/gzip/.test(coding) && !isGzip(first));
  if (isPlain) {
    const bytes = memento.bodyBytes;
    return { headers, body: Readable.from(body), ...(bytes !== undefined && { bytes }) };
  }
  if (
    /^(?:gzip|br|deflate|zstd)$/.test(coding) &&
    accepts
      .toLowerCase()
      .split(/[\s,]+/)
      .includes(coding)
  ) {
    return { headers: { ...headers, 'content-encoding': coding }, body: Readable.from(body) };
  }
  const whole = await collected(body, replayLimits.rewrittenBytesMax);
  await memento.close();
  return { headers, body: await decode(whole, coding, replayLimits.rewrittenBytesMax) };
}

function kindOf(media: string): Kind {
  if (media === 'text/html') return 'html';
  if (media === 'application/xhtml+xml' || media === 'image/svg+xml') return 'xml';
  return media === 'text/css' ? 'css' : 'other';
}

function textOf(body: Buffer, kind: Kind, contentType: string | null): string {
  if (kind === 'html') return decodePage(body, contentType).text;
  if (kind === 'css') {
    const named = /^@charset "([\w-]{1,40})";/.exec(body.toString('latin1', 0, 60))?.[1];
    const declared = contentType !== null && charsetParameter(contentType) !== null;
    return withoutMark(
      decodePage(body, declared || named === undefined ? contentType : `text/css; charset=${named}`).text,
    );
  }
  const stream = createXmlDecoder(contentType);
  const text = withoutMark(stream.write(body) + stream.end());
  // The encoding declaration described the original bytes, so it is replaced.
  return text.replace(/^(\s*<\?xml[^>]{0,200}?\sencoding\s*=\s*)(["'])[\w.:-]{1,40}\2/, '$1$2utf-8$2');
}

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Tags that pages begin with (MIME Sniffing standard §7.1). */
function looksLikeHtml(first: Buffer): boolean {
  return /^\s*<(?:!doctype html|html|head|body|title|script|!--|h1|div|p|a|table)\b/i.test(
    first.toString('latin1', 0, peekedBytes),
  );
}

function isGzip(first: Buffer): boolean {
  return first[0] === 0x1f && first[1] === 0x8b;
}

/** The first bytes, at least `peekedBytes` if there are as many, and all of it. */
async function peeked(body: AsyncGenerator<Buffer>): Promise<{ first: Buffer; body: AsyncGenerator<Buffer> }> {
  const parts: Buffer[] = [];
  for (let bytes = 0; bytes < peekedBytes; bytes += parts.at(-1)!.length) {
    const { value, done } = await body.next();
    if (done) break;
    parts.push(value);
  }
  const first = Buffer.concat(parts);
  const whole = async function* () {
    try {
      if (first.length > 0) yield first;
      yield* body;
    } finally {
      await body.return(undefined);
    }
  };
  return { first, body: whole() };
}

/** Its first bytes. */
export async function collected(body: AsyncGenerator<Buffer>, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.length;
    if (bytes >= bytesMax) break;
  }
  return Buffer.concat(parts).subarray(0, bytesMax);
}
