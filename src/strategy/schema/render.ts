import type { Json, JsonObject } from '../../api/objects.ts';
import type { AnySchema, Fields, Keywords, ObjectSchema, ResourceSchema } from './dsl.ts';

/** Describes one definition: its fields, and under `$` the definition itself, which readers see for roots and list entries. */
export type Texts = Readonly<Partial<Record<string, string>>>;

type FieldsOf<S> = S extends ResourceSchema<infer Own> ? Own : S extends ObjectSchema<infer F> ? F : never;

type TableOf<S> = Readonly<
  Record<keyof FieldsOf<S>, string> & (S extends ResourceSchema<Fields> ? { $: string } : { $?: string })
>;

/** The tables of descriptions of one file of schemas: by definition, then by field, none left out. */
export type TextsOf<Module> = {
  readonly [Name in keyof Module as Module[Name] extends ObjectSchema<Fields> ? Name : never]: TableOf<Module[Name]>;
};

/** Descriptions by the fields they describe; made by `describe`. */
export type Descriptions = ReadonlyMap<Fields, Texts>;

/** Renders schemas to OpenAPI v3. */
export type Renderer = (schema: AnySchema) => JsonObject;

/**
 * A renderer with these descriptions. Keys are sorted. What several schemas share is rendered once and is one object in all of them:
 * who changes a result has to copy it as JSON first, and YAML writers have to be told to write it out.
 */
export function createRenderer(descriptions: Descriptions): Renderer {
  const nodes = new Map<unknown, JsonObject>();
  const properties = new Map<Fields, JsonObject>();

  const renderFields = (fields: Fields): JsonObject => {
    const texts = descriptions.get(fields);
    return once(properties, fields, () =>
      mapSorted(fields, (field, name) => withDescription(render(field), texts?.[name])),
    );
  };

  const render: Renderer = ({ node }) =>
    once(nodes, node, () =>
      sorted({
        ...copyKeywords(node.keywords),
        ...(node.fields && describedFields(node.fields, renderFields(node.fields), descriptions.get(node.fields))),
        ...(node.items && { items: render(node.items) }),
        ...(node.values && { additionalProperties: render(node.values) }),
      }),
    );
  return render;
}

/** Lists and rules are copied, so that nobody who freezes or marks a result touches the library. */
function copyKeywords(keywords: Keywords): JsonObject {
  return mapSorted(keywords as JsonObject, (value) => (typeof value === 'object' ? structuredClone(value) : value));
}

function describedFields(fields: Fields, properties: JsonObject, texts: Texts | undefined): JsonObject {
  const required = Object.keys(fields)
    .filter((name) => fields[name]?.isRequired === true)
    .sort();
  return {
    ...(texts?.$ !== undefined && { description: texts.$ }),
    properties,
    ...(required.length > 0 && { required }),
  };
}

function withDescription(schema: JsonObject, description: string | undefined): JsonObject {
  return description === undefined ? schema : sorted({ ...schema, description });
}

function once<K>(memory: Map<K, JsonObject>, key: K, build: () => JsonObject): JsonObject {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const built = build();
  memory.set(key, built);
  return built;
}

function sorted(object: JsonObject): JsonObject {
  return mapSorted(object, (value) => value);
}

function mapSorted<T>(
  object: Readonly<Record<string, T>>,
  change: (value: T, name: string) => Json | undefined,
): JsonObject {
  const result: JsonObject = {};
  for (const name of Object.keys(object).sort()) result[name] = change(object[name] as T, name);
  return result;
}

/** Pairs files of schemas with their tables of descriptions. */
export function describe(
  ...pairs: (readonly [schemas: object, texts: Readonly<Record<string, Texts>>])[]
): Descriptions {
  const result = new Map<Fields, Texts>();
  for (const [schemas, texts] of pairs) {
    for (const [name, schema] of Object.entries(schemas as Record<string, Partial<ObjectSchema<Fields>>>)) {
      const table = texts[name];
      if (schema.fields !== undefined && table !== undefined) result.set(schema.fields, table);
    }
  }
  return result;
}
