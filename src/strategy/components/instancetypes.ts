import type { JsonObject, KubernetesObject } from '../../api/objects.ts';
import { objectOf } from '../object.ts';
import { SERIES_TEXTS } from '../texts/instancetypes.ts';
import { inNameOrder, labelsWith, withPrefix } from './instancetypes-object.ts';
import { type Series, SERIES } from './instancetypes.table.ts';

/** One size of a series. */
interface Size {
  name: string;
  cpus: number;
  memory: string;
  pageSize: string | undefined;
}

/** CRI-O annotations that keep a pod's processors free of interrupts, quota and load balancing. */
const UNDISTURBED = {
  'cpu-load-balancing.crio.io': 'disable',
  'cpu-quota.crio.io': 'disable',
  'irq-load-balancing.crio.io': 'disable',
};

/** The 65 instance types of KubeVirt 1.9.0, in upstream's order. No input changes them (spec/resources.md §7.6). */
export function buildInstancetypes(): KubernetesObject[] {
  return inNameOrder(SERIES.flatMap((series) => sizesOf(series).map((size) => buildInstancetype(series, size))));
}

function sizesOf(series: Series): Size[] {
  const pages: [string, string | undefined][] = Object.entries(series.hugePages ?? { '': undefined });
  return series.sizes.flatMap((text) => {
    const [name = '', cpus = '', memory = ''] = text.split(' ');
    return pages.map(([suffix, pageSize]) => ({ name: `${name}${suffix}`, cpus: Number(cpus), memory, pageSize }));
  });
}

function buildInstancetype(series: Series, size: Size): KubernetesObject {
  const metadata = {
    name: `${series.name}.${size.name}`,
    labels: labelsWith(labelsOf(series, size)),
    annotations: withPrefix({ description: SERIES_TEXTS[series.name], displayName: series.title }),
  };
  return objectOf('VirtualMachineClusterInstancetype', metadata, {
    spec: {
      ...(series.undisturbed && { annotations: { ...UNDISTURBED } }),
      cpu: cpuOf(series, size),
      ...(series.ioThreads && { ioThreadsPolicy: 'auto' }),
      memory: memoryOf(series, size),
    },
  });
}

/** Labels by which people and the console search: present only where the feature is. */
function labelsOf(series: Series, size: Size): Record<string, string> {
  return {
    class: series.class,
    cpu: String(size.cpus),
    memory: size.memory,
    size: size.name,
    version: '1',
    'icon-pf': series.icon,
    ...(series.dedicatedCpus && { dedicatedCPUPlacement: 'true', isolateEmulatorThread: 'true' }),
    ...(series.numa && { numa: 'true' }),
    ...(series.realtime && { realtime: 'true' }),
    ...(size.pageSize !== undefined && { hugepages: size.pageSize }),
  };
}

function cpuOf(series: Series, { cpus }: Size): JsonObject {
  return {
    guest: cpus,
    ...(series.dedicatedCpus && { dedicatedCPUPlacement: true, isolateEmulatorThread: true }),
    ...(series.fixedSockets && { maxSockets: cpus }),
    ...(series.numa && { numa: { guestMappingPassthrough: {} } }),
    ...(series.realtime && { realtime: {} }),
  };
}

function memoryOf({ overcommitPercent }: Series, { memory, pageSize }: Size): JsonObject {
  return {
    guest: memory,
    ...(pageSize !== undefined && { hugepages: { pageSize } }),
    ...(overcommitPercent !== undefined && { overcommitPercent }),
  };
}
