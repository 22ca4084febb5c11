/** Events of one URL that are kept: the newest; a URL that comes back for years has many. */
const eventsMax = 100;

export function note<T>(list: T[], event: T): void {
  list.push(event);
  if (list.length > eventsMax) list.shift();
}
