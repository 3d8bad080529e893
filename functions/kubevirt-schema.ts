import { Validator, type OutputUnit } from '@cfworker/json-schema';
import type { JsonObject, KubernetesObject } from '../src/api/objects.ts';

/** Keywords that only pass on what was found further down. */
const PASSED_ON = new Set(['properties', 'items', 'additionalProperties', 'anyOf', 'allOf']);
/** What a schema is called where a value stands at the top of an object. */
const TOP_LEVEL = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };

type Schema = Record<string, unknown>;

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A nullable value may be null as well, which JSON Schema says in its type. */
function withNull(schema: Schema): Schema {
  return schema.nullable === true && typeof schema.type === 'string'
    ? { ...schema, type: [schema.type, 'null'] }
    : schema;
}

const INT32_LIMIT = 2 ** 31;
/** Formats that JSON Schema leaves to its user, as bounds. What needs more than 53 bits has lost digits before it gets here. */
const FORMAT_BOUNDS: ReadonlyMap<unknown, Schema> = new Map([
  ['int32', { minimum: -INT32_LIMIT, maximum: INT32_LIMIT - 1 }],
]);

/** What happens to properties that a schema does not name. */
type Unknown = 'allowed' | 'forbidden';

/** The same schema as JSON Schema: `nullable` allows null; with `forbidden`, unnamed properties are refused where the CRD does not keep them. */
function translate(schema: Schema, unknown: Unknown): Schema {
  const { properties, items, additionalProperties } = schema;
  const result: Schema = { ...FORMAT_BOUNDS.get(schema.format), ...withNull(schema) };
  if (isSchema(items)) result.items = translate(items, unknown);
  if (isSchema(additionalProperties)) result.additionalProperties = translate(additionalProperties, unknown);
  if (isSchema(properties)) {
    result.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        isSchema(property) ? translate(property, unknown) : property,
      ]),
    );
    const keepsUnknown = unknown === 'allowed' || schema['x-kubernetes-preserve-unknown-fields'] === true;
    if (!keepsUnknown) result.additionalProperties = false;
  }
  return result;
}

/** What a pull policy may be: upstream's own schema says so, its CRD does not (spec/webhooks.md §4.2). */
const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];

function addPullPolicies(spec: Schema): void {
  const propertiesOf = (schema: unknown) => (isSchema(schema) && isSchema(schema.properties) ? schema.properties : {});
  for (const owner of [spec, propertiesOf(spec).configuration]) {
    const properties = propertiesOf(owner);
    if (isSchema(properties.imagePullPolicy)) properties.imagePullPolicy.enum = PULL_POLICIES;
  }
}

interface CrdVersions {
  versions?: { name: string; schema?: { openAPIV3Schema?: Schema } }[];
}

function readSchema(crd: KubernetesObject): Schema {
  const version = ((crd.spec ?? {}) as JsonObject & CrdVersions).versions?.find(({ name }) => name === 'v1');
  const properties = version?.schema?.openAPIV3Schema?.properties;
  if (!isSchema(properties) || !isSchema(properties.spec) || !isSchema(properties.status))
    throw new Error('the KubeVirt CRD has no schema for v1');
  // Unknown properties are forbidden in the spec; the status is written by several programs and may be null (spec/webhooks.md §4.2).
  const spec = translate(properties.spec, 'forbidden');
  addPullPolicies(spec);
  const status = { ...translate(properties.status, 'allowed'), type: ['object', 'null'] };
  return {
    type: 'object',
    required: ['spec'],
    properties: { ...TOP_LEVEL, spec, status },
    additionalProperties: false,
  };
}

const readable = (pointer: string) => pointer.replace(/^#\/?/, '').replaceAll('/', '.') || 'the object';

/**
 * Builds the schema check of admission from the KubeVirt CRD: problems as sentences with the path of the field, none for a valid object. The API server
 * has checked the same schema before; this guards against callers that come directly.
 */
export function createSchemaCheck(readCrd: () => KubernetesObject): (object: object) => string[] {
  // Built at the first review: most processes never need it.
  let validator: Validator | undefined;
  return (object) => {
    validator ??= new Validator(readSchema(readCrd()), '2020-12', false);
    try {
      return describe(validator.validate(object).errors);
    } catch (error) {
      // The validator descends by calls and passes lists of errors on as arguments: both end with the stack.
      if (error instanceof RangeError) return [TOO_MUCH];
      throw error;
    }
  };
}

const TOO_MUCH = 'the object: nested too deeply, or with more problems than can be listed';

function describe(errors: readonly OutputUnit[]): string[] {
  const causes = errors.filter(({ keyword }) => !PASSED_ON.has(keyword));
  const sentences = causes.map(
    ({ instanceLocation, keyword, error }) =>
      `${readable(instanceLocation)}: ${keyword === 'false' ? 'forbidden property' : error}`,
  );
  return [...new Set(sentences)];
}
