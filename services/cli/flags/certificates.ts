/** Files of certificate authorities that options name. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { bad } from './arguments.ts';

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** What it gives is PEM. Throws INVALID_ARGUMENT naming the option and the file. */
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
