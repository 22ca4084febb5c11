/** An agent's client that is not ours, beside a server of ours: Python's MCP SDK. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from '../../../../../lab/bench/content/python-environment.ts';

export interface Answer {
  readonly content: readonly { readonly text: string }[];
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  /** The client's own error: the server refused the call as such. */
  readonly raised?: string;
}

export interface AgentTool {
  readonly name: string;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

export interface Agent {
  readonly child: ChildProcess;
  readonly stderr: () => string;
  tools(): Promise<readonly AgentTool[]>;
  call(tool: string, args: object): Promise<Answer>;
  /** What the model would read. */
  text(tool: string, args: object): Promise<string>;
  /** As an agent leaves: its server's stdin ends. */
  leave(): Promise<number | null>;
}

const script = fileURLToPath(new URL('agent.py', import.meta.url));

/** `server`: an address, or a command with its arguments. */
export function runAgent(server: readonly string[]): Agent {
  const python = join(pythonEnvironment('mcp-2.3.0', ['mcp==2.3.0']), 'bin/python');
  const child = spawn(python, [script, ...server], { stdio: 'pipe' });
  after(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  const waiting: { readonly resolve: (line: string) => void; readonly reject: (error: Error) => void }[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.resolve(line));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  void ended.then((code) => {
    for (const { reject } of waiting) reject(new Error(`the agent ended with ${code}: ${stderr}`));
  });
  const ask = async <T>(call: object): Promise<T> => {
    const line = new Promise<string>((resolve, reject) => waiting.push({ resolve, reject }));
    child.stdin.write(`${JSON.stringify(call)}\n`);
    return JSON.parse(await line) as T;
  };
  const call = (tool: string, args: object) => ask<Answer>({ tool, args });
  return {
    child,
    stderr: () => stderr,
    tools: () => ask({ list: true }),
    call,
    async text(tool, args) {
      const answer = await call(tool, args);
      return answer.raised ?? answer.content.map(({ text }) => text).join('\n');
    },
    leave() {
      child.stdin.end();
      return ended;
    },
  };
}
