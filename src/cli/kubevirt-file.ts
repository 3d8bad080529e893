import { parseAllDocuments } from 'yaml';

import { createSchemaCheck } from '../../functions/kubevirt-schema.ts';
import { asKubeVirt, type KubeVirt } from '../api/kubevirt.ts';
import { buildKubeVirtCrd } from '../strategy/components/kubevirt-crd.ts';
import { UsageError } from './frame/exit.ts';

/** How the schema tells a field that it does not know. */
const UNKNOWN = ': forbidden property';

/** How a file is read, and who is told what is odd about it. */
export interface FileIo {
  /** Reads a file, or standard input for `-`. */
  read: (file: string) => Promise<string>;
  warn: (sentence: string) => void;
  /** Fields that the definition does not know are refused instead of warned of: whoever applies the object would be refused later, in other words. */
  isStrict?: boolean;
}

/** Reads the KubeVirt object in a file and checks it against its schema. Rejects with a UsageError that names the file and what is wrong with it. */
export async function readKubeVirtFile(path: string, io: FileIo): Promise<KubeVirt> {
  const file = path === '-' ? 'standard input' : path;
  const object = parseText(await readText(path, file, io), file);
  const { kind, metadata } = object;
  if (kind !== 'KubeVirt') {
    throw new UsageError(
      `${file} holds ${typeof kind === 'string' ? `a ${kind}` : 'an object without a kind'}, not a KubeVirt`,
    );
  }
  const kubeVirt = asKubeVirt({ ...object, metadata });
  if ((kubeVirt.metadata.namespace ?? '') === '') {
    throw new UsageError(
      `the KubeVirt object in ${file} names no namespace: set metadata.namespace, for example kubevirt`,
    );
  }
  checkSchema(kubeVirt, file, io);
  return kubeVirt;
}

/** As the API server would: unknown fields are dropped with a warning, everything else that the CRD does not allow is refused. */
function checkSchema({ spec }: KubeVirt, file: string, { warn, isStrict = false }: FileIo): void {
  const problems = createSchemaCheck(buildKubeVirtCrd)({ spec });
  const unknown = problems
    .filter((problem) => problem.endsWith(UNKNOWN))
    .map((problem) => problem.slice(0, -UNKNOWN.length));
  const refused = problems.filter((problem) => !problem.endsWith(UNKNOWN));
  if (isStrict) refused.push(...unknown.map((path) => `${path} is no field of it`));
  else for (const path of unknown) warn(`${file}: ${path} is no field of a KubeVirt object; it is ignored`);
  if (refused.length > 0) throw new UsageError(`the KubeVirt object in ${file} is not valid: ${refused.join('; ')}`);
}

async function readText(path: string, file: string, io: FileIo): Promise<string> {
  try {
    return await io.read(path);
  } catch (cause) {
    throw new UsageError(`cannot read the KubeVirt object from ${file}`, { cause });
  }
}

/** The object that a file is about: its only one, or the only KubeVirt among several documents. */
function parseText(text: string, file: string): Record<string, unknown> {
  const objects = parseDocuments(text, file).filter((value) => typeof value === 'object' && value !== null);
  const [first, ...others] = objects as Record<string, unknown>[];
  if (first === undefined) throw new UsageError(`${file} holds no object`);
  if (others.length === 0) return first;
  const [kubeVirt, ...more] = [first, ...others].filter(({ kind }) => kind === 'KubeVirt');
  if (kubeVirt !== undefined && more.length === 0) return kubeVirt;
  throw new UsageError(
    `${file} holds ${kubeVirt === undefined ? 'no KubeVirt object' : 'several KubeVirt objects'}: it takes one`,
  );
}

function parseDocuments(text: string, file: string): unknown[] {
  // An empty text has no documents, and then this is no list of them.
  const documents = [...parseAllDocuments(text)];
  return documents.map((document) => {
    // Below its first line the parser draws a picture of the place.
    const [reason] = (document.errors[0]?.message ?? '').split(':\n');
    if (reason !== undefined && reason !== '') throw new UsageError(`${file} is neither YAML nor JSON: ${reason}`);
    // An empty field is an unset one.
    return document.toJS({ reviver: (_key, field: unknown) => field ?? undefined }) as unknown;
  });
}
