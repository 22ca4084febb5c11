/** Bounds on reading pages, sitemaps and feeds. */
export const parseLimits = {
  /** Characters tokenised between two looks at the deadline: about 0.3 ms. */
  sliceChars: 64 * 1024,
  /** Distinct hrefs remembered per link wanted: many spell the same URL, and the rest need only be counted. */
  hrefsPerLink: 4,
  /** Longest href that is read, in characters: the URL limit, and room for `../` and entities. */
  hrefCharsMax: 8_192,
  /** Requisites taken of a page, or of a style sheet: pages have some dozens. */
  requisitesMax: 500,
  /** Characters of each tag that are searched for requisites; the rest of a tag (a picture as `data:`) is skipped. */
  requisiteTagChars: 16_384,
  /** Longest text of one page, in characters: twice the length that is published by default. */
  textCharsMax: 200_000,
  /** Title and description are cut here: search shows less, and some pages put their whole text into one. */
  titleCharsMax: 1_000,
  descriptionCharsMax: 2_000,
  /** Entries of one sitemap: the protocol allows 50,000. */
  sitemapEntriesMax: 50_000,
  /** Bytes of one sitemap, decompressed: the protocol allows 50 MiB. */
  sitemapBytesMax: 50 * 1024 * 1024,
  /** Indexes above a sitemap: the protocol allows one, some sites need two, more are a maze. */
  sitemapNestingMax: 2,
  /** A JSON Feed is read whole, 10 ms a megabyte: as long as a page may be. */
  jsonFeedCharsMax: 2 * 1024 * 1024,
  /** A feed of at most this many entries is compared entry by entry. A longer feed is compared as one list. */
  entryMarksMax: 64,
} as const;
