import assert from 'node:assert/strict';
import { it } from 'node:test';
import { robotsMove } from '../../../topology/robots/moved.ts';

it('a host and its domain are near, another’s /robots.txt is far, and nothing else is requested', () => {
  const from = 'http://www.example.co.uk/robots.txt';
  const moves = {
    'http://www.example.co.uk/any?thing': 'near',
    'http://example.co.uk/x/robots.txt': 'near',
    'http://example.co.uk/x': 'refused',
    'http://other.co.uk/robots.txt': 'far',
    'http://other.co.uk/x/robots.txt': 'refused',
    'http://192.0.2.1/robots.txt': 'far',
    'http://[2001:db8::1]:8080/x/robots.txt': 'refused',
  };
  for (const [to, move] of Object.entries(moves)) assert.equal(robotsMove(from, to), move, to);
  assert.equal(robotsMove('http://192.0.2.1/robots.txt', 'http://192.0.2.2/x/robots.txt'), 'refused');
  assert.equal(robotsMove('http://192.0.2.1/robots.txt', 'http://192.0.2.1/x'), 'near');
});
