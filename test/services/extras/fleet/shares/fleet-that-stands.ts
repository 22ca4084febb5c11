/**
 * A fleet as a process, in which work for crawls called `stands…` never yields: in JavaScript, or in native code (`native…`).
 * `STILL_MS`: in the place of the watch's bound.
 */
import { spawnSync } from 'node:child_process';
import { createProgram } from '../../../../../services/cli/program.ts';
import { loopLimits } from '../../../../../services/runtime/loop/loop-limits.ts';
import { LoopWatch } from '../../../../../services/runtime/loop/loop-watch.ts';

Object.assign(loopLimits, { stillMsMax: Number(process.env['STILL_MS']) });
const isHarmless = process.env['HARMLESS'] === 'yes';
const join = LoopWatch.prototype.join;
LoopWatch.prototype.join = function (subject) {
  const crawlPace = join.call(this, subject);
  return {
    leave: () => crawlPace.leave(),
    run: (act) =>
      crawlPace.run(() => {
        if (!isHarmless && subject.startsWith('native')) spawnSync('sleep', ['60']);
        if (!isHarmless && subject.startsWith('stands')) for (;;);
        return act();
      }),
  };
};
const program = await createProgram(process.argv.slice(2));
await program.parseAsync();
