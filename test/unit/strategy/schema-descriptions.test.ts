/** What `kubectl explain` says: something about every field, in the language of this project. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { buildCustomResourceDefinitions } from '../../../src/strategy/components/crds.ts';
import { buildKubeVirtCrd } from '../../../src/strategy/components/kubevirt-crd.ts';
import type { KubernetesObject } from '../../../src/api/objects.ts';
import type { TargetDeployment } from '../../../src/strategy/types.ts';

interface Rendered {
  description?: string;
  properties?: Record<string, Rendered>;
  items?: Rendered;
  additionalProperties?: Rendered;
}

const target = { additionalProperties: { VirtTemplateDeploymentEnabled: '' } } as unknown as TargetDeployment;
const crds = [buildKubeVirtCrd(), ...buildCustomResourceDefinitions({ target })];

const schemaOf = (crd: KubernetesObject): Rendered => {
  const { versions } = crd.spec as unknown as { versions: [{ schema: { openAPIV3Schema: Rendered } }] };
  return versions[0].schema.openAPIV3Schema;
};

/** All fields below a schema with their paths. */
function* fieldsOf(schema: Rendered, path: string): Generator<[path: string, field: Rendered]> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${name}`, field];
    yield* fieldsOf(field, `${path}.${name}`);
  }
  if (schema.items) yield* fieldsOf(schema.items, `${path}[]`);
  if (schema.additionalProperties) yield* fieldsOf(schema.additionalProperties, `${path}{}`);
}

const MAX_LENGTH = 200;

/** What is wrong with a description; undefined: nothing. */
function findFault(text: string | undefined): string | undefined {
  if (text === undefined || text.trim() === '') return 'is missing';
  if (text.length > MAX_LENGTH) return `has ${text.length} characters`;
  if (!/[.…]$/.test(text)) return 'does not end as a sentence';
  return /\s{2}|^\s|\n/.test(text) ? 'has stray white space' : undefined;
}

describe('every field is described', () => {
  for (const crd of crds) {
    test(crd.metadata.name ?? '', () => {
      const { kind } = (crd.spec as unknown as { names: { kind: string } }).names;
      const schema = schemaOf(crd);
      const fields = [...fieldsOf(schema, kind)].filter(([path]) => path !== `${kind}.metadata`);
      const faults = [[kind, schema] as const, ...fields].flatMap(([path, field]) => {
        const fault = findFault(field.description);
        return fault === undefined ? [] : [`${path} ${fault}`];
      });
      assert.deepEqual(faults, []);
    });
  }
});

/** The schema at a path of field names below a root; a list stands for its entries. */
function findAt(schema: Rendered, path: string): Rendered | undefined {
  return path.split('.').reduce<Rendered | undefined>((at, name) => (at?.items ?? at)?.properties?.[name], schema);
}

describe('entries of the lists of a machine are described too', () => {
  const machine = crds.find(({ metadata }) => metadata.name === 'virtualmachines.kubevirt.io');
  const rows = ['volumes', 'networks', 'domain.devices.disks', 'domain.devices.interfaces', 'domain.devices.gpus'];
  for (const row of rows) {
    test(row, () => {
      const found = findAt(schemaOf(machine!), `spec.template.spec.${row}`);
      assert.equal(findFault(found?.items?.description), undefined);
    });
  }
});
