/** Full name of a crawl's changelog. */
export function changelogTopic(crawl: string): string {
  return `${crawl}.frontier-changelog`;
}
