import type { SERIES_TEXTS } from '../texts/instancetypes.ts';

/** What all sizes of one series of instance types share (spec/resources.md §7.6). */
export interface Series {
  /** First part of the object's name. */
  name: keyof typeof SERIES_TEXTS;
  class: string;
  title: string;
  /** Icon of the OpenShift console. */
  icon: string;
  /** Sizes as `name cpus memory`; the name may be followed by a suffix that {@link Series.hugePages} adds. */
  sizes: readonly string[];
  /** Page size by suffix of the size's name. */
  hugePages?: Readonly<Record<string, '2Mi' | '1Gi'>>;
  dedicatedCpus?: true;
  numa?: true;
  realtime?: true;
  /** As many sockets can be plugged as the guest has processors. */
  fixedSockets?: true;
  ioThreads?: true;
  /** Guest memory in percent of the memory that the pod asks for is raised by this. */
  overcommitPercent?: number;
  /** CRI-O leaves the processors of the pod alone. */
  undisturbed?: true;
}

const LARGE = ['large 2 8Gi', 'xlarge 4 16Gi', '2xlarge 8 32Gi', '4xlarge 16 64Gi', '8xlarge 32 128Gi'];
const FROM_MICRO = ['micro 1 1Gi', 'small 1 2Gi', 'medium 1 4Gi', ...LARGE];
const FROM_NANO = ['nano 1 512Mi', ...FROM_MICRO];
const WITH_2XMEDIUM = ['2xmedium 2 4Gi', ...FROM_NANO];

/** All series of KubeVirt 1.9.0. */
export const SERIES: readonly Series[] = [
  {
    name: 'cx1',
    class: 'compute.exclusive',
    title: 'Compute Exclusive',
    icon: 'pficon-registry',
    sizes: ['medium 1 2Gi', 'large 2 4Gi', 'xlarge 4 8Gi', '2xlarge 8 16Gi', '4xlarge 16 32Gi', '8xlarge 32 64Gi'],
    hugePages: { '': '2Mi', '1gi': '1Gi' },
    dedicatedCpus: true,
    numa: true,
    fixedSockets: true,
    ioThreads: true,
  },
  {
    name: 'd1',
    class: 'dedicated.vcpu',
    title: 'Dedicated vCPU',
    icon: 'pficon-server-group',
    sizes: WITH_2XMEDIUM,
    dedicatedCpus: true,
    ioThreads: true,
  },
  {
    name: 'm1',
    class: 'memory.intensive',
    title: 'Memory Intensive',
    icon: 'fa-memory',
    sizes: ['large 2 16Gi', 'xlarge 4 32Gi', '2xlarge 8 64Gi', '4xlarge 16 128Gi', '8xlarge 32 256Gi'],
    hugePages: { '': '2Mi', '1gi': '1Gi' },
  },
  {
    name: 'n1',
    class: 'network',
    title: 'Network',
    icon: 'pficon-network',
    sizes: ['medium 4 4Gi', 'large 4 8Gi', 'xlarge 8 16Gi', '2xlarge 16 32Gi', '4xlarge 32 64Gi', '8xlarge 64 128Gi'],
    hugePages: { '': '1Gi' },
    dedicatedCpus: true,
    undisturbed: true,
  },
  {
    name: 'o1',
    class: 'overcommitted',
    title: 'Overcommitted',
    icon: 'pficon-virtual-machine',
    sizes: FROM_NANO,
    overcommitPercent: 50,
  },
  {
    name: 'rt1',
    class: 'realtime',
    title: 'Realtime',
    icon: 'pficon-server-group',
    sizes: FROM_MICRO,
    hugePages: { '': '1Gi' },
    dedicatedCpus: true,
    numa: true,
    realtime: true,
    undisturbed: true,
  },
  {
    name: 'u1',
    class: 'general.purpose',
    title: 'General Purpose',
    icon: 'pficon-server-group',
    sizes: WITH_2XMEDIUM,
  },
];
