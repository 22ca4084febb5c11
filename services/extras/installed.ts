/** Made by `npm run generate` from the folders beside it. */
import type { Extension } from '../application/extension/extension.ts';
import { extension as archiveExtra } from './archive/extension.ts';
import { extension as auditExtra } from './audit/extension.ts';
import { extension as dashboardExtra } from './dashboard/extension.ts';
import { extension as dedupExtra } from './dedup/extension.ts';
import { extension as deskExtra } from './desk/extension.ts';
import { extension as exportExtra } from './export/extension.ts';
import { extension as fleetExtra } from './fleet/extension.ts';
import { extension as graphExtra } from './graph/extension.ts';
import { extension as indexExtra } from './index/extension.ts';
import { extension as lendingExtra } from './lending/extension.ts';
import { extension as officeExtra } from './office/extension.ts';
import { extension as paymentsExtra } from './payments/extension.ts';
import { extension as pdfExtra } from './pdf/extension.ts';
import { extension as pushExtra } from './push/extension.ts';
import { extension as renderExtra } from './render/extension.ts';
import { extension as storyExtra } from './story/extension.ts';
import { extension as urlfrontierExtra } from './urlfrontier/extension.ts';
import { extension as whatIfExtra } from './what-if/extension.ts';

export const installed: readonly Extension[] = [
  archiveExtra,
  auditExtra,
  dashboardExtra,
  dedupExtra,
  deskExtra,
  exportExtra,
  fleetExtra,
  graphExtra,
  indexExtra,
  lendingExtra,
  officeExtra,
  paymentsExtra,
  pdfExtra,
  pushExtra,
  renderExtra,
  storyExtra,
  urlfrontierExtra,
  whatIfExtra,
];
