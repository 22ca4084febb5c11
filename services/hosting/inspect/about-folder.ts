/** The order of a crawl in a data folder. */
import type { CrawlOrder } from '../../application/extension/display.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { readRequest } from '../connect/crawl-folder.ts';
import { placeText } from '../connect/place-text.ts';

const seedsShown = 3;

/** `data`: the folder as it was typed; null: it is not shown. The file is read once, since seeds may be a million. */
export function aboutFolder(folder: DataFolder, data: string | null): () => Promise<CrawlOrder> {
  const read = async () => {
    const { seeds } = await readRequest(folder);
    return {
      ...{ seeds: seeds.slice(0, seedsShown), seedCount: seeds.length },
      place: data === null ? null : placeText({ data }),
      startedMs: Date.parse(folder.manifest.createdAt),
    };
  };
  let known: Promise<CrawlOrder> | undefined;
  return () => (known ??= read());
}
