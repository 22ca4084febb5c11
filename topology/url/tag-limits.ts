/** Bounds on tags of seeds (tags.ts): each URL's are in its task, its outcome, its page and with all of its links. */
export const tagLimits = {
  /** Tags of one URL. */
  perUrlMax: 16,
  /** Characters of one tag. */
  charsMax: 64,
  /** Different lists of tags that a partition knows by number: 4 MB. Further lists are dropped. */
  setsMax: 4_096,
} as const;
