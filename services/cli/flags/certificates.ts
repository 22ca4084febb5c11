/** Trust settings by options: files of certificate authorities, and hosts by name. */

import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { canParse } from '../../../topology/url/can-parse.ts';
import { bad } from '../../runtime/option-text.ts';

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Returns PEM. Throws INVALID_ARGUMENT naming the option and the file. */
export function certificates(option: string): (file: string) => string {
  return (file) => {
    let text: string;
    try {
      text = readFileSync(file, 'latin1');
    } catch (error) {
      throw bad(option, file, `${(error as NodeJS.ErrnoException).code ?? 'unreadable'}; name a file that can be read`);
    }
    const blocks = text.match(block) ?? [];
    if (blocks.length === 0)
      throw bad(option, file, 'holds no certificate; give one in PEM (-----BEGIN CERTIFICATE-----)');
    for (const [index, pem] of blocks.entries()) {
      try {
        new X509Certificate(pem);
      } catch {
        throw bad(option, file, `certificate ${index + 1} of ${blocks.length} cannot be read; export it again in PEM`);
      }
    }
    return blocks.join('\n');
  };
}

/** One host by its name or address, in lower case, without patterns or a port, since a certificate is for a name. */
export function oneHost(option: string): (value: string) => string {
  return (value) => {
    const host = value.replace(/^\[|\]$/g, '').toLowerCase();
    const isAddress = isIP(host) !== 0;
    const spelt =
      isAddress || value.includes('*') || !canParse(`https://${host}/`) ? '' : new URL(`https://${host}/`).hostname;
    if (!isAddress && (spelt === '' || spelt !== host))
      throw bad(option, value, 'give one host without pattern, port and path, as in intranet.example');
    return host;
  };
}
