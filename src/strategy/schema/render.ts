import type { Json, JsonObject } from '../../api/objects.ts';
import type { AnySchema, Fields, Keywords } from './dsl.ts';
import type { Descriptions, Texts } from './texts/table.ts';

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
