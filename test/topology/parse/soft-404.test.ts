import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSoft404 } from '../../../topology/parse/soft-404.ts';

test('a title that says the page is not there makes a soft 404; one that speaks about such pages does not', () => {
  const soft = [
    '404',
    'Error 404',
    '404 - Page not found | Shop',
    'Page Not Found',
    'Not Found',
    'Seite nicht gefunden',
    'Página no encontrada',
    'Sorry, this page does not exist',
  ];
  const ordinary = [
    '',
    'News',
    'Highway 404 reopened',
    'How to fix a “page not found” error on your own web server in ten steps',
    'Not found in translation',
    'Lost and found',
  ];
  for (const title of soft) assert.equal(isSoft404(title), true, title);
  for (const title of ordinary) assert.equal(isSoft404(title), false, title);
});
