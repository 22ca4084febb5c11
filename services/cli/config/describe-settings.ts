/** The settings as a page for people: what each is, its default, and why (deploy/CONFIGURATION.md is made of it). */
import type { Command, Option } from 'commander';
import { defaultText } from '../flags/default-text.ts';
import { reasonOf } from '../flags/setting.ts';
import { isSwitch } from './parse-value.ts';
import { hiddenSettings, settingsOf } from './settings.ts';

const head = `# Configuration

Made by \`npm run generate\` from the commands’ own options. A setting is a flag, a variable of the environment, or a key of
a YAML or JSON file that \`--config FILE\` or \`CRAWLSTREAM_CONFIG\` names; the first of these that says something counts. In a
file, a key at the top holds for every command that has it, one under \`services\` for that service alone:

\`\`\`yaml
crawl: news
brokers: [kafka-1:9092, kafka-2:9092]
kafkaPassword: { env: KAFKA_PASSWORD }
services:
  fetcher: { contact: me@example.org, concurrency: 2000 }
\`\`\`

\`crawlstream config init\` writes a file with all of them, \`config check\` says what is wrong with one, line by line, and
\`config show SERVICE\` what a service would run with, and why. Keys that do not exist are errors; variables that
nothing reads are told of on stderr, with the name they are near to. Secrets are given by
reference, \`{ env: NAME }\` or \`{ file: PATH }\`, and never shown.

## Settings

| key, flag, variable | services | default, and why |
| --- | --- | --- |
`;

const hiddenHead = `
## Without a flag

Others can list a process’s command line; these come from the file or the environment.

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
