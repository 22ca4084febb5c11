/** How a part of an office file is read where a test says nothing else. */
import type { ParseOptions } from '../../../../topology/parse/page.ts';

export function gatheringOf(more: Partial<ParseOptions> = {}): ParseOptions {
  return {
    ...{ url: 'http://a.test/files/x', contentType: null, robotsTags: [], productToken: 'crawlstream' },
    ...{ linksMax: 1_000, textCharsMax: 100_000, byteBudget: 1e9, expired: () => false },
    ...more,
  };
}
