/** Opens an object store by the user's name for it: a folder, or `s3://bucket/prefix`. */
import { createFolderObjects } from './folder-objects.ts';
import type { ObjectStore } from './objects.ts';
import { openS3Objects } from './s3-objects.ts';

export async function openObjects(place: string): Promise<ObjectStore> {
  return /^s3:/.test(place) ? openS3Objects(place) : createFolderObjects(place);
}
