/** WARC files as other tools might have written them, hostile ones among them: a record a gzip member, with its index. */
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { surtOf } from '../../../../../services/extras/archive/surt.ts';

export interface Written {
  readonly url: string;
  /** 14 digits. */
  readonly time: string;
  readonly type?: 'response' | 'revisit' | 'resource';
  /** Status line and headers, without the empty line. */
  readonly head?: string;
  readonly body?: string | Buffer;
  /** Further named fields of the record. */
  readonly fields?: readonly string[];
  /** Of the index. */
  readonly mime?: string;
  readonly status?: number;
  readonly digest?: string;
}

/** `indexed` false: no index beside it. The path of the file. */
export function writeWarc(folder: string, name: string, records: readonly Written[], indexed = true): string {
  const file = join(folder, `${name}.warc.gz`);
  const members: Buffer[] = [];
  const lines: string[] = [];
  let offset = 0;
  for (const record of records) {
    const { url, time, type = 'response', head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html', body = '' } = record;
    const http = type === 'resource' ? '' : `${head}\r\n\r\n`;
    const block = Buffer.concat([Buffer.from(http, 'latin1'), Buffer.from(body)]);
    const [, year, month, day, hour, minute, second] = /(....)(..)(..)(..)(..)(..)/.exec(time)!;
    const fields = [
      `WARC-Type: ${type}`,
      `WARC-Target-URI: ${url}`,
      `WARC-Date: ${year}-${month}-${day}T${hour}:${minute}:${second}Z`,
      ...(record.digest === undefined ? [] : [`WARC-Payload-Digest: sha1:${record.digest}`]),
      ...(record.fields ?? []),
      `Content-Type: ${type === 'resource' ? 'text/html' : 'application/http; msgtype=response'}`,
      `Content-Length: ${block.length}`,
    ];
    const member = gzipSync(
      Buffer.concat([Buffer.from(`WARC/1.1\r\n${fields.join('\r\n')}\r\n\r\n`), block, Buffer.from('\r\n\r\n')]),
    );
    const reported = {
      url,
      mime: record.mime ?? (type === 'revisit' ? 'warc/revisit' : 'text/html'),
      status: `${record.status ?? (Number(/^HTTP\S* (\d+)/.exec(head)?.[1]) || 200)}`,
      digest: `sha1:${record.digest ?? ''}`,
      ...{ length: `${member.length}`, offset: `${offset}`, filename: basename(file) },
    };
    lines.push(`${surtOf(url)} ${time} ${JSON.stringify(reported)}`);
    members.push(member);
    offset += member.length;
  }
  writeFileSync(file, Buffer.concat(members));
  if (indexed)
    writeFileSync(
      join(folder, `${name}.cdxj`),
      lines
        .sort()
        .map((line) => `${line}\n`)
        .join(''),
    );
  return file;
}
