import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isTlsFailure, tlsDetail } from '../../../topology/fetch/tls-failure.ts';

it('TLS is named as the reason, whether a page or the robots.txt before it failed; other reasons are not', () => {
  const why = tlsDetail('unable to verify the first certificate');
  assert.equal(isTlsFailure({ kind: 'tlsFailed', detail: '' }), true);
  assert.equal(
    isTlsFailure({ kind: 'robotsUnreachable', detail: `robots.txt: connecting to ::1 port 443: ${why}` }),
    true,
  );
  assert.equal(isTlsFailure({ kind: 'robotsUnreachable', detail: 'robots.txt: status 503' }), false);
  assert.equal(isTlsFailure({ kind: 'connectionFailed', detail: `connecting to ::1 port 443: ${why}` }), false);
});
