import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseTarget } from '../../../src/exchange/deployment-config.ts';
import { target } from '../strategy/builders.ts';

describe('parseTarget', () => {
  test('reads what decideTarget wrote', () => {
    const wanted = target({ imagePullSecrets: [{ name: 'x' }] }, { GS_IMAGE: 'gs', KV_IO_EXTRA_ENV_A: 'b' });
    assert.deepEqual(parseTarget(wanted.json), wanted);
  });
  test('ignores unknown keys, takes the ID as it is, keeps the text', () => {
    const json = '{"id":"mine","namespace":"n","future":{"a":1}}';
    const got = parseTarget(json);
    assert.deepEqual([got.id, got.namespace, got.registry, got.json], ['mine', 'n', '', json]);
  });
  const bad: [string, string, RegExp][] = [
    ['nothing', '', /not JSON/],
    ['a truncated text', '{"id":"a', /not JSON/],
    ['a list', '[]', /not a JSON object/],
    ['null', 'null', /not a JSON object/],
    ['a number for a text', '{"registry":5}', /key "registry"/],
    ['a text for a map', '{"additionalProperties":"x"}', /key "additionalProperties"/],
    ['a number in a map', '{"passthroughEnvVars":{"A":1}}', /key "A"/],
  ];
  for (const [name, json, want] of bad) {
    test(`refuses ${name}`, () => {
      assert.throws(() => parseTarget(json), want);
    });
  }
});
