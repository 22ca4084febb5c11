/** A name server on loopback that knows TXT records alone (RFC 1035 §4.1). */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { TestContext } from 'node:test';

export interface TxtServer {
  /** `address:port`. */
  readonly address: string;
  readonly texts: Map<string, readonly string[]>;
  /** Names that were asked for. */
  readonly asked: string[];
}

export async function serveTxt(t: TestContext): Promise<TxtServer> {
  const texts = new Map<string, readonly string[]>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const labels: string[] = [];
    let at = 12;
    for (; query[at] !== 0; at += query[at]! + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    const question = query.subarray(12, at + 5);
    const name = labels.join('.').toLowerCase();
    asked.push(name);
    const found = query.readUInt16BE(at + 1) === 16 ? (texts.get(name) ?? []) : [];
    const header = Buffer.alloc(12);
    header.writeUInt16BE(query.readUInt16BE(0), 0);
    // An answer, with authority; NXDOMAIN where there is none.
    header.writeUInt16BE(found.length > 0 ? 0x8580 : 0x8583, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(found.length, 6);
    const answers = found.map((text) => {
      const record = Buffer.alloc(13 + text.length);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(16, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(text.length + 1, 10);
      record[12] = text.length;
      record.write(text, 13, 'latin1');
      return record;
    });
    socket.send(Buffer.concat([header, question, ...answers]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, texts, asked };
}
