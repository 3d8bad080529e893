import { gunzipSync, gzipSync } from 'node:zlib';

import { parse } from 'yaml';

import { isJsonObject, type KubernetesObject } from '../api/objects.ts';
import { isStrategyKind } from '../strategy/install-strategy.ts';

/** What an unpacked strategy may hold at most, in bytes; upstream's has 4 MB. Guards against a payload made to fill the memory. */
const MAX_TEXT_BYTES = 64 * 1024 * 1024;

const SEPARATOR = '---';

/** What JSON lets stand in strings and a reader of this stream does not: the separator, and characters that YAML folds or refuses. */
const UNREADABLE = /---|[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/**
 * Writes objects as a stream of documents, each after a line `---` (spec/strategy.md §1.1). A document is JSON, which is YAML too and read a hundred
 * times faster. Readers split at every `---`, so dashes inside of strings are escaped.
 */
export function encodeManifests(objects: readonly KubernetesObject[]): string {
  return objects
    .map((object) => `${SEPARATOR}\n${JSON.stringify(object).replaceAll(UNREADABLE, escapeAll)}\n`)
    .join('');
}

function escapeAll(text: string): string {
  return Array.from(text, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}

/** Reads a stream of documents by upstream's rules (spec/strategy.md §1.2). Throws an Error that names the document and what is wrong with it. */
export function decodeManifests(text: string): KubernetesObject[] {
  return text
    .split(SEPARATOR)
    .map((document) => document.trim())
    .filter((document) => document !== '')
    .map((document, index) => {
      try {
        return asStrategyObject(parseDocument(document));
      } catch (cause) {
        throw new Error(`document ${index + 1}`, { cause });
      }
    });
}

/** Packs a text as it is stored: gzip, then base64 without line breaks. */
export function packText(text: string): string {
  return gzipSync(text).toString('base64');
}

/** Unpacks a stored text. Throws an Error that says which of the two layers is damaged, or that it unpacks to too much. */
export function unpackText(packed: string): string {
  const base64 = packed.replaceAll(/[\r\n]/g, '');
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw new Error('the text is not base64');
  try {
    return gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: MAX_TEXT_BYTES }).toString();
  } catch (cause) {
    const isLarge = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new Error(
      isLarge ? `the content unpacks to more than ${MAX_TEXT_BYTES} bytes` : 'the content is not gzip, or cut off',
      { cause },
    );
  }
}

function parseDocument(text: string): unknown {
  return text.startsWith('{') ? JSON.parse(text) : parse(text, YAML_FORMAT);
}

/**
 * YAML 1.2: upstream's writer quotes whatever its 1.1 reader could take for something else, so only 1.2 reads every plain word of it as it was meant
 * (`e1000` is a network card). Checks for double keys would double the time.
 */
const YAML_FORMAT = { uniqueKeys: false, prettyErrors: false } as const;

function asStrategyObject(value: unknown): KubernetesObject {
  if (!isJsonObject(value)) throw new Error('is not an object');
  const { kind, apiVersion, metadata } = value;
  if (typeof kind !== 'string' || !isStrategyKind(kind))
    throw new Error(`has the unknown kind ${JSON.stringify(kind)}`);
  if (!isJsonObject(metadata) || typeof metadata['name'] !== 'string') throw new Error(`is a ${kind} without a name`);
  if (kind === 'CustomResourceDefinition' && apiVersion !== 'apiextensions.k8s.io/v1') {
    throw new Error(
      `is the ${kind} ${metadata['name']} in ${JSON.stringify(apiVersion)}, which no supported Kubernetes serves any more`,
    );
  }
  return value as unknown as KubernetesObject;
}
