/** `crawlstream completion`: prints a script with which a shell completes commands and options. */
import { Argument, type Command } from 'commander';
import { toStdout } from '../runtime/logging/door.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes commands and options: source it in your shell')
    .addArgument(new Argument('<shell>', 'name of your shell').choices(shells))
    .action((shell: Shell) => void toStdout(completionScript(program, shell)));
}

interface Level {
  /** Words typed so far, apart by blanks. */
  readonly path: string;
  readonly words: readonly (readonly [word: string, about: string])[];
}

export function completionScript(program: Command, shell: Shell): string {
  return { bash, zsh, fish }[shell](levelsOf(program, []));
}

/** Completions of each command: its subcommands, and its options. */
function levelsOf(command: Command, path: readonly string[]): Level[] {
  const commands = command.commands.map((child) => [child.name(), child.description()] as const);
  const options = command.options.flatMap(({ long, description }) => (long ? [[long, description] as const] : []));
  const words = [...commands, ...options, ['--help', 'display help for command'] as const];
  const below = command.commands.flatMap((child) => levelsOf(child, [...path, child.name()]));
  return [{ path: path.join(' '), words }, ...below];
}

/** The longest known path among the words before the cursor; options and their values end it. */
function bash(levels: readonly Level[]): string {
  return `${walk('_crawlstream', levels)}
_crawlstream_complete() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  _crawlstream "\${COMP_WORDS[@]:1:COMP_CWORD-1}"
  COMPREPLY=($(compgen -W "$CRAWLSTREAM_WORDS" -- "$word"))
  if [[ \${#COMPREPLY[@]} -eq 0 && "$word" != -* ]]; then COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -F _crawlstream_complete crawlstream
`;
}

function zsh(levels: readonly Level[]): string {
  return `#compdef crawlstream
${walk('_crawlstream_walk', levels)}
_crawlstream() {
  _crawlstream_walk "\${(@)words[2,CURRENT-1]}"
  compadd -- \${=CRAWLSTREAM_WORDS}
  [[ "$words[CURRENT]" == -* ]] || _files
}
compdef _crawlstream crawlstream
`;
}

/** A function, for bash and zsh alike, that puts what may follow its arguments into CRAWLSTREAM_WORDS. */
function walk(name: string, levels: readonly Level[]): string {
  const cases = levels.map(({ path, words }) => `    '${path}') echo '${words.map(([word]) => word).join(' ')}' ;;`);
  return `${name}_words() {
  case "$1" in
${cases.join('\n')}
    *) return 1 ;;
  esac
}
${name}() {
  local at='' next one
  for one in "$@"; do
    next="$at\${at:+ }$one"
    ${name}_words "$next" > /dev/null || break
    at="$next"
  done
  CRAWLSTREAM_WORDS="$(${name}_words "$at")"
}`;
}

function fish(levels: readonly Level[]): string {
  const lines = levels.flatMap(({ path, words }) =>
    words.map(([word, about]) => {
      const is = word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      return `complete -c crawlstream -n '__crawlstream_at "${path}"' ${is} -d '${about.replaceAll("'", '’')}'`;
    }),
  );
  const known = levels.map(({ path }) => path).filter((path) => path !== '');
  return `set -g __crawlstream_paths ${known.map((path) => `'${path}'`).join(' ')}
function __crawlstream_at
  set -l at ''
  for one in (commandline -opc)[2..-1]
    set -l next (string trim "$at $one")
    contains -- "$next" $__crawlstream_paths; or break
    set at $next
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}
