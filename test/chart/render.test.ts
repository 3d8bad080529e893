import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { find, noHelm, render, renderText } from './render.ts';

/** The generated password differs in each rendering. */
const withoutPassword = (text: string): string => text.replace(/^ {2}password: .*$/m, '  password: <generated>');

describe('default rendering', { skip: noHelm }, () => {
  test('equals the snapshot', () => {
    const file = new URL('default.snapshot.txt', import.meta.url);
    const text = withoutPassword(renderText());
    if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(file, text);
    assert.equal(text, readFileSync(file, 'utf8'));
  });

  test('holds every right that upstream holds', () => {
    const objects = render();
    assert.equal((find(objects, 'ClusterRole', 'kubevirt-operator')['rules'] as unknown[]).length, 139);
    assert.equal((find(objects, 'Role', 'kubevirt-operator')['rules'] as unknown[]).length, 14);
  });

  test('puts every namespaced object into the namespace of the values', () => {
    const namespaces = new Set(render({ 'namespace.name': 'virt-system' }).map((object) => object.metadata.namespace));
    assert.deepEqual(namespaces, new Set([undefined, 'virt-system']));
  });

  test('marks no object as an operand', () => {
    for (const { metadata } of render()) assert.equal(metadata.labels?.['app.kubernetes.io/managed-by'], undefined);
  });
});

describe('values that the schema refuses', { skip: noHelm }, () => {
  const rows: { name: string; values: Record<string, unknown>; want: RegExp }[] = [
    { name: 'an unknown value', values: { replica: 3 }, want: /replica/ },
    { name: 'no replicas', values: { replicas: 0 }, want: /replicas/ },
    { name: 'a digest without algorithm', values: { 'image.digest': 'abc' }, want: /digest/ },
    {
      name: 'a runbook URL without %s',
      values: { 'kubevirt.runbookUrlTemplate': 'https://example.com' },
      want: /runbook/,
    },
    { name: 'a registry that ends in a slash', values: { 'kubevirt.registry': 'quay.io/kubevirt/' }, want: /registry/ },
    {
      name: 'an operator image of another name',
      values: { 'kubevirt.operatorImage': 'quay.io/a/b' },
      want: /operatorImage/,
    },
    {
      name: 'a variable name with a dash',
      values: { 'kubevirt.passthroughEnv': { 'A-B': 'x' } },
      want: /passthroughEnv/,
    },
    { name: 'a namespace in upper case', values: { 'namespace.name': 'Virt' }, want: /namespace/ },
    { name: 'an unknown placement', values: { controlPlane: 'sometimes' }, want: /controlPlane/ },
  ];
  for (const { name, values, want } of rows) {
    test(name, () => {
      assert.throws(() => renderText(values), want);
    });
  }
});
