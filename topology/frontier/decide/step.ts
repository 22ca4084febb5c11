/** The result of one step of a partition: its changelog record, and the records to publish before and after it. */
import type { DeadLetter, Task } from '../../../schemas/types.ts';
import type { ControlMessage, Decision, TimedUrl } from './decision.ts';
import type { GrantSource } from './grant-sources.ts';
import type { PassedOn } from './misrouted.ts';
import type { TraceEvent } from './trace-events.ts';

export interface Step {
  /** The changelog record. */
  readonly commit: Buffer;
  /** Offset that the record must get. */
  readonly offset: number;
  /** Dead letters, acked before the commit is appended. */
  readonly deadLetters: readonly DeadLetter[];
  /** Records for other partitions, acked before the commit is appended. */
  readonly passedOn: readonly PassedOn[];
  /** Tasks to publish once the commit is acked at `offset`. Ask for them after `reads` and before the next step. */
  readonly tasks: readonly Task[];
  readonly controls: readonly ControlMessage[];
  /** Its actions on traced URLs, in order; reported once the commit is acked. */
  readonly traced: readonly TraceEvent[];
  /** Some of the URLs that it admitted, to be timed from once the commit is acked. */
  readonly timed: readonly TimedUrl[];
  /** URLs that it put on leases, by the queue that they came from. */
  readonly grantedFrom: ReadonlyMap<GrantSource, number>;
}

/** Tasks are made when they are asked for: their URLs are read after the step. */
export class Decided implements Step {
  readonly commit: Buffer;
  readonly offset: number;
  readonly deadLetters: readonly DeadLetter[];
  readonly passedOn: readonly PassedOn[];
  readonly controls: readonly ControlMessage[];
  readonly traced: readonly TraceEvent[];
  readonly timed: readonly TimedUrl[];
  readonly grantedFrom: ReadonlyMap<GrantSource, number>;
  readonly #makeTasks: () => readonly Task[];
  #tasks: readonly Task[] | undefined;

  constructor(
    commit: Buffer,
    offset: number,
    {
      deadLetters,
      misrouted,
      controls,
      traced,
      timed,
      grantedFrom,
    }: Pick<Decision, 'deadLetters' | 'misrouted' | 'controls' | 'traced' | 'timed' | 'grantedFrom'>,
    makeTasks: () => readonly Task[],
  ) {
    this.commit = commit;
    this.offset = offset;
    this.deadLetters = deadLetters;
    this.passedOn = misrouted.passedOn;
    this.controls = controls;
    this.traced = traced;
    this.timed = timed;
    this.grantedFrom = grantedFrom;
    this.#makeTasks = makeTasks;
  }

  get tasks(): readonly Task[] {
    return (this.#tasks ??= this.#makeTasks());
  }
}
