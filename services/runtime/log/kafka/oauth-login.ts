/**
 * A login with a token (RFC 7628), in the form of kafkajs's custom providers.
 *
 * kafkajs 2.2.4 has one that does not read the broker's answer: a refused token passes for a login, and the first
 * request after it fails instead. Here the answer is read: it is empty, or names the error (§3.2.2).
 */
interface Exchange {
  saslAuthenticate(exchange: {
    readonly request: { encode(): Promise<Buffer> };
    readonly response: { decode(raw: Buffer | null): Promise<string>; parse(answer: string): Promise<void> };
  }): Promise<void>;
}

/** `token`: asked at each login. */
export function oauthLogin(token: () => Promise<string>): object {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }: Exchange) => ({
      authenticate: async () => {
        const message = Buffer.from(`n,,\u0001auth=Bearer ${await token()}\u0001\u0001`);
        await saslAuthenticate({ request: { encode: async () => withLength(message) }, response: answer });
      },
    }),
  };
}

const lengthBytes = 4;

const answer = {
  decode: async (raw: Buffer | null) => raw?.toString('utf8', lengthBytes) ?? '',
  parse: async (text: string) => {
    if (text === '') return;
    // kafkajs's name for a refused login; errors.ts recognises it.
    throw Object.assign(new Error(`the token was rejected: ${text}`), { name: 'KafkaJSSASLAuthenticationError' });
  },
};

function withLength(bytes: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
