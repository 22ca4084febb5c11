/** Bounds on reading pages, sitemaps and feeds. */
export const parseLimits = {
  /** Characters tokenised between two looks at the deadline: about 0.3 ms. */
  sliceChars: 64 * 1024,
  /** Distinct hrefs remembered per link wanted: many spell the same URL, and the rest need only be counted. */
  hrefsPerLink: 4,
  /** Longest href that is looked at: the URL limit, and room for `../` and entities. */
  hrefCharsMax: 8_192,
  /** Requisites taken of a page, or of a style sheet: pages have some dozens. */
  requisitesMax: 500,
  /** Characters of one tag that are looked at for what it loads: pictures within it (`data:`) are skipped whole. */
  requisiteTagChars: 16_384,
  /** Text of one page at most: twice what is published of it by default. */
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
  /** A feed of so many entries is known entry by entry; of a longer one, only whether it is the same list. */
  entryMarksMax: 64,
} as const;
