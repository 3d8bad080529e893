import type { KubeVirt } from '../../src/api/kubevirt.ts';
import { gateStateOf } from '../../src/api/feature-gates.ts';
import { areGatesChanged, type Update } from './rules.ts';

/** What to do instead, for gates that are on their way out (spec/webhooks.md §6). */
const ADVICE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    DisableMDEVConfiguration: 'it is deprecated since v1.8.0',
    DockerSELinuxMCSWorkaround: 'it is deprecated since v1.4',
    HotplugVolumes: 'it is deprecated since v1.9.0; use DeclarativeHotplugVolumes',
    MultiArchitecture: 'it is deprecated since v1.8.0',
    ExperimentalVirtiofsSupport: 'it is discontinued since v1.7; use EnableVirtioFsConfigVolumes or EnableVirtioFsPVC',
    Macvtap: 'this network binding is discontinued since v1.3; see the network section of the user guide',
    Passt: 'this network binding is discontinued since v1.3; see the network section of the user guide',
    PasstIPStackMigration: 'it is discontinued since v1.8; the core passt binding replaces it',
  }),
);

/** The warning about one listed gate; none for gates that may be listed and for names that KubeVirt does not know. */
function warnAboutGate(gate: string): string[] {
  if (gateStateOf(gate) === 'General Availability') {
    return [
      `feature gate ${gate} is deprecated: its state is "General Availability", so listing it is redundant (docs/deprecation.md of kubevirt/kubevirt)`,
    ];
  }
  const advice = ADVICE.get(gate);
  return advice === undefined ? [] : [`feature gate ${gate}: ${advice}`];
}

/** Loosely typed: a spec that did not change is not held against the schema. */
interface MediatedDevices {
  mediatedDevicesTypes?: unknown;
  nodeMediatedDeviceTypes?: unknown;
}

function warnAboutDevices(kubeVirt: KubeVirt): string[] {
  const path = 'spec.configuration.mediatedDevicesConfiguration';
  const devices = kubeVirt.spec.configuration?.mediatedDevicesConfiguration as MediatedDevices | undefined;
  const perNode = devices?.nodeMediatedDeviceTypes;
  const used = (value: unknown) => value !== undefined && value !== null;
  const paths = [
    ...(used(devices?.mediatedDevicesTypes) ? [`${path}.mediatedDevicesTypes`] : []),
    ...(Array.isArray(perNode) ? (perNode as (MediatedDevices | null)[]) : []).flatMap((entry, index) =>
      used(entry?.mediatedDevicesTypes) ? [`${path}.nodeMediatedDeviceTypes[${index}].mediatedDevicesTypes`] : [],
    ),
  ];
  return paths.map((name) => `${name} is deprecated, use mediatedDeviceTypes`);
}

/** Warnings that go with the answer, whatever the verdict (spec/webhooks.md §4.4); gates that need none give none. */
export function findWarnings(update: Update): string[] {
  const { configuration } = update.new.spec;
  const listed = areGatesChanged(update) ? (configuration?.developerConfiguration?.featureGates ?? []) : [];
  const gates = [...new Set(listed)];
  const ppc64le = configuration?.architectureConfiguration?.ppc64le;
  const architecture = 'spec.configuration.architectureConfiguration.ppc64le';
  return [
    ...gates.flatMap(warnAboutGate),
    ...warnAboutDevices(update.new),
    ...(ppc64le === undefined ? [] : [`${architecture} is deprecated and no longer supported`]),
  ];
}
