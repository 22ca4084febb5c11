/** How a reader read an answer. */
export interface Reading {
  /** `whole`: the body from its start to its end. `part`: its start. `open`: a robots.txt with rules that were not kept. */
  readonly got: 'whole' | 'part' | 'open' | 'nothing';
  /** Set for a page that was parsed. */
  readonly title?: string;
  /** Absolute http(s) links of a page that was parsed, in normal form, sorted, each once. */
  readonly links?: readonly string[];
}

/** By the answer's number. A missing number: the reader was not asked. */
export type Readings = ReadonlyMap<number, Reading>;
