/**
 * The places of a page that are SVG or MathML (HTML standard §13.2.6.5). Only there does a slash close an element, as in `<path/>`. Ends drawings
 * as HTML does, because their end tags may be missing.
 */

/** Roots of markup in a page that is not HTML's own. */
const roots = new Set(['svg', 'math']);
/** Elements in foreign markup that contain HTML again. */
const htmlWithin = new Set(['foreignobject', 'annotation-xml', 'desc', 'title']);
/** Elements that end a drawing, since no author of drawings uses them. */
const endsForeign = new Set(
  (
    'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ' +
    'ol p pre ruby s small span strong strike sub sup table tt u ul var'
  ).split(' '),
);
/** Deeper changes between HTML and foreign markup are not noted, so that an end tag costs little. */
const depthMax = 64;
const none: readonly string[] = [];

export class ForeignMarkup {
  /** Open roots, and open elements in them that contain HTML again, outermost first. */
  readonly #open: string[] = [];

  /** True from a root to its end. */
  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** True if the place is foreign markup. */
  get isHere(): boolean {
    return this.#open.length > 0 && !htmlWithin.has(this.#open.at(-1)!);
  }

  /** The roots that a start tag ends, innermost first. Call before `opens`. */
  endedBy(name: string): readonly string[] {
    if (!this.isHere || !endsForeign.has(name)) return none;
    const ended: string[] = [];
    while (this.isHere) ended.push(this.#open.pop()!);
    return ended;
  }

  /** Notes a start tag. Returns true if its `slash` closes it. */
  opens(name: string, slash: boolean): boolean {
    const isRoot = roots.has(name);
    if (!isRoot && !this.isHere) return false;
    if (!slash && (isRoot || htmlWithin.has(name)) && this.#open.length < depthMax) this.#open.push(name);
    return slash;
  }

  /** Notes an end tag. Returns the number of roots that it ends. */
  closes(name: string): number {
    const at = this.#open.lastIndexOf(name);
    return at < 0 ? 0 : this.#open.splice(at).filter((one) => roots.has(one)).length;
  }
}
