/** What a game's end comes to elsewhere: dumped and loaded, and made anew from what was sent. */

import { clockOf } from '../../../../lab/model/clock-of.ts';
import type { ModelRig } from '../../../../lab/model/model-rig.ts';
import { rigKey } from '../../../../lab/model/model-rig.ts';
import { RowsInMemory } from '../../../../lab/model/rows-in-memory.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { readLeases } from '../../../../topology/frontier/checkpoint/read-rows.ts';
import { saveCheckpoint } from '../../../../topology/frontier/checkpoint/save-checkpoint.ts';
import { FromInputs } from '../../../../topology/frontier/from-inputs.ts';
import { replay } from '../../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import type { DumpLine } from '../../../../topology/frontier/transfer/dump-line.ts';
import {
  budgetLines,
  dumpHosts,
  repeatedLine,
  rowLine,
  tallyLine,
} from '../../../../topology/frontier/transfer/dump-state.ts';
import { askAbout, loadChanges, type StateLine } from '../../../../topology/frontier/transfer/load-changes.ts';
import { loadStep } from '../../../../topology/frontier/transfer/load-step.ts';
import { parseDumpLine } from '../../../../topology/frontier/transfer/parse-dump-line.ts';

const identity = { crawl: 'other', partition: 0, partitions: 1 };
const urlRow = 'u'.charCodeAt(0).toString(16);

export function* moved(rig: ModelRig, nowMs: number): Generator<unknown> {
  const lines = dumped(rig);
  yield lines;
  yield* loaded(rig, lines, nowMs);
  const state = new FrontierState(rigKey);
  const made = new FromInputs(rig.core.identity, state);
  for (const event of rig.sent('control')) made.control(event);
  for (const result of rig.sent('results')) made.result(result);
  for (const message of rig.sent('discovered')) made.discovered(message);
  made.end();
  yield [digest(state), clockOf(state), state.counters];
}

/** Of a state made from the changelog, since a dump takes what is queued. */
function dumped(rig: ModelRig): DumpLine[] {
  const state = rig.replayed();
  const rows = new RowsInMemory();
  rows.run(readLeases(state));
  rows.run(saveCheckpoint(state));
  const normal = (url: string) => url.toLowerCase();
  const lines: DumpLine[] = [...budgetLines(state)];
  rows.run(dumpHosts(state, normal, (line) => lines.push(line)));
  for (const [key, value] of rows.entries())
    if (key.startsWith(urlRow)) lines.push(rowLine(state, Buffer.from(key, 'hex'), value, normal));
  lines.push(repeatedLine(state, new Map([['page', 2]])), tallyLine(state));
  return lines;
}

function* loaded(rig: ModelRig, lines: readonly DumpLine[], nowMs: number): Generator<unknown> {
  const state = new FrontierState(rigKey);
  replay(state, 0, { kind: 'claim', nonce: 'load', nowMs, endsLeases: false });
  const { policyVersion: version, policyJson: json } = rig.core.state;
  const first: Change[] = json === '' ? [] : [{ kind: 'policy', version, json }];
  yield loadStep(state, identity, nowMs, first).commit.toString('latin1');
  const read = lines.map((line, number) => parseDumpLine(JSON.stringify(line), number) as StateLine);
  for (let at = 0; at < read.length; at += 50) {
    const some = read.slice(at, at + 50);
    if (askAbout(state, some)) throw new Error('everything is in memory');
    yield loadStep(state, identity, nowMs, loadChanges(state, some)).commit.toString('latin1');
  }
  yield [digest(state), clockOf(state)];
}
