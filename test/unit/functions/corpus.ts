/** Bodies that no API server sends: malformed JSON, malformed reviews, malformed KubeVirt objects. Every one has a name. */

/** A body and what it is. */
export interface BadBody {
  name: string;
  body: string | Buffer;
}

const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

const TEXTS: Record<string, string | Buffer> = {
  'an empty body': '',
  'a blank body': ' \n\t',
  'a brace': '{',
  'a bracket': ']',
  'a comma': ',',
  'a quote': '"',
  'a lone word': 'AdmissionReview',
  'a number': '42',
  'a huge number': '1e999999',
  'minus zero': '-0',
  true: 'true',
  null: 'null',
  'a string': '"{}"',
  'an empty list': '[]',
  'an empty object': '{}',
  'two documents': '{}{}',
  'a trailing comma': '{"kind":"AdmissionReview",}',
  'single quotes': "{'kind':'AdmissionReview'}",
  'a comment': '/* */{}',
  NaN: '{"a":NaN}',
  undefined: '{"a":undefined}',
  'a byte order mark': '\uFEFF{}',
  'a NUL byte': '{"a":"\0"}',
  'a raw line break in a string': '{"a":"\n"}',
  'a lone surrogate': '{"kind":"\\ud800"}',
  'an unfinished escape': '{"kind":"\\u12',
  'bytes that are no UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'a gzip header': Buffer.from([0x1f, 0x8b, 0x08, 0x00]),
  'a TLS record': Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05]),
  'a thousand braces': nested(1000, '{"a":', '}'),
  'ten thousand brackets': nested(10_000, '[', ']'),
  'a million open brackets': '['.repeat(1_000_000),
  'a key called __proto__': '{"__proto__":{"kind":"AdmissionReview"}}',
  'duplicate keys': '{"kind":"AdmissionReview","kind":"Pod"}',
  XML: '<AdmissionReview/>',
  YAML: 'kind: AdmissionReview\n',
  'a form': 'kind=AdmissionReview&request=1',
  'a million spaces': ' '.repeat(1_000_000),
};

const VALUES: Record<string, unknown> = {
  null: null,
  true: true,
  zero: 0,
  'a fraction': 1.5,
  'a huge number': 1e308,
  'a negative number': -1,
  'an empty string': '',
  'a word': 'word',
  'an empty list': [],
  'a list of null': [null],
  'an empty object': {},
  'an object': { constructor: { prototype: 1 }, a: [{}] },
};

const request = {
  uid: 'u',
  operation: 'UPDATE',
  resource: { group: 'kubevirt.io', version: 'v1', resource: 'kubevirts' },
  name: 'kubevirt',
  namespace: 'kubevirt',
};

/** A review with these changes to its request. */
export const review = (changes: object): string =>
  JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: { ...request, ...changes } });

/** A review about an update to this spec, of an object that had none. */
export const updateTo = (spec: unknown, status?: unknown): string => {
  const base = { apiVersion: 'kubevirt.io/v1', kind: 'KubeVirt', metadata: { name: 'kubevirt' } };
  return review({ oldObject: { ...base, spec: {} }, object: { ...base, spec, status } });
};

/** Each field of a review with each value that it must not have. */
function badReviews(): BadBody[] {
  const whole = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  const top = ['apiVersion', 'kind', 'request'].flatMap((field) =>
    Object.entries(VALUES).map(([name, value]) => ({
      name: `a review whose ${field} is ${name}`,
      body: JSON.stringify({ ...whole, [field]: value }),
    })),
  );
  const inner = ['uid', 'operation', 'resource', 'name', 'namespace', 'object', 'oldObject'].flatMap((field) =>
    Object.entries(VALUES).map(([name, value]) => ({
      name: `a request whose ${field} is ${name}`,
      body: review({ [field]: value }),
    })),
  );
  return [...top, ...inner];
}

/** Fields of a KubeVirt object that a rule looks into, as paths. */
const PATHS = `
  imageTag imagePullPolicy imagePullSecrets infra infra.replicas infra.nodePlacement infra.nodePlacement.tolerations infra.nodePlacement.affinity
  infra.nodePlacement.nodeSelector workloads workloads.nodePlacement customizeComponents customizeComponents.patches customizeComponents.flags
  certificateRotateStrategy certificateRotateStrategy.selfSigned certificateRotateStrategy.selfSigned.ca
  certificateRotateStrategy.selfSigned.ca.duration certificateRotateStrategy.selfSigned.caRotateInterval uninstallStrategy configuration
  configuration.developerConfiguration configuration.developerConfiguration.featureGates configuration.developerConfiguration.disabledFeatureGates
  configuration.tlsConfiguration configuration.tlsConfiguration.ciphers configuration.tlsConfiguration.minTLSVersion
  configuration.additionalGuestMemoryOverheadRatio configuration.migrations configuration.migrations.maxDowntimeMs
  configuration.seccompConfiguration configuration.seccompConfiguration.virtualMachineInstanceProfile
  configuration.seccompConfiguration.virtualMachineInstanceProfile.customProfile configuration.virtTemplateDeployment
  configuration.mediatedDevicesConfiguration configuration.mediatedDevicesConfiguration.nodeMediatedDeviceTypes
  configuration.architectureConfiguration configuration.roleAggregationStrategy
`
  .trim()
  .split(/\s+/);

