/** Parts of a page for operators, marked `operators` in its markup: hidden from a caller that is refused their calls. */
import { showReadsOnly } from './links.ts';
import { mayOperate } from './requests.ts';

/** Called once the page has data, and so the token of its caller, if one is needed. */
export async function showRights(): Promise<void> {
  showReadsOnly(!(await mayOperate().catch(() => true)));
}
