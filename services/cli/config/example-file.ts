/** A configuration file with every setting in it, commented out, and the reason of each default. */
import type { Command } from 'commander';
import { reasonOf } from '../flags/setting.ts';
import { aboutOf, defaultOf } from './describe-settings.ts';
import { hiddenSettings, settingsOf } from './settings.ts';

const head = `# Configuration of crawlstream. Flags come before the environment, the environment before this file.
# A setting here holds for every command that has it; one under "services" for that service alone.
# crawlstream config check FILE says what is wrong, crawlstream config show SERVICE what comes of it.
`;

export function exampleFile(program: Command): string {
  const blocks = settingsOf(program).map(
    ({ key, option }) => `# ${aboutOf(option)}\n# Default: ${defaultOf(option)}: ${reasonOf(option)}\n# ${key}:\n`,
  );
  const hidden = hiddenSettings.map(
    ({ key, about, otherwise, reason, secret }) =>
      `# ${about}\n# Default: ${otherwise}: ${reason}\n# ${key}:${secret ? ' { env: NAME } or { file: PATH }' : ''}\n`,
  );
  return `${head}\n${[...blocks, ...hidden].join('\n')}\n# services:\n#   fetcher:\n#     concurrency: 2000\n`;
}
