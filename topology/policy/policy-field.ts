/** The declaration of one field of a policy. */
import type { z } from 'zod';

export interface PolicyField {
  /**
   * A field that a release adds is optional, and its absence means the behaviour before it: logs keep old policies, and
   * older processes read them.
   */
  readonly schema: z.ZodType;
  /** Meaning and unit; the last sentence says what happens if the field is absent. */
  readonly about: string;
  /** Value in the policy of a new crawl. Left out: a new crawl has no such field. */
  readonly initial?: unknown;
  /** Overlays may set the field: for whole hosts, or for any URLs. Left out: they may not. */
  readonly overlay?: 'hosts' | 'urls';
  /**
   * Sets the field in a fleet. The operator alone sets fields that affect others than the owner of a crawl: sites, other
   * crawls, the process, money, and the destination of records.
   */
  readonly setter: 'owner' | 'operator';
  /** Option of `crawl` and `inject` that sets the field. File and environment follow from it. */
  readonly flag?: FieldFlag;
}

/** The value has the bounds and choices of the schema. */
export interface FieldFlag {
  /** `maxPages` is typed as `--max-pages`. */
  readonly name: string;
  /** `<duration>` and `<bytes>` are typed with units. Left out: the option takes no value. */
  readonly value?: string;
  /** Description of the option in help. */
  readonly about: string;
  /** Reason of the default. */
  readonly reason: string;
  /** Bounds that are narrower than those of the schema. */
  readonly least?: number;
  readonly most?: number;
  /** Value for the word `none`. Left out: the word is refused. */
  readonly none?: number | null;
}
