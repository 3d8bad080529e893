import type { JsonObject } from '../../api/objects.ts';
import { rowsOf, wordsOf } from '../text-table.ts';

/** What a guest system wants of its machine, by name; a preference is the deep merge of its traits (spec/resources.md §7.6). */
export const TRAITS = {
  linux: {
    annotations: { 'vm.kubevirt.io/os': 'linux' },
    devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'virtio', preferredRng: {} },
  },
  legacy: {
    annotations: { 'vm.kubevirt.io/os': 'legacy' },
    devices: { preferredDiskBus: 'sata', preferredInterfaceModel: 'e1000' },
  },
  /** Disks get a thread of their own. */
  ioThread: { devices: { preferredDiskDedicatedIoThread: true } },
  /** A pointer that follows the viewer's. */
  tablet: {
    devices: {
      preferredAutoattachInputDevice: true,
      preferredInputBus: 'virtio',
      preferredInputType: 'tablet',
    },
  },
  efi: { firmware: { preferredEfi: { secureBoot: false } } },
  secureBoot: { features: { preferredSmm: {} }, firmware: { preferredEfi: { secureBoot: true } } },
  transitional: { devices: { preferredUseVirtioTransitional: true } },
  dpdk: {
    cpu: { preferredCPUTopology: 'spread', spreadOptions: { across: 'SocketsCoresThreads', ratio: 4 } },
    devices: { preferredNetworkInterfaceMultiQueue: true },
  },
  realtime: {
    cpu: { preferredCPUTopology: 'spread', spreadOptions: { across: 'SocketsCoresThreads' } },
    devices: {
      preferredAutoattachGraphicsDevice: false,
      preferredAutoattachMemBalloon: false,
      preferredAutoattachSerialConsole: true,
      preferredNetworkInterfaceMultiQueue: true,
    },
  },
  windows: {
    annotations: { 'vm.kubevirt.io/os': 'windows' },
    clock: {
      preferredClockOffset: { utc: {} },
      preferredTimer: {
        hpet: { present: false },
        hyperv: {},
        pit: { tickPolicy: 'delay' },
        rtc: { tickPolicy: 'catchup' },
      },
    },
    cpu: { preferredCPUTopology: 'sockets' },
    devices: {
      preferredAutoattachInputDevice: true,
      preferredDiskBus: 'sata',
      preferredInterfaceModel: 'e1000e',
    },
    features: {
      preferredAcpi: {},
      preferredApic: {},
      preferredHyperv: {
        frequencies: {},
        ipi: {},
        reenlightenment: {},
        relaxed: {},
        reset: {},
        runtime: {},
        spinlocks: { spinlocks: 8191 },
        synic: {},
        synictimer: { direct: {} },
        tlbflush: {},
        vapic: {},
        vpindex: {},
      },
    },
    preferredTerminationGracePeriodSeconds: 3600,
  },
  /** Windows with the virtio drivers. */
  virtio: {
    devices: { preferredDiskBus: 'virtio', preferredInterfaceModel: 'virtio', preferredVideoType: 'virtio' },
  },
  /** A TPM whose content, like the firmware's, survives a restart. */
  tpm: { devices: { preferredTPM: { persistent: true } }, firmware: { preferredEfi: { persistent: true } } },
  e1000: { devices: { preferredInterfaceModel: 'e1000' } },
  rtl8139: { devices: { preferredInterfaceModel: 'rtl8139' } },
  noPciHole64: { annotations: { 'kubevirt.io/disablePCIHole64': 'true' } },
} as const satisfies Record<string, JsonObject>;

/** Name of a trait. */
type Trait = keyof typeof TRAITS;

/** One preference. */
export interface PreferenceRow {
  name: string;
  title: string;
  osType: 'linux' | 'windows' | 'legacy';
  /** Icon of the OpenShift console, without `icon-`. */
  icon: string;
  /** Tags of the OpenShift console behind `hidden,kubevirt,`. */
  tags: string;
  /** Processors and memory that the guest needs at least; empty when it is content with anything. */
  needs: string;
  /** `amd64`, `arm64`, `s390x`, or empty. */
  architecture: string;
  traits: readonly Trait[];
}

/** Tables of preferences: `name | title | icon | tags | processors and memory needed | traits`; icon and tags without a value are the name. */
const LINUX = `
  alpine | Alpine | | | 1 512Mi
  centos.stream9 | CentOS Stream 9 | centos | linux,centos-stream | 1 1.5Gi | ioThread
  centos.stream9.desktop | CentOS Stream 9 | centos | linux,centos-stream | 1 1.5Gi | ioThread tablet
  centos.stream9.dpdk | CentOS Stream 9 | centos | linux,centos-stream,dpdk | 8 1.5Gi | ioThread dpdk
  centos.stream10 | CentOS Stream 10 | centos | linux,centos-stream | 1 1.5Gi | ioThread
  centos.stream10.desktop | CentOS Stream 10 | centos | linux,centos-stream | 1 1.5Gi | ioThread tablet
  cirros | Cirros | | | 1 256Mi
  debian | Debian | | | 1 512Mi | efi
  linux | Linux Guest
  linux.efi | Linux EFI Guest | linux | linux-efi | | efi
  linux.virtiotransitional | Linux Virtio Transitional Guest | linux | linux-virtio-transitional | | transitional
  opensuse.leap | OpenSUSE Leap | opensuse-leap | | 1 2Gi
  opensuse.tumbleweed | OpenSUSE Tumbleweed | opensuse-tumbleweed | | 1 2Gi
  oraclelinux | Oracle Linux | oracle | | 2 4Gi | efi
  rhel.7 | Red Hat Enterprise Linux 7 | rhel | linux,rhel | 1 1Gi
  rhel.7.desktop | Red Hat Enterprise Linux 7 | rhel | linux,rhel | 1 1Gi | tablet
  rhel.8 | Red Hat Enterprise Linux 8 | rhel | linux,rhel | 1 1.5Gi
  rhel.8.desktop | Red Hat Enterprise Linux 8 | rhel | linux,rhel | 1 1.5Gi | tablet
  rhel.8.dpdk | Red Hat Enterprise Linux 8 | rhel | linux,rhel,dpdk | 8 1.5Gi | dpdk
  sles | SUSE Linux Enterprise Server | | | 1 2Gi
  ubuntu | Ubuntu | | | 1 2Gi
`;

