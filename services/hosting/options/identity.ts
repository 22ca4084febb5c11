/** The operator's identity, as requests carry it. */
import { invalid } from '../../../topology/errors.ts';
import type { Identity } from '../../fetcher/http/identity.ts';
import { createSigner } from '../../fetcher/http/web-bot-auth.ts';
import { productVersion } from '../../runtime/version.ts';

export interface IdentityFlags {
  readonly contact?: string;
  readonly userAgent?: string;
  readonly robotsToken?: string[];
  readonly from?: string;
  readonly acceptLanguage?: string;
  readonly signatureKey?: string;
  readonly signatureAgent?: string;
  readonly signatureDirectory?: string;
}

/** Throws INVALID_ARGUMENT if the signatures could not be verified. */
function signingOf({
  signatureKey: key,
  signatureAgent,
  signatureDirectory: directory,
}: IdentityFlags): Pick<Identity, 'signing'> {
  if (key === undefined) {
    const given = signatureAgent === undefined ? directory && '--signature-directory' : '--signature-agent';
    if (given)
      throw invalid(`${given} without --signature-key: add the signing key, as in --signature-key file:key.pem`);
    return {};
  }
  if (signatureAgent === undefined)
    throw invalid(
      '--signature-key without --signature-agent: add the origin that publishes the public key, as in --signature-agent https://bot.example.org',
    );
  const signing = { key, agent: signatureAgent, ...(directory !== undefined && { directory }) };
  createSigner(signing, Date.now());
  return { signing };
}

/** Throws INVALID_ARGUMENT if a webmaster could not find the name for robots.txt in an access log. */
export function identityOf(flags: IdentityFlags): Identity {
  const [first, ...more] = flags.robotsToken ?? [];
  const { userAgent } = flags;
  const identity: Identity = {
    version: productVersion,
    contact: flags.contact ?? '',
    ...(userAgent !== undefined && { userAgent }),
    ...(first !== undefined && { robotsTokens: [first, ...more] }),
    ...(flags.from !== undefined && { from: flags.from }),
    ...(flags.acceptLanguage !== undefined && { acceptLanguage: flags.acceptLanguage }),
    ...signingOf(flags),
  };
  if (userAgent === undefined || first !== undefined) {
    const said = userAgent ?? 'crawlstream';
    // RFC 9309 §2.2.1: the token should be a part of the crawler's identification in requests.
    if (first !== undefined && !said.toLowerCase().includes(first.toLowerCase()))
      throw invalid(
        `--robots-token ${first} is not part of --user-agent ${said}: add it there, so that webmasters recognise it`,
      );
  } else if (/^mozilla\b/i.test(userAgent)) {
    throw invalid(
      `--user-agent ${userAgent} starts with Mozilla, like browsers: add --robots-token NAME, a name from it to look for in robots.txt`,
    );
  }
  return identity;
}
