import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import { stripBoardPage } from '../../../src/dashboard/board-page.ts';

const { resolve } = createRequire(import.meta.url);
const page = readFileSync(join(dirname(resolve('@bull-board/ui/package.json')), 'dist', 'index.ejs'), 'utf8');

test('the page of the installed Bull Board loads from elsewhere and styles inline: what this takes out is there', () => {
  assert.match(page, /href="https:/);
  assert.match(page, / style="/);
});

test('after it nothing comes from elsewhere and nothing is inline, and the scripts are still there', () => {
  const stripped = stripBoardPage(page);
  assert.doesNotMatch(stripped, /(?:href|src)="(?:https?:)?\/\//);
  assert.doesNotMatch(stripped, /<style| style="| on[a-z]+="/);
  assert.doesNotMatch(stripped, /<script(?![^>]*(?: src=| type="application\/json"))/);
  assert.match(stripped, /<link rel="stylesheet" href="\/assets\/board\.css"><\/head>/);
  assert.match(stripped, /<div id="root">Loading…<\/div>/);
  assert.deepEqual(stripped.match(/<script defer src/g), page.match(/<script defer src/g));
});
