/** Parts of a page for operators, marked `operators` in its markup: hidden from a caller that is refused their calls. */
import { showReadsOnly } from './links.ts';
import { mayOperate } from './requests.ts';

/** Called once the page has data, and so the token of its caller, if one is needed. True: no token is asked for. */
export async function showRights(): Promise<boolean> {
  const answer = await mayOperate().catch(() => 'unknown' as const);
  showReadsOnly(answer === 'no');
  return answer === 'yes';
}
