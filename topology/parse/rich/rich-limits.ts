/** Bounds of data from a page beyond links and text, each with its reason. */
export const richLimits = {
  /** Characters tokenised between two looks at the deadline: about 1 ms. */
  sliceChars: 64 * 1024,
  /** Names of tags and attributes are cut here: no element has a longer one. */
  nameCharsMax: 64,
  /** Attributes of one element that are kept: frameworks write dozens, hostile pages millions. */
  attributesMax: 64,
  /** `srcset` and `content` are the longest useful values. */
  valueCharsMax: 16_384,
  /** Most open elements. A deeper tree is not a page, and would take quadratic time in the library. */
  depthMax: 256,
  /** How many levels up an end tag searches for its element: bounds the cost of unmatched end tags. */
  closeDepthMax: 64,
  /** Words that make `main` or `article` believed to hold the main text. */
  mainWordsMin: 50,
  /** A book's chapter has as much. */
  mainTextCharsMax: 100_000,
  /** With marks and addresses of links; it ends before the block that exceeds it. */
  markdownCharsMax: 200_000,
  /** A longer link keeps its text alone. */
  linkCharsMax: 2_048,
  /** Meta properties with values: pages with many pictures have some dozen. */
  metadataValuesMax: 200,
  jsonLdBlocksMax: 20,
  /** A shop's product with all its reviews has 100 kB. */
  jsonLdCharsMax: 256 * 1024,
  /** Part of a page's JSON-LD that is read leniently, if it is not JSON. A hostile page could make this slow. */
  jsonLdLenientCharsMax: 128 * 1024,
  /** Metadata as JSON in a page's record; more is left out, from the last block on. */
  metadataCharsMax: 64 * 1024,
  mediaLinksMax: 2_000,
  srcsetMax: 50,
  /** Markup that a tree is built of: a tree takes some ten times as much memory. */
  tidyCharsMax: 1_000_000,
  fieldsMax: 100,
  /** Values of one field, and characters of one value. */
  fieldValuesMax: 100,
  fieldCharsMax: 10_000,
  /** All values of a page together: with its text and outlinks, a record stays below the 8 MiB that topics take. */
  fieldsCharsMax: 1_000_000,
  /** If a page took too long for the selectors, its site has none for this many times as long: at most a tenth of the worker. */
  fieldsRestFactor: 10,
  /** Each time, twice as long as before, so often: then it is half an hour. */
  fieldsRestDoublingsMax: 6,
  /** Sites for which the crawler remembers whether extracting fields from their pages finished in time, about 100 B each. */
  fieldSitesMax: 10_000,
  /** Links in a page's record that nofollow kept out, and their characters: a thread of comments has some hundred. */
  nofollowedMax: 1_000,
  nofollowedCharsMax: 64 * 1024,
  /** All outlinks in a page's record: 50,000 of 80 characters. */
  outlinkCharsMax: 4 * 1024 * 1024,
} as const;
