import { isJsonObject, type JsonObject } from '../api/objects.ts';
import { sortedEntries } from '../api/go-json.ts';
import { IMAGES, type ImageField } from '../strategy/images.table.ts';
import type { ComponentImages, TargetDeployment } from '../strategy/types.ts';

/** Reads the JSON text of a deployment config, as stored in a status or handed to a dump Job. Unknown keys are ignored; the ID is taken as it stands. */
export function parseTarget(json: string): TargetDeployment {
  const stored = parseObject(json);
  const text = (key: string): string => textField(stored, key);
  return {
    id: text('id'),
    namespace: text('namespace'),
    registry: text('registry'),
    imagePrefix: text('imagePrefix'),
    kubeVirtVersion: text('kubeVirtVersion'),
    images: imagesFrom(text),
    additionalProperties: textMap(stored, 'additionalProperties'),
    passthroughEnv: textMap(stored, 'passthroughEnvVars'),
    json,
  };
}

function imagesFrom(read: (field: ImageField) => string): ComponentImages {
  return Object.fromEntries(IMAGES.map(({ field }) => [field, read(field)])) as unknown as ComponentImages;
}

function parseObject(json: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new Error('the deployment config is not JSON', { cause });
  }
  if (!isJsonObject(value)) throw new Error('the deployment config is not a JSON object');
  return value;
}

function textField(stored: JsonObject, key: string): string {
  const value = stored[key] ?? '';
  if (typeof value !== 'string') throw new Error(`the deployment config has no text at key "${key}"`);
  return value;
}

function textMap(stored: JsonObject, key: string): Record<string, string> {
  const value = stored[key] ?? {};
  if (!isJsonObject(value)) throw new Error(`the deployment config has no map at key "${key}"`);
  const entries = Object.keys(value).map((name): [string, string] => [name, textField(value, name)]);
  return Object.fromEntries(sortedEntries(Object.fromEntries(entries)));
}
