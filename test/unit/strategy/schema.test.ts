import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  anyObject,
  atomic,
  atomicObject,
  bool,
  embeddedMetadata,
  int,
  int32,
  int64,
  intOrString,
  keyed,
  list,
  map,
  number,
  object,
  oneOf,
  openObject,
  quantity,
  resource,
  setOf,
  string,
  time,
  uint32,
  type AnySchema,
  type Infer,
} from '../../../src/strategy/schema/dsl.ts';
import { createRenderer } from '../../../src/strategy/schema/render.ts';
import { describe as pair } from '../../../src/strategy/schema/texts/table.ts';

const render = createRenderer(pair());

describe('keywords', () => {
  const rows: { name: string; schema: AnySchema; want: object }[] = [
    { name: 'text', schema: string, want: { type: 'string' } },
    { name: 'truth', schema: bool, want: { type: 'boolean' } },
    { name: 'an integer', schema: int, want: { type: 'integer' } },
    { name: '32 bits', schema: int32, want: { type: 'integer', format: 'int32' } },
    { name: '64 bits', schema: int64, want: { type: 'integer', format: 'int64' } },
    {
      name: '32 bits without sign',
      schema: uint32,
      want: { type: 'integer', format: 'int64', minimum: 0, maximum: 4_294_967_295 },
    },
    { name: 'a number', schema: number, want: { type: 'number' } },
    { name: 'a moment', schema: time, want: { type: 'string', format: 'date-time' } },
    { name: 'any object', schema: anyObject, want: { type: 'object' } },
    {
      name: 'an object kept as it comes',
      schema: openObject,
      want: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    },
    {
      name: 'embedded metadata',
      schema: embeddedMetadata,
      want: { type: 'object', nullable: true, 'x-kubernetes-preserve-unknown-fields': true },
    },
    {
      name: 'integer or text',
      schema: intOrString,
      want: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
    },
    { name: 'an enumeration', schema: oneOf('a', 'b'), want: { type: 'string', enum: ['a', 'b'] } },
    { name: 'a list', schema: list(string), want: { type: 'array', items: { type: 'string' } } },
    {
      name: 'an atomic list',
      schema: atomic(string),
      want: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
    },
    {
      name: 'a set',
      schema: setOf(string),
      want: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    },
    {
      name: 'a list by key',
      schema: keyed(['name'], object({ name: string.required })),
      want: {
        type: 'array',
        items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
    },
    { name: 'a map', schema: map(int), want: { type: 'object', additionalProperties: { type: 'integer' } } },
    {
      name: 'an atomic object',
      schema: atomicObject({ a: string }),
      want: { type: 'object', properties: { a: { type: 'string' } }, 'x-kubernetes-map-type': 'atomic' },
    },
    { name: 'nullable', schema: string.nullable, want: { type: 'string', nullable: true } },
    { name: 'a default', schema: bool.default(false), want: { type: 'boolean', default: false } },
    { name: 'more keywords', schema: string.with({ minLength: 1 }), want: { type: 'string', minLength: 1 } },
    {
      name: 'rules',
      schema: object({ a: string }).rules(['self == oldSelf', 'it stays']),
      want: {
        type: 'object',
        properties: { a: { type: 'string' } },
        'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'it stays' }],
      },
    },
    {
      name: 'required names in order, whatever was changed after',
      schema: object({ b: string.required.nullable, a: object({}).required, c: string }),
      want: {
        type: 'object',
        properties: {
          a: { type: 'object', properties: {} },
          b: { type: 'string', nullable: true },
          c: { type: 'string' },
        },
        required: ['a', 'b'],
      },
    },
    {
      name: 'a root',
      schema: resource({ spec: anyObject.required }),
      want: {
        type: 'object',
        properties: {
          apiVersion: { type: 'string', description: 'API group and version that this object is written in.' },
          kind: { type: 'string', description: 'Kind of this object.' },
          // The API server refuses anything but the type here.
          metadata: { type: 'object' },
          spec: { type: 'object' },
        },
        required: ['spec'],
      },
    },
  ];
  for (const { name, schema, want } of rows) {
    test(name, () => {
      assert.deepEqual(render(schema), want);
    });
  }
});

describe('quantity', () => {
  const pattern = new RegExp(quantity.node.keywords.pattern ?? assert.fail('no pattern'));
  const rows: [text: string, want: boolean][] = [
    ['1', true],
    ['0.5', true],
    ['-2', true],
    ['100m', true],
    ['64Mi', true],
    ['1e3', true],
    ['.5Gi', true],
    ['1 Gi', false],
    ['Gi', false],
    ['1gb', false],
    ['', false],
  ];
  for (const [text, want] of rows) {
    test(`"${text}" is ${want ? 'one' : 'none'}`, () => {
      assert.equal(pattern.test(text), want);
    });
  }
});

describe('rendering', () => {
  const Leaf = object({ z: string, a: int });
  const Root = object({ first: Leaf, second: Leaf.required, third: Leaf.nullable, many: atomic(Leaf) });

  test('sorts all keys', () => {
    const assertSorted = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if (!Array.isArray(value)) assert.deepEqual(Object.keys(value), Object.keys(value).sort());
      Object.values(value).forEach(assertSorted);
    };
    assertSorted(render(Root));
  });

  test('shares what is equal', () => {
    const { properties } = render(Root) as { properties: Record<string, { properties: object; items: object }> };
    assert.equal(properties['first'], properties['second']);
    assert.equal(properties['many']?.items, properties['first']);
    assert.equal(properties['third']?.properties, properties['first']?.properties);
  });

  test('shares nothing with the library: a result may be frozen or marked', () => {
    const schema = oneOf('a');
    (render(schema)['enum'] as string[]).push('b');
    assert.deepEqual(createRenderer(pair())(schema)['enum'], ['a']);
  });

  test('puts descriptions to fields, and that of a definition to roots and list entries', () => {
    const described = createRenderer(
      pair([
        { Root, Leaf },
        { Root: { $: 'root', first: 'one', many: 'some' }, Leaf: { $: 'leaf', a: 'number' } },
      ]),
    );
    const leaf = {
      type: 'object',
      properties: { a: { description: 'number', type: 'integer' }, z: { type: 'string' } },
    };
    assert.deepEqual(described(Root), {
      type: 'object',
      description: 'root',
      properties: {
        first: { ...leaf, description: 'one' },
        second: { ...leaf, description: 'leaf' },
        third: { ...leaf, description: 'leaf', nullable: true },
        many: {
          type: 'array',
          description: 'some',
          items: { ...leaf, description: 'leaf' },
          'x-kubernetes-list-type': 'atomic',
        },
      },
      required: ['second'],
    });
  });
});

test('types follow the schema', () => {
  const Item = object({ name: string.required, size: quantity, mode: oneOf('on', 'off'), since: time.nullable });
  const Whole = object({ items: keyed(['name'], Item).required, labels: map(string), rest: anyObject });
  const whole: Infer<typeof Whole> = { items: [{ name: 'a', size: 1, mode: 'on', since: null }], labels: { a: 'b' } };
  // @ts-expect-error a required field is missing
  const withoutName: Infer<typeof Item> = { size: '1Gi' };
  // @ts-expect-error no value of the enumeration
  const unknownMode: Infer<typeof Item> = { name: 'a', mode: 'maybe' };
  // @ts-expect-error null where it is not allowed
  const nullSize: Infer<typeof Item> = { name: 'a', size: null };
  // @ts-expect-error a list is keyed by fields of its entries
  keyed(['title'], Item);
  assert.deepEqual(Object.keys(whole), Object.keys(Whole.fields).slice(0, 2));
  assert.equal([withoutName, unknownMode, nullSize].length, 3);
});
