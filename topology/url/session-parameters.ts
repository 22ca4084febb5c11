/**
 * Parameters that carry a visitor's session, in the query (`?PHPSESSID=…`) or in the path (`;jsessionid=…`).
 *
 * Each visit gets another value for the same page, so a crawler that keeps them never ends. Names are lower-case, `*` at the end
 * stands for any ending, and `sid:20` asks for a value of at least 20 characters. `sid` names stories and sections on
 * two hosts of three that use it (30 of 45 hosts on real pages): ids of content are short, a session has 20 characters and more.
 */
export const sessionParameters: readonly string[] = [
  'phpsessid', // PHP
  'phpsessionid',
  'jsessionid', // Java servlets
  'sessionid',
  'session_id',
  'sessid',
  'sid:20', // PHP shops and forums
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
