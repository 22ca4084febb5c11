/** Makes a fault happen. */
import type { LogRecord } from '../../services/runtime/log/log.ts';
import type { Chance } from './chance.ts';
import type { Fault, ForeignRecord } from './faults.ts';
import type { Judge } from './judge.ts';
import { crawl } from './machines.ts';
import { checkWorks, workSoonMs } from './outages.ts';
import type { SimProcess } from './process.ts';
import type { Stage } from './run.ts';
import { growTopic, sendAstray } from './stray-records.ts';

export function strike(stage: Stage, fault: Fault, judge: Judge, chance: Chance): void {
  const { scheduler, cluster, groups, web, world, registry } = stage;
  const machineOf = (name: string) => stage.machines.find((machine) => machine.name === name)!;
  const later = (ms: number, act: () => void) => scheduler.at(scheduler.nowMs() + ms, act);
  scheduler.note(`fault: ${JSON.stringify(fault)}`);
  switch (fault.kind) {
    case 'kill': {
      const machine = machineOf(fault.process);
      const { process } = machine;
      process.atStep(fault.step, fault.when, () => {
        if (machine.process !== process) return;
        machine.kill(fault.landing, fault.downMs);
        if (!fault.loseDisk) return;
        for (let partition = 0; partition < world.partitions; partition++) machine.disk.wipe(`${partition}`);
      });
      return;
    }
    case 'freeze': {
      const { process } = machineOf(fault.process);
      process.atStep(fault.step, 'before', () => {
        if (process.state !== 'running') return;
        scheduler.note(`${process.name} freezes`);
        process.freeze();
        groups.suspect(process);
        later(fault.forMs, () => {
          scheduler.note(`${process.name} thaws`);
          process.thaw();
          groups.back(process);
        });
      });
      return;
    }
    case 'isolate':
      return machineOf(fault.process).isolate(fault.forMs);
    case 'stop':
      return machineOf(fault.process).stop(fault.downMs);
    case 'rebalance':
      for (let time = 0, ms = 0; time < fault.times; time++, ms += chance.between(1, 900)) {
        later(ms, () => groups.rebalance(`${crawl}.${fault.group}`));
      }
      return;
    case 'append':
      return machineOf(fault.process).failAppend(fault.topic, fault.fault);
    case 'diskFull':
      machineOf(fault.process).disk.fullUntilMs = scheduler.nowMs() + fault.forMs;
      return;
    case 'clock': {
      const { process, byMs } = fault;
      machineOf(process).setClock(byMs);
      judge.clockWrong(byMs);
      later(fault.forMs, () => {
        machineOf(process).setClock(-byMs);
        judge.clockRight(byMs);
      });
      return;
    }
    case 'brokerAway':
      cluster.awayUntilMs = Math.max(cluster.awayUntilMs, scheduler.nowMs() + fault.forMs);
      return;
    case 'trouble':
      return web.trouble(fault.host, fault.answer, scheduler.nowMs() + fault.forMs);
    case 'outage':
      return beginOutage(stage, fault);
    case 'brokenAnswer':
      return web.breakOff(fault.url, fault.where, scheduler.nowMs() + fault.forMs);
    case 'noFetchers': {
      const untilMs = scheduler.nowMs() + fault.forMs;
      for (const machine of stage.machines) if (machine.name.startsWith('fetcher')) machine.rest(untilMs, fault.killed);
      return stage.fetcherless.begin(untilMs);
    }
    case 'grow':
      return growTopic(stage, fault.topic, fault.by, chance);
    case 'stray':
      return sendAstray(stage, fault.topic, chance);
    case 'duplicate': {
      const partition = chance.between(0, world.partitions - 1);
      const { records } = cluster.partition(`${crawl}.${fault.topic}`, partition);
      if (records.length > 0) cluster.land(chance.pick(records));
      return;
    }
    case 'tailLost': {
      const partition = chance.between(0, world.partitions - 1);
      const topic = `${crawl}.frontier-changelog`;
      const { records } = cluster.partition(topic, partition);
      const left = Math.max(1, records.length - fault.records);
      if (left >= records.length) return;
      if (fault.process !== null) machineOf(fault.process).kill('none', fault.downMs);
      cluster.loseTail(topic, partition, left);
      stage.standby.seeLost(partition, records);
      return;
    }
    case 'inputLost': {
      const partition = chance.between(0, world.partitions - 1);
      const topic = `${crawl}.${fault.topic}`;
      const { records } = cluster.partition(topic, partition);
      // Records that no process has read cannot be missed.
      const isRead = stage.standby.states[partition]!.positions[fault.topic].offset === records.length;
      const left = records.length - fault.records;
      if (!isRead || left <= 0) return;
      if (fault.process !== null) machineOf(fault.process).kill('none', fault.downMs);
      cluster.loseTail(topic, partition, left);
      return;
    }
    case 'foreign': {
      const partition = chance.between(0, world.partitions - 1);
      const topic = `${crawl}.${fault.topic}`;
      const value = foreignValue(fault.what, cluster.partition(topic, partition).records, chance);
      const headers: Record<string, string> = fault.topic === 'frontier-changelog' ? {} : { garbage: 'yes' };
      cluster.land({ topic, partition, key: null, value, headers });
      return;
    }
    case 'registryForgets':
      registry.forget(fault.shift);
      registry.isNamed = fault.isNamed;
      return;
    case 'garbage': {
      const partition = chance.between(0, world.partitions - 1);
      const value = bytesOfNobodys(chance, 20);
      cluster.land({ topic: `${crawl}.${fault.topic}`, partition, key: null, value, headers: { garbage: 'yes' } });
    }
  }
}

