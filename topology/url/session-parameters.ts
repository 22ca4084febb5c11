/**
 * Parameters that carry a visitor's session, in the query (`?PHPSESSID=…`) or in the path (`;jsessionid=…`).
 *
 * Each visit gets another value for the same page, so a crawler that keeps them never ends. Names are lower-case, `*` at the end
 * stands for any ending.
 * `sid` also names stories and sections on a few sites: a rule for such a host keeps it (`hosts` in NormalizeConfig).
 */
export const sessionParameters: readonly string[] = [
  'phpsessid', // PHP
  'phpsessionid',
  'jsessionid', // Java servlets
  'sessionid',
  'session_id',
  'sessid',
  'sid', // PHP shops and forums
  'lsid',
  'jsid',
  '_sessionid',
  '_sid',
  'bv_sessionid', // BroadVision
  'bv_engineid',
  'cfid', // ColdFusion
  'cftoken',
  'oscsid', // osCommerce
  'zenid', // Zen Cart
  'xtcsid', // xt:Commerce
  'asp.net_sessionid',
  'sessiontoken',
  'aspsessionid*', // the name itself ends in eight random letters
];
