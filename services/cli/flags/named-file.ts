/** Files that options name. */
import { readFile } from 'node:fs/promises';
import { bad } from '../../runtime/option-text.ts';

/** Throws INVALID_ARGUMENT naming the option. */
export async function readText(option: string, path: string): Promise<string> {
  return (await readBytes(option, path)).toString('utf8');
}

export async function readBytes(option: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw bad(option, path, `${(error as NodeJS.ErrnoException).code ?? 'unreadable'}; name a file that can be read`);
  }
}
