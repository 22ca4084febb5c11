/**
 * Answers for pages that were never fetched in the recording: the host's own answers, drawn again; of a host with too few,
 * those of all hosts. Status, size, duration and number of links come from one recorded answer, so that what goes
 * together stays together.
 *
 * Links lead to URLs that were linked to from the same host in the recording: pages beyond its horizon are not invented.
 * The draw goes by a hash of the URL, so that a URL has one answer in every run.
 */

import { blankLinkGroup } from '../../../schemas/blank.ts';
import type { Link, LinkGroup } from '../../../schemas/types.ts';
import { failsHost } from '../../fetch/outcome.ts';
import { fnv1a } from '../../url/fnv.ts';
import { hostKeyOf } from '../../url/host-key.ts';
import type { Answer, Recording } from './recording.ts';

/** Answers of a host from which its own are drawn. */
const answersMin = 5;
/** Answers and links kept of one host, and of all together. */
const sampleMax = 1_000;
/**
 * From one link of a page to its next among the targets: a prime beyond their greatest number, so that no target comes twice
 * before each came once.
 */
const stride = 40_507;

/** A link, with the host key it is grouped by. */
interface Target {
  readonly hostKey: string;
  readonly link: Link;
}

export interface ModelledPage {
  readonly answer: Answer;
  readonly links: readonly LinkGroup[];
}

export class PageModel {
  readonly #answers = new Map<string, Answer[]>();
  readonly #targets = new Map<string, Target[]>();
  readonly #allAnswers: Answer[] = [];
  readonly #allTargets: Target[] = [];
  readonly #links: Recording['links'];

  constructor(recording: Recording) {
    this.#links = recording.links;
    for (const [url, answers] of recording.answers) {
      const hostKey = hostKeyOf(url);
      const last = answers.at(-1)!;
      // A redirect keeps its own target: an unrequested one is unknown.
      if (last.outcome.kind === 'redirect') continue;
      push(this.#answers, hostKey, last);
      if (this.#allAnswers.length < 10 * sampleMax) this.#allAnswers.push(last);
    }
    for (const [sourceUrl, groups] of this.#links) {
      const source = hostKeyOf(sourceUrl);
      for (const { hostKey, links, hop } of groups) {
        if (hop > 0) continue;
        for (const link of links) {
          push(this.#targets, source, { hostKey, link });
          if (this.#allTargets.length < 10 * sampleMax) this.#allTargets.push({ hostKey, link });
        }
      }
    }
  }

  /** null: nothing was fetched in the recording. */
  page(url: string, hostKey: string): ModelledPage | null {
    const own = this.#answers.get(hostKey) ?? [];
    // A host that could not be reached, itself or its robots.txt, would not have answered for this page either.
    const isAway = own.length > 0 && own.every(({ outcome }) => failsHost(outcome));
    const answers = isAway || own.length >= answersMin ? own : this.#allAnswers;
    if (answers.length === 0) return null;
    const hash = fnv1a(url);
    const answer = answers[hash % answers.length]!;
    const targets = this.#targets.get(hostKey) ?? this.#allTargets;
    const groups = new Map<string, Link[]>();
    for (let i = 0; i < answer.outcome.links && targets.length > 0; i++) {
      const target = targets[(hash + i * stride) % targets.length]!;
      const links = groups.get(target.hostKey);
      if (links === undefined) groups.set(target.hostKey, [target.link]);
      else links.push(target.link);
    }
    const links = [...groups].map(([to, some]) => groupOf(url, hostKey, to, some));
    return { answer, links };
  }
}

/** A group of links; its depth and cash are set by the caller. */
function groupOf(sourceUrl: string, sourceKey: string, hostKey: string, links: Link[]): LinkGroup {
  return { ...blankLinkGroup, hostKey, sourceUrl, sourceKey, links };
}

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else if (list.length < sampleMax) list.push(value);
}
