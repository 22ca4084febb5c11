/** The settings as a page for people: what each is, its default, and why (deploy/CONFIGURATION.md is made of it). */
import type { Command, Option } from 'commander';
import { defaultText } from '../flags/option-texts.ts';
import { reasonOf } from '../flags/setting.ts';
import { isSwitch } from './parse-value.ts';
import { hiddenSettings, settingsOf } from './settings.ts';

const head = `# Configuration

\`npm run generate\` writes this page from the commands’ options. A setting is a flag, an environment variable, or a key of
a YAML or JSON file (\`--config FILE\` or \`CRAWLSTREAM_CONFIG\`). A flag overrides a variable, and a variable overrides the file. In a
file, a key at the top applies to every command that has it, a key under \`services\` only to that service:

\`\`\`yaml
crawl: news
brokers: [kafka-1:9092, kafka-2:9092]
kafkaPassword: { env: KAFKA_PASSWORD }
services:
  fetcher: { contact: me@example.org, concurrency: 2000 }
\`\`\`

\`crawlstream config init\` writes a file with all settings. \`config check\` reports errors of a file, line by line. \`config show SERVICE\`
shows the settings that a service would use, and why. Unknown keys are errors. Unknown variables are reported on stderr, with a similar name. Secrets are given by
reference, \`{ env: NAME }\` or \`{ file: PATH }\`, and never shown.

## Settings

| key, flag, variable | services | default, and why |
| --- | --- | --- |
`;

const hiddenHead = `
## Without a flag

Other users can list a process’s command line, so these settings come from the file or the environment.

| key, variable | what it is | default, and why |
| --- | --- | --- |
`;

export function configurationPage(program: Command): string {
  const rows = settingsOf(program).map(({ key, env, option, services }) => {
    const names = [`**${key}**`, `\`${option.flags}\``, `\`${env}\``].join('<br>');
    return [`${names}<br>${aboutOf(option)}`, services.join(', '), `${defaultOf(option)}: ${reasonOf(option)}`];
  });
  const hidden = hiddenSettings.map(({ key, env, about, otherwise, reason, secret }) => {
    const kind = secret ? '; a secret: by reference' : '';
    return [`**${key}**<br>\`${env}\``, `${about}${kind}`, `${otherwise}: ${reason}`];
  });
  return `${head}${table(rows)}${hiddenHead}${table(hidden)}`;
}

export function aboutOf({ description, negate }: Option): string {
  const about = description.replace(/ \(default: .*\)$/, '');
  return negate ? `false: ${about}` : about;
}

/** The default. */
export function defaultOf(option: Option): string {
  const said = /\(default: (.*)\)$/.exec(option.description)?.[1];
  if (isSwitch(option)) return option.negate ? 'on' : 'off';
  return defaultText(option) ?? said ?? 'none';
}

function table(rows: readonly (readonly string[])[]): string {
  const cell = (text: string) => text.replaceAll('|', '\\|');
  return `${rows.map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')}\n`;
}
