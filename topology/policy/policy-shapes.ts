/** Shapes of values that fields of a policy have, as JSON. */
import { z } from 'zod';
import { intents } from '../../schemas/types.ts';
import { urlLimits } from '../url/url-limits.ts';
import { listKinds } from '../url/url-lists.ts';
import { parallelLimits, waitLimits } from './limits.ts';
import { parallelDelays } from './parallel.ts';

const strings = z.array(z.string().min(1));
export const millis = z.int().min(0).max(waitLimits.waitMsMax);
export const count = z.int().min(1);

export const normalizeSchema = z.strictObject({
  urlCharsMax: z.int().min(1).max(urlLimits.urlCharsMax),
  fragment: z.enum(['drop', 'escape']),
  trailingDot: z.boolean(),
  duplicateSlashes: z.boolean(),
  trackingParameters: strings,
  sessionParameters: strings,
  sortParameters: z.boolean(),
  dropParameters: strings,
  indexPages: z.boolean(),
  www: z.boolean(),
  trailingSlash: z.literal('drop').optional(),
  scheme: z.enum(['http', 'https']).optional(),
  emptyValues: z.literal('drop').optional(),
  hashes: z.boolean(),
  hosts: z.record(
    z.string().min(1),
    z.strictObject({ keep: strings.optional(), drop: strings.optional(), only: strings.optional() }),
  ),
});

export const filtersSchema = z.strictObject({
  schemes: z.array(z.enum(['http', 'https'])).min(1),
  urlCharsMax: z.int().min(1),
  extensionsDenied: strings,
  include: strings,
  exclude: strings,
  prefixesAllowed: strings,
  prefixesDenied: strings,
  hostsAllowed: strings,
  hostsDenied: strings,
  domainsAllowed: strings,
  domainsDenied: strings,
  portsAllowed: z.array(z.int().min(1).max(65_535)).optional(),
  lists: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(100),
        kind: z.enum(listKinds),
        verdict: z.enum(['allow', 'deny']),
        path: z.string().min(1),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, 'write 64 hexadecimal digits, as sha256sum prints them'),
      }),
    )
    .optional(),
});

const hour = z.int().min(0).max(24);

export const windowSchema = z.strictObject({
  hosts: strings.min(1),
  fromHour: hour,
  toHour: hour,
  utcOffsetMinutes: z
    .int()
    .min(-14 * 60)
    .max(14 * 60),
  days: z.array(z.int().min(0).max(6)).min(1).optional(),
});

export const parallelSchema = z.strictObject({
  hosts: strings.min(1),
  leases: z.int().min(1).max(parallelLimits.leasesMax),
  delay: z.enum(parallelDelays).optional(),
});

export const metadataSchema = z
  .strictObject({
    name: z.string().min(1).max(100),
    url: z.string().optional(),
    intents: z.array(z.enum(intents)).min(1).optional(),
    sourceDomains: strings.min(1).optional(),
    offHost: z.boolean().optional(),
    depthFrom: z.int().min(0).optional(),
    hopFrom: z.int().min(0).optional(),
    modifiedBeforeMs: z.int().min(0).max(8.64e15).optional(),
  })
  .refine((rule) => Object.keys(rule).length > 1, 'a rule without a condition would reject every URL; add a condition');

export const budgetSchema = z.strictObject({
  key: z.enum(['host', 'domain']),
  base: z.int().min(0),
  perSource: z.int().min(0),
  max: count,
  refillMs: count,
});
