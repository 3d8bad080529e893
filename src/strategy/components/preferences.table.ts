import type { JsonObject } from '../../api/objects.ts';

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
  /** What the guest needs at least: processors, and MiB of memory. */
  needs?: readonly [cpus: number, memory: number];
  architecture?: 'amd64' | 'arm64' | 's390x';
  traits: readonly Trait[];
}

/** Values of a row that are not the default: icon and tags are made of the name. */
type Differences = Partial<Omit<PreferenceRow, 'name' | 'title' | 'osType'>>;

function linux(name: string, title: string, differences: Differences = {}): PreferenceRow {
  const traits: readonly Trait[] = ['linux', ...(differences.traits ?? [])];
  return { name, title, osType: 'linux', icon: name, tags: name, ...differences, traits };
}

const RHEL = { icon: 'rhel', tags: 'linux,rhel' };
const CENTOS = { icon: 'centos', tags: 'linux,centos-stream' };
const MEMORY = 1536;

/** A system that comes for three architectures; only amd64 boots by EFI with secure boot, and only its name has no ending. */
function architectures(name: string, title: string, differences: Differences): PreferenceRow[] {
  const traits = differences.traits ?? [];
  return (['amd64', 'arm64', 's390x'] as const).map((architecture) =>
    linux(architecture === 'amd64' ? name : `${name}.${architecture}`, `${title} (${architecture})`, {
      ...differences,
      architecture,
      traits: architecture === 'amd64' ? [...traits, 'secureBoot'] : traits,
    }),
  );
}

const LINUX: PreferenceRow[] = [
  linux('alpine', 'Alpine', { needs: [1, 512] }),
  ...['10', '9'].flatMap((version) => {
    const name = `centos.stream${version}`;
    const title = `CentOS Stream ${version}`;
    return [
      linux(name, title, { ...CENTOS, needs: [1, MEMORY], traits: ['ioThread'] }),
      linux(`${name}.desktop`, title, { ...CENTOS, needs: [1, MEMORY], traits: ['ioThread', 'tablet'] }),
    ];
  }),
  linux('centos.stream9.dpdk', 'CentOS Stream 9', {
    icon: 'centos',
    tags: 'linux,centos-stream,dpdk',
    needs: [8, MEMORY],
    traits: ['ioThread', 'dpdk'],
  }),
  linux('cirros', 'Cirros', { needs: [1, 256] }),
  linux('debian', 'Debian', { needs: [1, 512], traits: ['efi'] }),
  ...architectures('fedora', 'Fedora', { icon: 'fedora', tags: 'fedora', needs: [1, 2048] }),
  linux('linux', 'Linux Guest'),
  linux('linux.efi', 'Linux EFI Guest', { icon: 'linux', tags: 'linux-efi', traits: ['efi'] }),
  linux('linux.virtiotransitional', 'Linux Virtio Transitional Guest', {
    icon: 'linux',
    tags: 'linux-virtio-transitional',
    traits: ['transitional'],
  }),
  linux('opensuse.leap', 'OpenSUSE Leap', { icon: 'opensuse-leap', needs: [1, 2048] }),
  linux('opensuse.tumbleweed', 'OpenSUSE Tumbleweed', { icon: 'opensuse-tumbleweed', needs: [1, 2048] }),
  linux('oraclelinux', 'Oracle Linux', { icon: 'oracle', needs: [2, 4096], traits: ['efi'] }),
  linux('rhel.7', 'Red Hat Enterprise Linux 7', { ...RHEL, needs: [1, 1024] }),
  linux('rhel.7.desktop', 'Red Hat Enterprise Linux 7', { ...RHEL, needs: [1, 1024], traits: ['tablet'] }),
  linux('rhel.8', 'Red Hat Enterprise Linux 8', { ...RHEL, needs: [1, MEMORY] }),
  linux('rhel.8.desktop', 'Red Hat Enterprise Linux 8', { ...RHEL, needs: [1, MEMORY], traits: ['tablet'] }),
  linux('rhel.8.dpdk', 'Red Hat Enterprise Linux 8', {
    icon: 'rhel',
    tags: 'linux,rhel,dpdk',
    needs: [8, MEMORY],
    traits: ['dpdk'],
  }),
  ...['9', '10'].flatMap((version) =>
    architectures(`rhel.${version}`, `Red Hat Enterprise Linux ${version}`, {
      ...RHEL,
      needs: [1, MEMORY],
      traits: ['ioThread'],
    }),
  ),
  ...(
    [
      ['desktop', 'Desktop', [1, MEMORY], 'tablet', ''],
      ['dpdk', 'DPDK', [8, MEMORY], 'dpdk', ',dpdk'],
      ['realtime', 'Realtime', [4, 4096], 'realtime', ',realtime'],
    ] as const
  ).map(([variant, title, needs, trait, tag]) =>
    linux(`rhel.9.${variant}`, `Red Hat Enterprise Linux 9 ${title} (amd64)`, {
      icon: 'rhel',
      tags: `linux,rhel${tag}`,
      needs,
      architecture: 'amd64',
      traits: ['ioThread', trait, 'secureBoot'],
    }),
  ),
  linux('sles', 'SUSE Linux Enterprise Server', { needs: [1, 2048] }),
  linux('ubuntu', 'Ubuntu', { needs: [1, 2048] }),
];

/** Windows releases: name, title, needs, traits, and whether virtio drivers exist for it. */
const WINDOWS_RELEASES: readonly [string, string, readonly [number, number], readonly Trait[], boolean][] = [
  ['10', '10', [1, 2048], ['secureBoot'], true],
  ['11', '11', [2, 4096], ['secureBoot', 'tpm'], true],
  ['2k12', 'Server 2012/2012 R2', [1, 512], [], true],
  ['2k16', 'Server 2016', [1, 2048], ['secureBoot'], true],
  ['2k19', 'Server 2019', [1, 2048], ['secureBoot'], true],
  ['2k22', 'Server 2022', [1, 2048], ['secureBoot', 'tpm'], true],
  ['2k25', 'Server 2025', [1, 2048], ['secureBoot', 'tpm'], true],
  ['2k3', 'Server 2003', [1, 256], ['rtl8139', 'noPciHole64'], false],
  ['2k8', 'Server 2008/2008 R2', [1, 512], ['e1000'], true],
  ['7', '7', [1, 2048], [], true],
  ['xp', 'XP', [1, 128], ['noPciHole64'], false],
];

const WINDOWS: PreferenceRow[] = WINDOWS_RELEASES.flatMap(([release, title, needs, extra, hasVirtio]) => {
  const row: PreferenceRow = {
    name: `windows.${release}`,
    title: `Microsoft Windows ${title}`,
    osType: 'windows',
    icon: 'windows',
    tags: 'windows',
    needs,
    traits: ['windows', ...extra],
  };
  if (!hasVirtio) return [row];
  const virtio: readonly Trait[] = [...row.traits, 'virtio', 'tablet'];
  return [row, { ...row, name: `${row.name}.virtio`, title: `${row.title} (virtio)`, traits: virtio }];
});

/** All preferences of KubeVirt 1.9.0. */
export const PREFERENCES: readonly PreferenceRow[] = [
  ...LINUX,
  { name: 'legacy', title: 'Legacy Guest', osType: 'legacy', icon: 'other', tags: 'legacy', traits: ['legacy'] },
  ...WINDOWS,
];
