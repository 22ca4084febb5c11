/** A login with a token, against a broker's answers (RFC 7628). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isRefusedLogin } from '../../../../../services/runtime/log/kafka/errors.ts';
import { oauthLogin } from '../../../../../services/runtime/log/kafka/oauth-login.ts';

interface Login {
  readonly mechanism: string;
  readonly authenticationProvider: (broker: object) => { authenticate(): Promise<void> };
}

interface Exchanged {
  readonly request: { encode(): Promise<Buffer> };
  readonly response: { decode(raw: Buffer | null): Promise<string>; parse(answer: string): Promise<void> };
}

/** Logs in at a broker that answers each login with these bytes. Returns the requests that the broker got. */
async function logIn(login: Login, raw: Buffer | null, times = 1): Promise<Buffer[]> {
  const sent: Buffer[] = [];
  const { authenticate } = login.authenticationProvider({
    async saslAuthenticate({ request, response }: Exchanged) {
      sent.push(await request.encode());
      await response.parse(await response.decode(raw));
    },
  });
  for (let n = 0; n < times; n++) await authenticate();
  return sent;
}

/** The length of the text (int32), and the text. */
function withLength(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}

test('a login sends the current token as the first message of OAUTHBEARER', async () => {
  let tokens = 0;
  const login = oauthLogin(async () => `token-${++tokens}`) as Login;
  assert.equal(login.mechanism, 'oauthbearer');
  const sent = await logIn(login, null, 2);
  assert.deepEqual(
    sent,
    ['token-1', 'token-2'].map((token) => withLength(`n,,\u0001auth=Bearer ${token}\u0001\u0001`)),
  );
});

test('an empty answer accepts the token, and any other answer is a refused login with the broker’s words', async () => {
  const login = oauthLogin(async () => 'token') as Login;
  await logIn(login, withLength(''));
  const refusal = await logIn(login, withLength('{"status":"invalid_token"}')).catch((error: Error) => error);
  assert.ok(refusal instanceof Error);
  assert.equal(refusal.message, 'the token was rejected: {"status":"invalid_token"}');
  assert.ok(isRefusedLogin(refusal));
});

test('a login without a token is an error, and sends nothing', async () => {
  const login = oauthLogin(async () => {
    throw new Error('no token');
  }) as Login;
  await assert.rejects(logIn(login, null), /no token/);
});
