/** Names a crawl that was created without a name, by the host of its first seed. */
const charsMax = 50;

/** Returns a name that matches crawlNamePattern. `isTaken`: true if another crawl has the name. */
export function newName(seed: string, isTaken: (name: string) => boolean): string {
  const host = new URL(seed).host.toLowerCase().replace(/^www\./, '');
  const name =
    host
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, charsMax) || 'crawl';
  if (!isTaken(name)) return name;
  for (let n = 2; ; n++) if (!isTaken(`${name}-${n}`)) return `${name}-${n}`;
}