const nest = (path: string, value: unknown): object =>
  path.split('.').reduceRight<unknown>((inner, field) => ({ [field]: inner }), value) as object;

function badObjects(): BadBody[] {
  return PATHS.flatMap((path) =>
    Object.entries(VALUES).map(([name, value]) => ({
      name: `a KubeVirt whose ${path} is ${name}`,
      body: updateTo(nest(path, value)),
    })),
  );
}

const certificate = (duration: string) => nest('certificateRotateStrategy.selfSigned.ca.duration', duration);
const many = (count: number, make: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => make(index));

/** Stands for what is nested too deep to be written by JSON.stringify. */
const DEEP = '@deep';
const deepen = (body: string) => body.replaceAll(`"${DEEP}"`, `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`);

/** Objects that are large, deep or slow to look at. */
function heavyObjects(): BadBody[] {
  const gates = (names: unknown[]) => nest('configuration.developerConfiguration.featureGates', names);
  const specs: Record<string, unknown> = {
    'a duration of a million digits': certificate('1'.repeat(1e6)),
    'a duration of a million parts': certificate('1h'.repeat(5e5)),
    'a ratio of a million digits': nest('configuration.additionalGuestMemoryOverheadRatio', '9'.repeat(1e6)),
    'a ratio of a million underscores': nest('configuration.additionalGuestMemoryOverheadRatio', '1_'.repeat(5e5)),
    'a quantity of a million digits': nest('configuration.cpuRequest', '1'.repeat(1e6)),
    'a hundred thousand gates': gates(many(1e5, (i) => `Gate${i}`)),
    'a hundred thousand times one deprecated gate': gates(many(1e5, () => 'GPU')),
    'a hundred thousand gates that are numbers': gates(many(1e5, (i) => i)),
    'a hundred thousand ciphers': nest('configuration.tlsConfiguration', {
      minTLSVersion: 'VersionTLS12',
      ciphers: many(1e5, (i) => `C${i}`),
    }),
    'ten thousand patches that are no JSON': nest(
      'customizeComponents.patches',
      many(1e4, () => ({ resourceName: 'a', resourceType: 'b', type: 'json', patch: '{' })),
    ),
    'ten thousand devices': nest(
      'configuration.mediatedDevicesConfiguration.nodeMediatedDeviceTypes',
      many(1e4, () => ({ nodeSelector: {}, mediatedDevicesTypes: [] })),
    ),
    'a hundred thousand unknown fields': Object.fromEntries(many(1e5, (i) => [`f${i}`, i]) as [string, unknown][]),
    'a spec nested a hundred thousand deep': DEEP,
    'a placement nested a hundred thousand deep': nest('infra.nodePlacement.affinity', DEEP),
    'gates nested a hundred thousand deep': gates([DEEP]),
    'fields called like parts of every object': JSON.parse(
      '{"__proto__":{"a":1},"constructor":1,"toString":null}',
    ) as unknown,
    'gates called like parts of every object': gates(['__proto__', 'constructor', 'hasOwnProperty', 'toString']),
    'a TLS version called like a part of every object': nest('configuration.tlsConfiguration', {
      minTLSVersion: 'constructor',
      ciphers: ['toString'],
    }),
    'strings of lone surrogates': { imageTag: '\ud800'.repeat(1000), imageRegistry: '\udfff' },
  };
  const names = Object.entries(specs);
  return names
    .flatMap(([name, spec]) => [
      { name: `a KubeVirt with ${name}`, body: updateTo(spec) },
      {
        name: `an old KubeVirt with ${name}`,
        body: review({ oldObject: { spec }, object: { spec: { imageTag: 'x' } } }),
      },
      { name: `an unchanged KubeVirt with ${name}`, body: review({ oldObject: { spec }, object: { spec } }) },
    ])
    .map(({ name, body }) => ({ name, body: deepen(body) }));
}

/** All of them: several hundred. */
export function badBodies(): BadBody[] {
  const texts = Object.entries(TEXTS).map(([name, body]) => ({ name, body }));
  const statuses = Object.entries(VALUES).map(([name, value]) => ({
    name: `a KubeVirt whose status is ${name}`,
    body: updateTo({}, value),
  }));
  return [...texts, ...badReviews(), ...badObjects(), ...statuses, ...heavyObjects()];
}
