/**
 * Ports on which no web server should listen: other protocols do, and could mistake a request for one of theirs.
 *
 * Source: the Fetch standard, "port blocking", which browsers follow. Any other port may be crawled.
 */

const blocked: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

export function isBlockedPort(port: number): boolean {
  return blocked.has(port);
}

const colon = 58;
const slash = 47;
const closingBracket = 93;

/** Port of a normal URL; without one, the scheme's default port. */
export function portOf(url: string): number {
  const secure = url.charCodeAt(4) !== colon;
  let port = 0;
  let digit = 1;
  // From the end of the authority backwards: digits up to a colon are a port, anything else is a name.
  const end = url.indexOf('/', secure ? 8 : 7);
  for (let at = (end < 0 ? url.length : end) - 1; at > 7; at--) {
    const code = url.charCodeAt(at);
    if (code === colon) return port;
    if (code === closingBracket || code === slash || code < 48 || code > 57) break;
    port += (code - 48) * digit;
    digit *= 10;
  }
  return secure ? 443 : 80;
}
