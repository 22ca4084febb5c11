/** The order of a crawl in a data folder, for its dashboard. */
import type { AboutStatus } from '../../dashboard/status.ts';
import type { DataFolder } from '../../runtime/data-folder/data-folder.ts';
import { readRequest } from '../connect/crawl-folder.ts';
import { placeText } from '../connect/place-text.ts';

const seedsShown = 3;

/** `data`: the folder as it was typed; null: it is not shown. The file is read once, since seeds may be a million. */
export function aboutFolder(folder: DataFolder, data: string | null): () => Promise<Omit<AboutStatus, 'scope'>> {
  const read = async () => {
    const { seeds } = await readRequest(folder);
    return {
      ...{ seeds: seeds.slice(0, seedsShown), seedCount: seeds.length },
      place: data === null ? null : placeText({ data }),
      startedMs: Date.parse(folder.manifest.createdAt),
    };
  };
  let known: Promise<Omit<AboutStatus, 'scope'>> | undefined;
  return () => (known ??= read());
}
