/**
 * Query parameters that say where a visitor came from and never what the page holds.
 *
 * Names are lower-case, `*` at the end stands for any ending; a parameter's name is lower-cased before it is looked up. A name belongs here only if the
 * service that adds it documents it as campaign or click tracking: a wrong entry loses pages, a missing one only
 * costs duplicates. `ref` and `source` are therefore absent: many sites serve content by them.
 */
export const trackingParameters: readonly string[] = [
  'utm_*', // Google Analytics, and most others after it
  'mtm_*', // Matomo
  'matomo_*',
  'pk_*', // Piwik
  'piwik_*',
  'hsa_*', // HubSpot ads
  '__hs*', // HubSpot cross-domain cookies: __hssc, __hstc, __hsfp
  // Google: click ids of Ads, Display, app and web conversions, and Analytics linkers.
  'gclid',
  'gclsrc',
  'dclid',
  'gbraid',
  'wbraid',
  'gad_source',
  'gad_campaignid',
  'srsltid',
  '_ga',
  '_gl',
  '_gac',
  // Click ids of other networks.
  'fbclid',
  'fb_action_ids',
  'fb_action_types',
  'fb_source',
  'fb_ref',
  'msclkid',
  'twclid',
  'ttclid',
  'li_fat_id',
  'igshid',
  'igsh',
  'epik',
  'rdt_cid',
  'sccid',
  'scid',
  'yclid',
  '_openstat',
  'ymclid',
  'irclickid',
  'wickedid',
  'ef_id',
  's_kwcid',
  's_cid',
  'cjevent',
  'awc',
  'ndclid',
  'vero_id',
  'vero_conv',
  'ref_src',
  'ref_url',
  // Mailing services: who opened which mail.
  'mc_cid',
  'mc_eid',
  'mkt_tok',
  '_hsenc',
  '_hsmi',
  'hsctatracking',
  'oly_anon_id',
  'oly_enc_id',
  'ml_subscriber',
  'ml_subscriber_hash',
  'mkwid',
  'pcrid',
  'ck_subscriber_id',
  'dm_i',
  'bsft_clkid',
  'bsft_uid',
  '_branch_match_id',
  '_branch_referrer',
  'xtor',
  'wt_zmc',
  'wt.mc_id',
];
