/** A name for a crawl that was given none: of the host of its first seed. */
const charsMax = 50;

/** As crawlNamePattern has it. `isTaken`: by another crawl. */
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
