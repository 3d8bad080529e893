import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RULES_AFTER_PLACEMENT, RULES_BEFORE_PLACEMENT } from '../../../functions/validate-update/rules.ts';
import { findWarnings } from '../../../functions/validate-update/warnings.ts';
import { asKubeVirt } from '../../../src/api/kubevirt.ts';
import { findCertificateObjections } from '../../../src/plan/certificate-objections.ts';

const update = (spec: object, old: object = {}) => ({
  old: asKubeVirt({ spec: old }),
  new: asKubeVirt({ spec }),
});
const find = (spec: object, old?: object) => {
  const change = update(spec, old);
  return [...RULES_BEFORE_PLACEMENT, ...RULES_AFTER_PLACEMENT]
    .flatMap((rule) => rule(change))
    .map(({ reason, field }) => `${reason} ${field ?? ''}`);
};
const configuration = (value: object) => ({ configuration: value });
const gates = (...featureGates: string[]) => ({ developerConfiguration: { featureGates } });
const patch = (text: string) => ({
  customizeComponents: { patches: [{ resourceName: '*', resourceType: '*', type: 'json', patch: text }] },
});
const selfSigned = (value: object) => ({ certificateRotateStrategy: { selfSigned: value } });
const C = 'spec.configuration';

const rows: { name: string; spec: object; old?: object; want: string[] }[] = [
  { name: 'an empty spec passes', spec: {}, want: [] },
  { name: 'a patch that is JSON passes, whatever it holds', spec: patch('42'), want: [] },
  {
    name: 'an empty patch is refused',
    spec: patch(''),
    want: ['FieldValueNotSupported spec.customizeComponents.patches[0].patch'],
  },
  {
    name: 'a half-written patch is refused',
    spec: patch('[{"op":'),
    want: ['FieldValueNotSupported spec.customizeComponents.patches[0].patch'],
  },
  { name: 'overhead ratio 1.0 passes', spec: configuration({ additionalGuestMemoryOverheadRatio: '1.0' }), want: [] },
  {
    name: 'overhead ratio with an underscore passes',
    spec: configuration({ additionalGuestMemoryOverheadRatio: '1_0.5' }),
    want: [],
  },
  {
    name: 'overhead ratio 0.9 is refused',
    spec: configuration({ additionalGuestMemoryOverheadRatio: '0.9' }),
    want: [`FieldValueNotSupported ${C}.additionalGuestMemoryOverheadRatio`],
  },
  {
    name: 'overhead ratio NaN is refused',
    spec: configuration({ additionalGuestMemoryOverheadRatio: 'NaN' }),
    want: [`FieldValueNotSupported ${C}.additionalGuestMemoryOverheadRatio`],
  },
  {
    name: 'overhead ratio that is a word is refused',
    spec: configuration({ additionalGuestMemoryOverheadRatio: 'much' }),
    want: [`FieldValueNotSupported ${C}.additionalGuestMemoryOverheadRatio`],
  },
  {
    name: 'virt-template passes while its gate is on by default',
    spec: configuration({ virtTemplateDeployment: { enabled: true } }),
    want: [],
  },
  {
    name: 'virt-template is refused when its gate is turned off',
    spec: configuration({
      virtTemplateDeployment: { enabled: true },
      developerConfiguration: { disabledFeatureGates: ['Template'] },
    }),
    want: [`FieldValueInvalid ${C}.virtTemplateDeployment.enabled`],
  },
  {
    name: 'manual role aggregation is refused when its gate is turned off',
    spec: configuration({
      roleAggregationStrategy: 'Manual',
      developerConfiguration: { disabledFeatureGates: ['OptOutRoleAggregation'] },
    }),
    want: [`FieldValueInvalid ${C}.roleAggregationStrategy`],
  },
  {
    name: 'a new downtime limit needs its gate',
    spec: configuration({ migrations: { maxDowntimeMs: 300 } }),
    want: [`FieldValueInvalid ${C}.migrations.maxDowntimeMs`],
  },
  {
    name: 'an unchanged downtime limit does not',
    spec: configuration({ migrations: { maxDowntimeMs: 300 } }),
    old: configuration({ migrations: { maxDowntimeMs: 300 } }),
    want: [],
  },
  {
    name: 'removing the downtime limit is free',
    spec: {},
    old: configuration({ migrations: { maxDowntimeMs: 300 } }),
    want: [],
  },
  {
    name: 'a downtime limit with its gate passes',
    spec: configuration({ migrations: { maxDowntimeMs: 300 }, ...gates('MigrationStallDetection') }),
    want: [],
  },
  {
    name: 'ciphers with TLS 1.3 are refused',
    spec: configuration({ tlsConfiguration: { minTLSVersion: 'VersionTLS13', ciphers: ['TLS_AES_128_GCM_SHA256'] } }),
    want: [`FieldValueNotSupported ${C}.tlsConfiguration.ciphers`],
  },
  {
    name: 'ciphers without a version are refused',
    spec: configuration({ tlsConfiguration: { ciphers: ['TLS_RSA_WITH_AES_128_CBC_SHA'] } }),
    want: [`FieldValueNotSupported ${C}.tlsConfiguration.ciphers`],
  },
  {
    name: 'Go cipher names pass with TLS 1.2',
    spec: configuration({
      tlsConfiguration: {
        minTLSVersion: 'VersionTLS12',
        ciphers: ['TLS_RSA_WITH_RC4_128_SHA', 'TLS_AES_128_GCM_SHA256'],
      },
    }),
    want: [],
  },
  {
    name: 'each unknown cipher is one violation',
    spec: configuration({
      tlsConfiguration: {
        minTLSVersion: 'VersionTLS12',
        ciphers: ['AES128-SHA', 'TLS_AES_128_GCM_SHA256', 'toString'],
      },
    }),
    want: [
      `FieldValueNotSupported ${C}.tlsConfiguration.ciphers#0`,
      `FieldValueNotSupported ${C}.tlsConfiguration.ciphers#2`,
    ],
  },
  {
    name: 'zero infra replicas are refused',
    spec: { infra: { replicas: 0 } },
    want: ['FieldValueInvalid spec.infra.replicas'],
  },
  {
    name: 'replicas that do not fit upstream’s byte are refused',
    spec: { infra: { replicas: 256 }, workloads: { replicas: -1 } },
    want: ['FieldValueInvalid spec.infra.replicas', 'FieldValueInvalid spec.workloads.replicas'],
  },
  { name: 'one infra replica passes', spec: { infra: { replicas: 1 } }, want: [] },
  {
    name: 'a gate on both lists is refused',
    spec: configuration({ developerConfiguration: { featureGates: ['A', 'B'], disabledFeatureGates: ['B'] } }),
    want: [`FieldValueForbidden ${C}.developerConfiguration.featureGates`],
  },
  {
    name: 'gates that did not change are not looked at again',
    spec: configuration({ developerConfiguration: { featureGates: ['B'], disabledFeatureGates: ['B'] } }),
    old: configuration({ developerConfiguration: { featureGates: ['B'], disabledFeatureGates: ['B'] } }),
    want: [],
  },
  {
    name: 'a seccomp profile needs its custom part',
    spec: configuration({ seccompConfiguration: { virtualMachineInstanceProfile: {} } }),
    want: [`FieldValueInvalid ${C}.seccompConfiguration.virtualMachineInstanceProfile.customProfile`],
  },
  {
    name: 'two seccomp profiles are two violations',
    spec: configuration({
      seccompConfiguration: {
        virtualMachineInstanceProfile: { customProfile: { localhostProfile: 'a', runtimeDefaultProfile: true } },
      },
    }),
    want: ['localhostProfile', 'runtimeDefaultProfile'].map(
      (leaf) => `FieldValueInvalid ${C}.seccompConfiguration.virtualMachineInstanceProfile.customProfile.${leaf}`,
    ),
  },
  {
    name: 'old and new certificate fields conflict',
    spec: selfSigned({ caRotateInterval: '48h', ca: { duration: '48h' } }),
    want: ['FieldValueNotSupported spec.certificateRotateStrategy.selfSigned'],
  },
  {
    name: 'a CA may not renew before it begins',
    spec: selfSigned({ ca: { duration: '24h', renewBefore: '25h' } }),
    want: ['FieldValueInvalid spec.certificateRotateStrategy.selfSigned.ca.renewBefore'],
  },
  {
    name: 'a server certificate may not renew before it begins',
    spec: selfSigned({ server: { renewBefore: '25h' } }),
    want: ['FieldValueInvalid spec.certificateRotateStrategy.selfSigned.server.renewBefore'],
  },
  {
    name: 'a short CA is refused against the default server duration',
    spec: selfSigned({ ca: { duration: '12h' } }),
    want: ['FieldValueInvalid spec.certificateRotateStrategy.selfSigned.server.duration'],
  },
  { name: 'equal durations pass', spec: selfSigned({ ca: { duration: '24h', renewBefore: '24h' } }), want: [] },
  {
    name: 'a duration that is none is refused',
    spec: selfSigned({ ca: { duration: 'soon' } }),
    want: ['FieldValueInvalid spec.certificateRotateStrategy.selfSigned'],
  },
];

