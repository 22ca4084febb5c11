/** What a crawl with a scope, a depth limit or filters should fetch, by walking the plan: no HTML, no crawler. */
import type { WebPlan } from '../../../../lab/web/plan.ts';
import { isFetched, type Resource } from '../../../../lab/web/resources.ts';

export interface Limits {
  /** Default: every URL. */
  readonly admits?: (url: string) => boolean;
  readonly maxDepth?: number;
}

/** URLs of a plain web reached breadth first from host 0's first page, sorted. */
export function reachable(plan: WebPlan, port: number, { admits = () => true, maxDepth = 1e9 }: Limits): string[] {
  const found = new Set<string>();
  let front: { readonly host: number; readonly resource: Resource }[] = [];
  const meet = (host: number, path: string) => {
    const url = plan.url(host, path, port);
    const resource = plan.resolve(host, path);
    if (found.has(url) || resource === undefined || !isFetched(resource.kind) || !admits(url)) return;
    found.add(url);
    front.push({ host, resource });
  };
  meet(0, '/');
  for (let depth = 0; depth < maxDepth && front.length > 0; depth++) {
    const pages = front;
    front = [];
    for (const { host, resource } of pages) for (const to of plan.targets(host, resource)) meet(to.host, to.path);
  }
  return [...found].sort();
}
