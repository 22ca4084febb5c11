/**
 * Paths that repeat themselves: `/a/b/a/b/a/b/`, caused by relative links that resolve against their own page.
 *
 * Recognised by the URL alone. A group of up to four segments that occurs `times` times in a row is a repetition.
 * Groups of numbers, or of one single character, need more repetitions, because `/0/0/0` are map tiles and `/a/a/a` a
 * dictionary.
 */
const groupMax = 4;
/** Additional repetitions that are normal for groups of numbers or single characters. */
const extraForShort = 3;

/** The path up to the end of the second occurrence, or null. `url` is normal. */
export function repeatedSegments(url: string, times: number): string | null {
  if (!hasSegments(url, times)) return null;
  const starts = segmentStarts(url);
  const count = starts.length - 1;
  if (count < times) return null;
  for (let group = 1; group <= groupMax && group * times <= count; group++) {
    let run = 0;
    for (let i = group; i < count; i++) {
      run = sameSegment(url, starts, i, i - group) ? run + 1 : 0;
      if (run === 0 || run % group !== 0) continue;
      const first = i - group - run + 1;
      const wanted = isShort(url, starts, first, group) ? times + extraForShort : times;
      if (run / group + 1 >= wanted) return url.slice(url.indexOf('/', 8), starts[first + 2 * group]! - 1);
    }
  }
  return null;
}

/** Returns whether the URL has at least this many path segments. Most URLs have fewer, so no list is made for them. */
function hasSegments(url: string, least: number): boolean {
  let left = least;
  for (let at = url.indexOf('/', 8); at >= 0 && left > 0; at = url.indexOf('/', at + 1)) left--;
  return left === 0;
}

/** Start of each path segment, and one past the end of the last with its slash. */
function segmentStarts(url: string): number[] {
  const starts: number[] = [];
  let at = url.indexOf('/', 8);
  if (at < 0) return starts;
  for (starts.push(at + 1); at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === 63) break;
    if (code === 47 && at + 1 > starts[0]!) starts.push(at + 1);
  }
  starts.push(at + 1);
  return starts;
}

function sameSegment(url: string, starts: readonly number[], a: number, b: number): boolean {
  const length = starts[a + 1]! - starts[a]!;
  if (starts[b + 1]! - starts[b]! !== length || length <= 1) return false;
  // Without the slash, which the last one has not.
  for (let i = 0; i < length - 1; i++)
    if (url.charCodeAt(starts[a]! + i) !== url.charCodeAt(starts[b]! + i)) return false;
  return true;
}

function isShort(url: string, starts: readonly number[], first: number, group: number): boolean {
  for (let i = first; i < first + group; i++) {
    const segment = url.slice(starts[i], starts[i + 1]! - 1);
    if (!(group === 1 && segment.length === 1) && !/^\d+$/.test(segment)) return false;
  }
  return true;
}
