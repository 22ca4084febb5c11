/**
 * The processes of a run, as they are deployed: each under a name that outlives it, started again when it ends by itself,
 * as an orchestrator would. One that ends by itself and not in good order is a finding, and so is one that takes longer to
 * stop than an orchestrator waits.
 */
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestBroker } from '../../../lab/kafka/broker.ts';
import type { Running } from '../../../lab/process/command.ts';
import { startCommand } from '../../../lab/process/command.ts';
import { cut, heal, type Zones } from '../zones/zones.ts';
import { waysOf } from './network.ts';
import type { Strike } from './strikes.ts';

/** A process that was stopped and woken. Times are ms since the Unix epoch. */
export interface Freeze {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Fleet {
  readonly freezes: readonly Freeze[];
  /** In words: who ended by itself. */
  readonly findings: readonly string[];
  /** Where it answers by HTTP; undefined: not yet, or nowhere. */
  address(name: string): string | undefined;
  /** Resolves when the strike is over and its target is back. */
  strike(strike: Strike): Promise<void>;
  /** Everybody is up and says so. */
  untilReady(): Promise<void>;
  /** In good order. */
  stop(): Promise<void>;
  /** At once; resolves when nobody starts anything any more. */
  destroy(): Promise<void>;
}

export interface FleetOptions {
  readonly broker: TestBroker;
  /** By name. */
  readonly commands: ReadonlyMap<string, Command>;
  /** Those of the brokers, then those of the processes. Absent: a network that nobody can cut. */
  readonly zones: Zones['zones'] | undefined;
  /** The processes are killed after this, whatever happens. */
  readonly patienceMs: number;
  readonly say: (text: string) => void;
}

/** From SIGTERM to SIGKILL, as deployed (deploy/, terminationGracePeriodSeconds); up to five times as long if processes wait for processors. */
const graceMs = () => 60_000 * Math.min(5, Math.max(1, loadavg()[0]! / availableParallelism()));

export interface Command {
  readonly args: readonly string[];
  /** The command that starts it where it runs. */
  readonly within: readonly string[];
}

interface Member {
  readonly command: Command;
  running: Running;
  /** A strike is on: its end is no news. */
  struck: boolean;
}

export function startFleet({ broker, commands, zones, patienceMs, say }: FleetOptions): Fleet {
  const freezes: Freeze[] = [];
  const findings: string[] = [];
  const find = (text: string) => {
    findings.push(text);
    say(text);
  };
  let ending = false;

  const launch = (name: string, command: Command): Running => {
    const { args, within } = command;
    const place = within.length === 0 ? {} : { shellPrefix: `exec ${within.join(' ')} "$@";` };
    const running = startCommand(args, { patienceMs, ...place });
    running.ended.then(({ code, signal, stderr }) => {
      const member = members.get(name);
      if (ending || member === undefined || member.running !== running || member.struck) return;
      find(`${name} ended by itself (${code ?? signal}): ${stderr.slice(-2_000)}`);
      member.running = launch(name, command);
    });
    return running;
  };
  const members = new Map<string, Member>();
  for (const [name, command] of commands) members.set(name, { command, running: launch(name, command), struck: false });

  /** Resolves when it has ended, in whatever order. */
  const stopInTime = async (name: string, running: Running) => {
    const { child, ended } = running;
    child.kill('SIGTERM');
    const patience = setTimeout(() => child.kill('SIGKILL'), graceMs());
    const { code, signal, stderr } = await ended;
    clearTimeout(patience);
    if (code !== 0 && !isUnborn(running))
      find(`${name} did not stop in good order (${code ?? signal}): ${stderr.slice(-2_000)}`);
  };

  const strikeProcess = async (name: string, { kind, forMs }: Strike) => {
    const member = members.get(name)!;
    // A stop may have taken longer than was drawn.
    if (member.struck) return say(`${name} is spared: the strike before is not over`);
    member.struck = true;
    const { child, ended } = member.running;
    const fromMs = Date.now();
    if (kind === 'freeze') {
      child.kill('SIGSTOP');
      await sleep(forMs);
      child.kill('SIGCONT');
      freezes.push({ name, fromMs, toMs: Date.now() });
      member.struck = false;
      return;
    }
    if (kind === 'stop') await stopInTime(name, member.running);
    else {
      child.kill('SIGKILL');
      await ended;
    }
    await sleep(forMs);
    if (!ending) member.running = launch(name, member.command);
    member.struck = false;
  };

  /** Brokers that a strike has its hands on. */
  const struckBrokers = new Set<number>();
  const strikeBroker = async (node: number, { kind, forMs }: Strike) => {
    // On a slow machine the strike before may still be on, or the broker on its way up.
    while (!ending && (struckBrokers.has(node) || !broker.isRunning(node))) await sleep(500);
    if (ending) return;
    struckBrokers.add(node);
    const pid = broker.pids[node]!;
    try {
      if (kind === 'freeze') {
        process.kill(pid, 'SIGSTOP');
        await sleep(forMs);
        if (broker.isRunning(node)) process.kill(pid, 'SIGCONT');
      } else {
        await broker.kill(node);
        await sleep(Math.max(forMs, 2_500));
      }
    } finally {
      struckBrokers.delete(node);
    }
  };
  let isCut = false;
  const strikeNetwork = async (strike: Strike, among: Zones['zones']) => {
    // Ways of two strikes may be the same: the first to end would heal both.
    if (isCut) return say(`${strike.target} is spared: the cut before is not healed`);
    isCut = true;
    const ways = waysOf(strike, broker.pids.length);
    cut(among, ways);
    await sleep(strike.forMs);
    heal(among, ways);
    isCut = false;
  };
  /**
   * Starts again what is not running, as an orchestrator does: a broker that comes back before the others have missed it
   * is turned away and ends, and one that slept too long may end by itself.
   */
  const keepBrokers = async () => {
    while (!ending) {
      for (const node of broker.pids.keys()) {
        if (!ending && !struckBrokers.has(node) && !broker.isRunning(node)) await broker.restart(node).catch(() => {});
      }
      await sleep(500);
    }
  };
  const keeping = keepBrokers();

  return {
    freezes,
    findings,
    address: (name) => /listening on http:\/\/(\S+)/.exec(members.get(name)!.running.output())?.[1],
    async strike(strike) {
      if (ending) return;
      const [role, number] = strike.target.split('-');
      say(`${strike.kind} ${strike.target} for ${(strike.forMs / 1000).toFixed(1)} s`);
      if (zones !== undefined && (strike.kind === 'cut' || strike.kind === 'mute')) await strikeNetwork(strike, zones);
      else if (role === 'broker') await strikeBroker(Number(number), strike);
      else await strikeProcess(strike.target, strike);
    },
    async untilReady() {
      for (const [name, { running }] of members) {
        while (!/ready, crawl/.test(running.output())) {
          if (running.child.exitCode !== null) throw new Error(`${name} is not there: ${running.output()}`);
          await sleep(100);
        }
      }
    },
    async stop() {
      ending = true;
      await keeping;
      await Promise.all([...members].map(([name, { running }]) => stopInTime(name, running)));
    },
    async destroy() {
      ending = true;
      for (const { running } of members.values()) running.child.kill('SIGKILL');
      await keeping;
    },
  };
}

/** Ended by the signal before it had said or done anything. */
function isUnborn({ child, output }: Running): boolean {
  return child.signalCode === 'SIGTERM' && output() === '';
}