/** The same for amd64 only. */
const LINUX_AMD64 = `
  rhel.9.desktop | Red Hat Enterprise Linux 9 Desktop | rhel | linux,rhel | 1 1.5Gi | ioThread tablet
  rhel.9.dpdk | Red Hat Enterprise Linux 9 DPDK | rhel | linux,rhel,dpdk | 8 1.5Gi | ioThread dpdk
  rhel.9.realtime | Red Hat Enterprise Linux 9 Realtime | rhel | linux,rhel,realtime | 4 4Gi | ioThread realtime
`;

/** The same for each of three architectures. */
const LINUX_ANYWHERE = `
  fedora | Fedora | | | 1 2Gi
  rhel.9 | Red Hat Enterprise Linux 9 | rhel | linux,rhel | 1 1.5Gi | ioThread
  rhel.10 | Red Hat Enterprise Linux 10 | rhel | linux,rhel | 1 1.5Gi | ioThread
`;

const LEGACY = `
  legacy | Legacy Guest | other
`;

const WINDOWS = `
  windows.2k3 | Microsoft Windows Server 2003 | windows | windows | 1 256Mi | rtl8139 noPciHole64
  windows.xp | Microsoft Windows XP | windows | windows | 1 128Mi | noPciHole64
`;

/** The same once with and once without the virtio drivers. */
const WINDOWS_WITH_DRIVERS = `
  windows.7 | Microsoft Windows 7 | windows | windows | 1 2Gi
  windows.10 | Microsoft Windows 10 | windows | windows | 1 2Gi | secureBoot
  windows.11 | Microsoft Windows 11 | windows | windows | 2 4Gi | secureBoot tpm
  windows.2k8 | Microsoft Windows Server 2008/2008 R2 | windows | windows | 1 512Mi | e1000
  windows.2k12 | Microsoft Windows Server 2012/2012 R2 | windows | windows | 1 512Mi
  windows.2k16 | Microsoft Windows Server 2016 | windows | windows | 1 2Gi | secureBoot
  windows.2k19 | Microsoft Windows Server 2019 | windows | windows | 1 2Gi | secureBoot
  windows.2k22 | Microsoft Windows Server 2022 | windows | windows | 1 2Gi | secureBoot tpm
  windows.2k25 | Microsoft Windows Server 2025 | windows | windows | 1 2Gi | secureBoot tpm
`;

function asTrait(word: string): Trait {
  if (!Object.hasOwn(TRAITS, word)) throw new Error(`no trait ${word}`);
  return word as Trait;
}

const readTable = (osType: PreferenceRow['osType'], table: string): PreferenceRow[] =>
  rowsOf(table).map(([name = '', title = '', icon = '', tags = '', needs = '', traits = '']) => ({
    ...{ name, title, osType, needs, architecture: '' },
    icon: icon || name,
    tags: tags || name,
    traits: [osType, ...wordsOf(traits).map(asTrait)],
  }));

/** For one architecture; only amd64 boots by EFI with secure boot. */
const onArchitecture = (row: PreferenceRow, architecture: string): PreferenceRow => ({
  ...row,
  title: `${row.title} (${architecture})`,
  architecture,
  traits: architecture === 'amd64' ? [...row.traits, 'secureBoot'] : row.traits,
});

const everywhere = (row: PreferenceRow): PreferenceRow[] => [
  onArchitecture(row, 'amd64'),
  ...['arm64', 's390x'].map((name) => onArchitecture({ ...row, name: `${row.name}.${name}` }, name)),
];

const withDrivers = (row: PreferenceRow): PreferenceRow => ({
  ...row,
  name: `${row.name}.virtio`,
  title: `${row.title} (virtio)`,
  traits: [...row.traits, 'virtio', 'tablet'],
});

/** All preferences of KubeVirt 1.9.0. */
export const PREFERENCES: readonly PreferenceRow[] = [
  ...readTable('linux', LINUX),
  ...readTable('linux', LINUX_AMD64).map((row) => onArchitecture(row, 'amd64')),
  ...readTable('linux', LINUX_ANYWHERE).flatMap(everywhere),
  ...readTable('legacy', LEGACY),
  ...readTable('windows', WINDOWS),
  ...readTable('windows', WINDOWS_WITH_DRIVERS).flatMap((row) => [row, withDrivers(row)]),
];
