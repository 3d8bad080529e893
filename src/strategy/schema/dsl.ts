/**
 * The schema language: structural OpenAPI v3 schemas as values, from which come the CRDs (`render.ts`) and the TypeScript types (`Infer`).
 * It knows exactly the keywords that the CRDs use (spec/crds.md §5). A schema is immutable; modifiers return changed copies.
 */
import type { Json, JsonObject } from '../../api/objects.ts';

/** A CEL rule as written in schemas: the expression, and what the API server says when it is broken. */
export type Rule = readonly [rule: string, message: string];

/** Keywords of a schema; `properties`, `required`, `items` and `additionalProperties` come from its parts. */
export interface Keywords {
  type?: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  format?: 'int32' | 'int64' | 'date-time';
  anyOf?: readonly { type: 'integer' | 'string' }[];
  enum?: readonly string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  nullable?: true;
  default?: Json;
  description?: string;
  'x-kubernetes-int-or-string'?: true;
  'x-kubernetes-preserve-unknown-fields'?: true;
  'x-kubernetes-list-type'?: 'atomic' | 'map' | 'set';
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: 'atomic';
  'x-kubernetes-validations'?: readonly { rule: string; message: string }[];
}

/** Any schema, whatever it describes. */
export type AnySchema = Schema<unknown, boolean>;

/** The fields of an object. */
export type Fields = Readonly<Record<string, AnySchema>>;

/** What a schema consists of; equal nodes of one identity are rendered once. */
export interface Node {
  readonly keywords: Keywords;
  readonly fields?: Fields;
  readonly items?: AnySchema;
  readonly values?: AnySchema;
}

/** A schema of values of type T. `Required` says whether an object that has it as a field must carry that field. */
export class Schema<T, Required extends boolean = false> {
  /** The type of the values; the compiler alone knows it. */
  declare readonly infer: T;
  readonly node: Node;
  readonly isRequired: Required;

  constructor(node: Node, isRequired: Required) {
    this.node = node;
    this.isRequired = isRequired;
  }

  /** The same, as a field that must be there. */
  get required(): Schema<T, true> {
    return new Schema<T, true>(this.node, true);
  }

  /** The same, `null` allowed. */
  get nullable(): Schema<T | null, Required> {
    return this.with({ nullable: true });
  }

  /** The same, with a value that the API server fills in. */
  default(value: T & Json): Schema<T, Required> {
    return this.with({ default: value });
  }

  /** The same, with more keywords. */
  with(keywords: Keywords): Schema<T, Required> {
    return new Schema<T, Required>({ ...this.node, keywords: { ...this.node.keywords, ...keywords } }, this.isRequired);
  }

  /** The same, guarded by CEL rules: pairs of expression and message. */
  rules(...pairs: Rule[]): Schema<T, Required> {
    return this.with(validations(pairs));
  }
}

const validations = (rules: readonly Rule[]): Keywords => ({
  'x-kubernetes-validations': rules.map(([rule, message]) => ({ rule, message })),
});

type RequiredNames<F extends Fields> = {
  [Name in keyof F]: F[Name]['isRequired'] extends true ? Name : never;
}[keyof F];

type Flat<T> = { [Name in keyof T]: T[Name] };

/** The type of an object with these fields. */
export type InferFields<F extends Fields> = Flat<
  { [Name in RequiredNames<F>]: F[Name]['infer'] } & { [Name in Exclude<keyof F, RequiredNames<F>>]?: F[Name]['infer'] }
>;

/** The type of the values of a schema. */
export type Infer<S extends AnySchema> = S['infer'];

/** A schema of an object with named fields: a definition, which has its own table of descriptions. */
export class ObjectSchema<F extends Fields> extends Schema<InferFields<F>> {
  readonly fields: F;

  constructor(fields: F, keywords: Keywords = {}) {
    super({ keywords: { type: 'object', ...keywords }, fields }, false);
    this.fields = fields;
  }

  override with(keywords: Keywords): ObjectSchema<F> {
    return new ObjectSchema(this.fields, { ...this.node.keywords, ...keywords });
  }

