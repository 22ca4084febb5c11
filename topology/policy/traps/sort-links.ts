/**
 * Sort links of directory indexes: four columns, up and down, make eight URLs of each directory with the same
 * content.
 *
 * Apache's mod_autoindex spells them `?C=N;O=D` (IndexOptions, "Query Arguments"), nginx's fancyindex `?C=N&O=D`,
 * older Apaches `?N=D`. No shape begins like this pattern, so it is unambiguous.
 */
export const sortPattern = '?C=';

const sortQuery = /\?(?:C=[NMSD][;&]O=[AD]|[NMSD]=[AD])$/;

/** `url` is normal. */
export function isSortLink(url: string): boolean {
  // Most URLs have no query, so this quick test rejects them.
  return url.charCodeAt(url.length - 2) === 61 && sortQuery.test(url);
}
