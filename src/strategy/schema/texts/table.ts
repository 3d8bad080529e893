import type { Fields, ObjectSchema, ResourceSchema } from '../dsl.ts';

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
