import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { CHART } from './render.ts';

/** One value of values.yaml. */
interface Value {
  path: string;
  comment: string;
  default: unknown;
}

/** Maps that a user fills in; their content is not described. */
const FREE = ['affinity', 'annotations', 'labels', 'limits', 'nodeSelector', 'passthroughEnv', 'resources', 'spec'];

function readValues(): Value[] {
  const { contents } = parseDocument(readFileSync(`${CHART}/values.yaml`, 'utf8'));
  assert.ok(isMap(contents));
  return valuesOf(contents, '');
}

function valuesOf(map: YAMLMap, prefix: string): Value[] {
  return map.items.flatMap((item, index) => {
    const { key, value } = item;
    assert.ok(isScalar(key));
    const name = String(key.value);
    const path = `${prefix}${name}`;
    // The comment above the first key belongs to the map.
    const comment = commentOf(key.commentBefore ?? (index === 0 ? map.commentBefore : undefined));
    if (isMap(value) && value.items.length > 0 && !FREE.includes(name)) return valuesOf(value, `${path}.`);
    return [{ path, comment, default: (value as { toJSON(): unknown }).toJSON() }];
  });
}

/** The paragraph next to the key. */
function commentOf(text: string | null | undefined): string {
  const lines = (text ?? '').split('\n\n').at(-1)?.split('\n') ?? [];
  return lines
    .map((line) => line.trim())
    .join(' ')
    .trim();
}

interface Schema {
  properties?: Record<string, Schema>;
  required?: string[];
}

/** Values that null would take away although templates count on them. */
function listRemovable({ properties = {}, required = [] }: Schema, defaults: unknown, prefix = ''): string[] {
  return Object.entries(defaults as object).flatMap(([name, value]: [string, unknown]) => {
    const group = properties[name];
    const isFree = typeof value === 'object' && group?.properties === undefined;
    if (group === undefined || isFree) return [];
    const removable = required.includes(name) ? [] : [`${prefix}${name}`];
    return typeof value === 'object' ? [...removable, ...listRemovable(group, value, `${prefix}${name}.`)] : removable;
  });
}

function pathsOf({ properties = {} }: Schema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    return schema.properties === undefined || FREE.includes(name) ? [path] : pathsOf(schema, `${path}.`);
  });
}

function tableOf(values: Value[]): string {
  const cell = (text: string): string => text.replaceAll('|', '\\|');
  const rows = values.map(({ path, comment, default: value }) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const shown = text === '' ? '' : text.length > 40 ? 'see values.yaml' : `\`${text}\``;
    return `| \`${path}\` | ${cell(shown)} | ${cell(comment)} |`;
  });
  return ['| value | default | meaning |', '| --- | --- | --- |', ...rows].join('\n');
}

describe('values', () => {
  const values = readValues();

  test('every value has a comment', () => {
    assert.ok(values.length > 80);
    assert.deepEqual(
      values.filter(({ comment }) => comment === '').map(({ path }) => path),
      [],
    );
  });

  test("every value stands in the schema, and what the schema has more is a role's own of common values", () => {
    const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')) as Schema;
    const known = pathsOf(schema);
    const paths = values.map(({ path }) => path);
    assert.deepEqual(
      paths.filter((path) => !known.includes(path)),
      [],
    );
    const own =
      /^(all|gateway|worker|functions|dashboard|redis)\.(nodeSelector|affinity|tolerations|topologySpreadConstraints|podLabels|podAnnotations|extraEnv)$/;
    assert.deepEqual(
      known.filter((path) => !paths.includes(path) && !own.test(path)),
      ['global'],
    );
  });

  test('what is no list and no map of the user cannot be taken away with null', () => {
    const schema = JSON.parse(readFileSync(`${CHART}/values.schema.json`, 'utf8')) as Schema;
    const defaults = parseDocument(readFileSync(`${CHART}/values.yaml`, 'utf8')).toJSON() as unknown;
    assert.deepEqual(listRemovable(schema, defaults), []);
  });

  test('the README lists them', () => {
    const file = `${CHART}/README.md`;
    const text = readFileSync(file, 'utf8');
    const title = '## Values\n';
    assert.ok(text.includes(title));
    const want = `${text.slice(0, text.indexOf(title) + title.length)}\n<!-- prettier-ignore -->\n${tableOf(values)}\n`;
    if (process.env['UPDATE_SNAPSHOTS'] === '1') writeFileSync(file, want);
    assert.equal(readFileSync(file, 'utf8'), want);
  });
});