  override rules(...pairs: Rule[]): ObjectSchema<F> {
    return this.with(validations(pairs));
  }
}

const leaf = <T>(keywords: Keywords): Schema<T> => new Schema<T>({ keywords }, false);

/** Text; times, durations and names of Kubernetes' own kinds included. */
export const string = leaf<string>({ type: 'string' });
/** `true` or `false`. */
export const bool = leaf<boolean>({ type: 'boolean' });
/** An integer of no declared width. */
export const int = leaf<number>({ type: 'integer' });
/** A 32-bit integer. */
export const int32 = leaf<number>({ type: 'integer', format: 'int32' });
/** A 64-bit integer. */
export const int64 = leaf<number>({ type: 'integer', format: 'int64' });
/** A number of 32 bits without sign. */
export const uint32 = int64.with({ minimum: 0, maximum: 4_294_967_295 });
/** A floating-point number. */
export const number = leaf<number>({ type: 'number' });
/** A moment in RFC 3339. */
export const time = leaf<string>({ type: 'string', format: 'date-time' });
/** A port by number or name, a count or a percentage. */
export const intOrString = leaf<number | string>({
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
});
/** A resource quantity, for example `512Mi`, `2` or `500m`. */
export const quantity = intOrString.with({
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
});
/** An object whose presence is all that counts, or whose fields this library leaves to the API server. */
export const anyObject = leaf<JsonObject>({ type: 'object' });
/** An object that is kept as it comes, whatever its fields. */
export const openObject = anyObject.with({ 'x-kubernetes-preserve-unknown-fields': true });
/** `metadata` of an object within an object. */
export const embeddedMetadata = openObject.nullable;

/** One of the given texts, anything else is refused. */
export function oneOf<const V extends string>(...values: V[]): Schema<V> {
  return leaf<V>({ type: 'string', enum: values });
}

const array = <T>(items: Schema<T, boolean>, keywords: Keywords): Schema<T[]> =>
  new Schema<T[]>({ keywords: { type: 'array', ...keywords }, items }, false);

/** A list that says nothing about how server-side apply merges it. */
export function list<T>(items: Schema<T, boolean>): Schema<T[]> {
  return array(items, {});
}

/** A list that server-side apply replaces as a whole. */
export function atomic<T>(items: Schema<T, boolean>): Schema<T[]> {
  return array(items, { 'x-kubernetes-list-type': 'atomic' });
}

/** A list without duplicates. */
export function setOf<T>(items: Schema<T, boolean>): Schema<T[]> {
  return array(items, { 'x-kubernetes-list-type': 'set' });
}

/** A list whose entries are told apart by the given fields. */
export function keyed<T extends object>(keys: readonly (keyof T & string)[], items: Schema<T, boolean>): Schema<T[]> {
  return array(items, { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys });
}

/** An object with any keys and values of one schema. */
export function map<T>(values: Schema<T, boolean>): Schema<Record<string, T>> {
  return new Schema<Record<string, T>>({ keywords: { type: 'object' }, values }, false);
}

/** An object with named fields. */
export function object<F extends Fields>(fields: F): ObjectSchema<F> {
  return new ObjectSchema(fields);
}

/** An object with named fields that server-side apply replaces as a whole. */
export function atomicObject<F extends Fields>(fields: F): ObjectSchema<F> {
  return new ObjectSchema(fields, { 'x-kubernetes-map-type': 'atomic' });
}

const typeFields = {
  apiVersion: string.with({ description: 'API group and version that this object is written in.' }),
  kind: string.with({ description: 'Kind of this object.' }),
  // The API server knows this one, and refuses everything but its type here, a description included.
  metadata: anyObject,
};

/** The root schema of a kind: what every object has, and the given fields. */
export function resource<F extends Fields>(fields: F): ResourceSchema<F> {
  return new ResourceSchema(fields);
}

/** A root schema; its standard fields are described once for all kinds. */
export class ResourceSchema<F extends Fields> extends ObjectSchema<typeof typeFields & F> {
  declare readonly own: F;

  constructor(fields: F) {
    super({ ...typeFields, ...fields });
  }
}
