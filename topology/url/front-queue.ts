/**
 * The front queue in which a URL waits: 8 front queues inside a host, 0 the highest (Mercator's F).
 *
 * Only the depth and the spelling of a link are known when it is found. Depth is the strongest signal that needs no
 * history: breadth-first order alone finds high-PageRank pages first (Najork & Wiener, WWW 2001). The spelling
 * corrects it, because traps and near-duplicates tend to have queries, many parameters and deep paths.
 *
 *   depth        0 → 0   1 → 1   2 → 2   3–4 → 3   5 and more → 4
 *   + 1  with a query        + 1  with more than 3 parameters        + 1  with more than 6 path segments
 *   − 1  for a host's front page
 */
export const frontQueueCount = 8;

const parametersMany = 3;
const segmentsMany = 6;

/** Returns the front queue, 0 to 7, of a normal URL. */
export function frontQueueOf(url: string, depth: number): number {
  let frontQueue = depth <= 2 ? depth : depth <= 4 ? 3 : 4;
  let segments = -1;
  let parameters = 0;
  for (let at = url.indexOf('/', 8); at >= 0 && at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (parameters > 0) {
      if (code === 38) parameters++;
    } else if (code === 47) {
      segments++;
    } else if (code === 63) {
      parameters = 1;
    }
  }
  if (parameters > 0) frontQueue++;
  if (parameters > parametersMany) frontQueue++;
  if (segments >= segmentsMany) frontQueue++;
  if (segments === 0 && parameters === 0 && url.charCodeAt(url.length - 1) === 47) frontQueue--;
  return Math.max(0, Math.min(frontQueueCount - 1, frontQueue));
}
