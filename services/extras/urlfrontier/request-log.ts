/** Logs the server's calls on stderr. SetLogLevel sets the level of a package, and of all packages below it. */

export const logLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof logLevels)[number];

/** The package of calls: DEBUG logs each call, INFO those that change something. */
export const callsPackage = 'crawlstream.urlfrontier';

export class RequestLog {
  readonly #say: (text: string) => void;
  /** Number of a level, by package. */
  readonly #levels = new Map<string, number>([['', logLevels.indexOf('INFO')]]);

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Empty, or `ROOT`: for all packages without their own. */
  setLevel(name: string, level: number): void {
    this.#levels.set(name === 'ROOT' ? '' : name, level);
  }

  write(level: LogLevel, text: () => string): void {
    if (logLevels.indexOf(level) >= this.#levelOf(callsPackage)) this.#say(text());
  }

  #levelOf(name: string): number {
    for (let at = name; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
      const level = this.#levels.get(at);
      if (level !== undefined) return level;
    }
    return this.#levels.get('')!;
  }
}
