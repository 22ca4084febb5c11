/** One lease in this process: its task, and what its requests have shown of the host so far. */
import type { Outcome, OutcomeKind, Task } from '../../../schemas/types.ts';
import { isServerError, serverErrorsAfter } from '../../../topology/fetch/outcome.ts';
import type { LeaseReporter } from '../publish/publisher.ts';
import { originOf, type RobotsAnswer, type RobotsFetch } from '../robots/cache.ts';
import { robotsFetch } from '../robots/fetch.ts';
import type { LeaseRunner } from './lease-runner.ts';

export class Lease {
  readonly runner: LeaseRunner;
  readonly task: Task;
  readonly reporter: LeaseReporter;
  /** Called when the lease has a URL to hand out. */
  readonly arrived: () => void;
  /** No request starts later, so none is in progress at the deadline. */
  readonly latestStartMs: number;
  /** Origins that did not answer although another origin of their host does, with their failures. */
  readonly silent = new Map<string, { readonly kind: OutcomeKind; readonly failure: Partial<Outcome> }>();
  /** Server errors in a row, of first tries. */
  #serverErrors: number;
  readonly #fetchRobots: RobotsFetch;

  constructor(runner: LeaseRunner, task: Task, reporter: LeaseReporter, arrived: () => void) {
    this.runner = runner;
    this.task = task;
    this.reporter = reporter;
    this.arrived = arrived;
    this.latestStartMs = task.deadlineMs - runner.totalTimeoutMs;
    this.#serverErrors = task.serverErrors;
    this.#fetchRobots = robotsFetch(runner, task, reporter);
  }

  /** The robots.txt of an origin of the host. null: it could not be requested in time. */
  robotsOf(origin: string): Promise<RobotsAnswer | null> {
    return this.runner.robots.get(origin, this.#fetchRobots);
  }

  /** Requests the host's part of redirected robots.txt files, for other hosts. */
  async followHops(): Promise<void> {
    const hop = this.runner.hop ?? this.runner.robots.hop;
    for (const { asked, url } of this.task.robotsHops) await hop([...asked, url], this.#fetchRobots);
  }

  /**
   * True if the host answers under its other scheme: then only one of its origins is silent, not the host. The other
   * origin is requested only if this lease has URLs of it.
   */
  async otherOriginAnswers(origin: string): Promise<boolean> {
    const other = this.task.urls.map(({ url }) => originOf(url)).find((one) => one !== origin);
    if (other === undefined) return this.runner.robots.has(otherScheme(origin));
    const answer = await this.robotsOf(other);
    return answer !== null && answer.robots.status !== 'unreachable';
  }

  /** Counts an outcome. True if it completes enough server errors in a row to count against the host. */
  isFailing(outcome: Outcome): boolean {
    const { urls, serverErrorsMax } = this.task;
    const isFirstTry = urls[outcome.index]!.attempt === 0;
    this.#serverErrors = serverErrorsAfter(this.#serverErrors, outcome, isFirstTry);
    return serverErrorsMax > 0 && isServerError(outcome) && this.#serverErrors >= serverErrorsMax;
  }
}

function otherScheme(origin: string): string {
  return origin.startsWith('https:') ? `http${origin.slice(5)}` : `https${origin.slice(4)}`;
}
