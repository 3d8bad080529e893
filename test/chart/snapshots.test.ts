import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { noHelm, renderText, type Values } from './render.ts';

/** Renderings whose every line is held; UPDATE_SNAPSHOTS=1 writes them anew. */
const snapshots: { name: string; values: Values; options?: string[] }[] = [
  { name: 'default', values: {} },
  {
    name: 'split',
    values: {
      mode: 'split',
      'functions.autoscaling.enabled': true,
      'kubevirt.enabled': true,
      'kubevirt.spec': { configuration: { developerConfiguration: { featureGates: ['Sidecar'] } } },
      'redis.enabled': false,
      'externalRedis.host': 'redis.example.com',
      'externalRedis.passwordSecret': 'redis',
      'externalRedis.tls': true,
      'externalRedis.caSecret': 'redis-ca',
    },
    options: ['--api-versions', 'monitoring.coreos.com/v1'],
  },
];

/** Generated passwords differ in each rendering. */
const withoutSecrets = (text: string): string =>
  text.replace(/^ {2}(password|token): "?[A-Za-z0-9+/=]+"?$/gm, '  $1: <generated>');

describe('renderings', { skip: noHelm }, () => {
  for (const { name, values, options } of snapshots) {
    test(`${name} equals its snapshot`, () => {
      const file = new URL(`${name}.snapshot.txt`, import.meta.url);
      const text = withoutSecrets(renderText(values, options));
      if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(file, text);
      assert.equal(text, readFileSync(file, 'utf8'));
    });
  }
});
