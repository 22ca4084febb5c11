/**
 * Prometheus's own promtool, which runs rules over series as a server would: built from its module, without the
 * discovery of clouds, which takes most of its code.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { go, goProgram } from '../go/program.ts';

const run = promisify(execFile);
/** Prometheus 3.12. */
const version = 'v0.312.0';

export const promtool = goProgram({ name: 'promtool', version, what: 'promtool' }, async (into) => {
  const downloaded = await go(['mod', 'download', '-json', `github.com/prometheus/prometheus@${version}`], {}, into);
  const { Dir: folder } = JSON.parse(downloaded) as { readonly Dir: string };
  const args = ['build', '-tags', 'remove_all_sd', '-trimpath', '-ldflags=-s', '-o', join(into, 'promtool')];
  // The module's workspace names modules that are not in it.
  await go([...args, './cmd/promtool'], { GOWORK: 'off', CGO_ENABLED: '0' }, folder);
});

/** What promtool finds wrong, in its words; empty: nothing. */
export async function tested(folder: string, file: string): Promise<string> {
  try {
    await run(await promtool.file(), ['test', 'rules', file], { cwd: folder });
    return '';
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    return `${stdout}${stderr}` || String(error);
  }
}
