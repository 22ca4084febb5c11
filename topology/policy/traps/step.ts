/** The steps of a host's summary: one event, a new summary. Pure, and independent of configuration. */
import { shapeOf } from './shape.ts';
import { stepContents } from './step-contents.ts';
import { stepParameters, stepPaths } from './step-queries.ts';
import { stepShapes } from './step-shapes.ts';
import type { TrapSummary } from './summary.ts';
import { stepVariants } from './variants.ts';

export type TrapEvent = Admitted | Fetched;

/** A URL was admitted. */
export interface Admitted {
  readonly kind: 'admitted';
  /** Normal. */
  readonly url: string;
  readonly depth: number;
  /** The page that links to it. Absent: chains are recognised by depth alone. */
  readonly sourceUrl?: string;
}

/** A URL was fetched, to a terminal outcome. */
export interface Fetched {
  readonly kind: 'fetched';
  /** Normal. */
  readonly url: string;
  readonly status: number;
  /** Hexadecimal. Empty: no body. */
  readonly contentHash: string;
  /** Signature of the page's text (content/text-signature.ts). Empty or absent: not known. */
  readonly textSignature?: string;
  /** The page says that it does not exist, or that it is not to be indexed, and leads nowhere. */
  readonly isWaste?: boolean;
}

export function stepSummary(before: TrapSummary, event: TrapEvent): TrapSummary {
  const shape = shapeOf(event.url);
  const events = before.events + 1;
  if (event.kind === 'fetched')
    return { ...before, events, ...stepContents(before, event, shape), ...stepVariants(before, event) };
  const shapes = stepShapes(before.shapes, event, shape, events);
  const question = shape.indexOf('?');
  if (question < 0) return { ...before, events, shapes };
  const paths = stepPaths(before.paths, shape, question, events);
  return { ...before, events, shapes, paths, parameters: stepParameters(before.parameters, shape, question, events) };
}
