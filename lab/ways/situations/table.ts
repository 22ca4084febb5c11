/** The table: each situation once, in groups. */

import { codings } from './codings.ts';
import { cookies } from './cookies.ts';
import { cuts, openCuts } from './cuts.ts';
import { fields } from './fields.ts';
import { http2Streams } from './http2-streams.ts';
import { pauses } from './pauses.ts';
import { recrawls } from './recrawls.ts';
import { redirects } from './redirects.ts';
import { robotsFiles } from './robots.ts';
import type { Situation } from './situation.ts';
import { sizes } from './sizes.ts';
import { connections, slowAnswers } from './slow.ts';
import { statuses } from './statuses.ts';

export const situations: readonly Situation[] = [
  ...[...statuses, ...cuts, ...openCuts, ...http2Streams, ...codings, ...redirects, ...cookies, ...robotsFiles],
  ...[...recrawls, ...pauses, ...slowAnswers, ...connections, ...fields, ...sizes],
];