for (const { name, spec, old, want } of rows) {
  test(`validate-update: ${name}`, () => {
    assert.deepEqual(find(spec, old), want);
  });
}

test('B47: validate-update: warnings name deprecated gates, devices and architectures, and nothing else', () => {
  const change = update(
    configuration({
      ...gates('LiveMigration', 'Sidecar', 'HotplugVolumes', 'Unheard'),
      mediatedDevicesConfiguration: {
        mediatedDevicesTypes: [],
        nodeMediatedDeviceTypes: [{ mediatedDevicesTypes: ['a'] }],
      },
      architectureConfiguration: { ppc64le: {} },
    }),
  );
  const warnings = findWarnings(change);
  assert.equal(warnings.length, 5);
  assert.match(warnings[0]!, /LiveMigration.*"General Availability".*docs\/deprecation\.md/);
  assert.match(warnings[1]!, /HotplugVolumes.*DeclarativeHotplugVolumes/);
  assert.match(
    warnings[3]!,
    /nodeMediatedDeviceTypes\[0\]\.mediatedDevicesTypes is deprecated, use mediatedDeviceTypes/,
  );
});

test('B48: validate-update: lifetimes that do not fit are refused with the paths of both fields', () => {
  const rows: { name: string; spec: object; want: [string, string][] }[] = [
    {
      name: 'new fields',
      spec: selfSigned({
        ca: { duration: '24h', renewBefore: '25h' },
        server: { duration: '30h', renewBefore: '31h' },
      }),
      want: [
        ['ca.renewBefore', 'ca.duration'],
        ['server.renewBefore', 'server.duration'],
        ['server.duration', 'ca.duration'],
      ],
    },
    {
      name: 'deprecated fields',
      spec: selfSigned({ caRotateInterval: '20h', caOverlapInterval: '21h', certRotateInterval: '22h' }),
      want: [
        ['caOverlapInterval', 'caRotateInterval'],
        ['certRotateInterval', 'caRotateInterval'],
      ],
    },
  ];
  for (const { name, spec, want } of rows) {
    const violations = findCertificateObjections(asKubeVirt({ spec }).spec);
    const root = 'spec.certificateRotateStrategy.selfSigned';
    assert.deepEqual(
      violations.map(({ field, message }) => [field, message.slice(message.lastIndexOf(' ') + 1)]),
      want.map((fields) => fields.map((field) => `${root}.${field}`)),
      name,
    );
  }
});

test('validate-update: a gate is warned about once, and a name like constructor is just unknown', () => {
  const warnings = findWarnings(update(configuration(gates('GPU', 'GPU', 'constructor', '__proto__', 'toString'))));
  assert.equal(warnings.length, 1);
});

test('validate-update: a long patch is quoted in part', () => {
  const [violation] = RULES_BEFORE_PLACEMENT.flatMap((rule) => rule(update(patch('x'.repeat(100_000)))));
  assert.ok((violation?.message.length ?? Infinity) < 300);
});
