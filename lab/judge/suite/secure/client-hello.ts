/**
 * Reads the first message of a TLS handshake (RFC 8446 §4.1.2): the name of the host and the protocols offered. It
 * decides how the handshake goes on, before a library answers.
 */

export interface ClientHello {
  /** Lower case; undefined: the client named no host (RFC 6066 §3). */
  readonly serverName?: string;
  /** Offered by ALPN (RFC 7301), in order. */
  readonly protocols: readonly string[];
}

const extensionTypes = { serverName: 0, alpn: 16 } as const;

/** `bytes`: those of the connection so far. 'more': the message is not complete. Null: it is no ClientHello. */
export function clientHelloOf(bytes: Buffer): ClientHello | 'more' | null {
  const message = handshakeOf(bytes);
  if (message === 'more') return 'more';
  try {
    return message === null ? null : parsed(message);
  } catch {
    // A length beyond the end.
    return null;
  }
}

/** The handshake message, out of one or several records. */
function handshakeOf(bytes: Buffer): Buffer | 'more' | null {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    if (bytes.length < at + 5) return 'more';
    if (bytes[at] !== 22) return null;
    const end = at + 5 + bytes.readUInt16BE(at + 3);
    if (bytes.length < end) return 'more';
    parts.push(bytes.subarray(at + 5, end));
    at = end;
    const message = Buffer.concat(parts);
    if (message.length < 4) continue;
    if (message[0] !== 1) return null;
    const length = message.readUIntBE(1, 3);
    if (message.length >= 4 + length) return message.subarray(4, 4 + length);
  }
}

function parsed(message: Buffer): ClientHello {
  // Version and random.
  let at = 34;
  at += 1 + message.readUInt8(at);
  at += 2 + message.readUInt16BE(at);
  at += 1 + message.readUInt8(at);
  let serverName: string | undefined;
  let protocols: readonly string[] = [];
  for (at += 2; at < message.length; ) {
    const type = message.readUInt16BE(at);
    const data = message.subarray(at + 4, at + 4 + message.readUInt16BE(at + 2));
    at += 4 + data.length;
    if (type === extensionTypes.serverName)
      serverName = data.toString('latin1', 5, 5 + data.readUInt16BE(3)).toLowerCase();
    if (type === extensionTypes.alpn) protocols = namesOf(data.subarray(2));
  }
  return serverName === undefined ? { protocols } : { serverName, protocols };
}

function namesOf(list: Buffer): string[] {
  const names: string[] = [];
  for (let at = 0; at < list.length; at += 1 + list[at]!)
    names.push(list.toString('latin1', at + 1, at + 1 + list[at]!));
  return names;
}
