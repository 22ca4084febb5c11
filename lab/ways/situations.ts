/** The table: each situation once, in groups. */
import type { Situation } from './situation.ts';
import { codings } from './situations/codings.ts';
import { cookies } from './situations/cookies.ts';
import { cuts, openCuts } from './situations/cuts.ts';
import { fields } from './situations/fields.ts';
import { http2Streams } from './situations/http2-streams.ts';
import { pauses } from './situations/pauses.ts';
import { recrawls } from './situations/recrawls.ts';
import { redirects } from './situations/redirects.ts';
import { robotsFiles } from './situations/robots.ts';
import { sizes } from './situations/sizes.ts';
import { connections, slowAnswers } from './situations/slow.ts';
import { statuses } from './situations/statuses.ts';

export const situations: readonly Situation[] = [
  ...[...statuses, ...cuts, ...openCuts, ...http2Streams, ...codings, ...redirects, ...cookies, ...robotsFiles],
  ...[...recrawls, ...pauses, ...slowAnswers, ...connections, ...fields, ...sizes],
];