/** Waits for the pages of the crawl until all of it may be over. */
const pagesWithinMs = 60_000;
const pagesEveryMs = 100;

function beginOutage(stage: Stage, fault: Fault & { readonly kind: 'outage' }, waitedMs = 0): void {
  const { scheduler, web, standby, machines } = stage;
  const { process, restart, away } = fault;
  const later = (ms: number, act: () => void) => scheduler.at(scheduler.nowMs() + ms, act);
  if (standby.pages.size < fault.pages) {
    if (waitedMs < pagesWithinMs) later(pagesEveryMs, () => beginOutage(stage, fault, waitedMs + pagesEveryMs));
    return;
  }
  scheduler.note(`outage: ${away} of ${process ?? 'all'}`);
  const isHit = ({ name }: SimProcess) => process === null || name.startsWith(`${process}.`);
  const untilMs = scheduler.nowMs() + fault.forMs;
  web.outages!.begin({ away, isHit, untilMs });
  if (away === 'network') web.cut(isHit);
  later(fault.forMs + workSoonMs, () => checkWorks(stage, untilMs));
  if (restart === null) return;
  later(restart.afterMs, () => machines.find(({ name }) => name === restart.process)!.kill('all', restart.downMs));
}

function foreignValue(what: ForeignRecord, there: readonly LogRecord[], chance: Chance): Buffer {
  if (what === 'text') return Buffer.from('{"hello":"world"}');
  const commits = there.filter(({ value }) => value[2] === 1);
  if (what === 'bytes' || commits.length === 0) return bytesOfNobodys(chance, 40);
  const { value } = chance.pick(commits);
  return what === 'again' ? value : value.subarray(0, chance.between(0, 20));
}

/** A record that begins like one of an unknown schema would be waited for: that is another fault. */
function bytesOfNobodys(chance: Chance, lengthMax: number): Buffer {
  const bytes = Buffer.from(Array.from({ length: chance.between(0, lengthMax) }, () => chance.between(0, 255)));
  if (bytes[0] === 0 || bytes[0] === 0xc3) bytes[0] = 1;
  return bytes;
}
