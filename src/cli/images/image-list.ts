import type { Json, KubernetesObject } from '../../api/objects.ts';
import { COMPILED_RELEASE } from '../../exchange/strategy-source.ts';
import { listWantedWorkloads } from '../../plan/completeness.ts';
import type { PassContext } from '../../plan/types.ts';
import { IMAGES } from '../../strategy/images.table.ts';
import { componentImage } from '../../strategy/images.ts';

/** An image, and what it is needed for. */
export interface ImageLine {
  image: string;
  /** As the nodes report it, where they run it. */
  digest: string | null;
  /** `always`: pods of the installation run it; `on demand`: pods that the components start; `once`: a Job, or a step of the chart. */
  when: 'always' | 'on demand' | 'once';
  usedBy: string[];
}

/** Images that run on demand, and by whom, as far as no component names them (spec/resources.md §2.2). */
const ON_DEMAND: Readonly<Record<string, string>> = {
  GsImage: 'virtctl guestfs',
  SidecarShimImage: 'virtual machines with hook sidecars',
  virtLauncherImage: 'virtual machines',
  virtExportServerImage: 'exports of virtual machines',
};

/** What images are listed for. */
export interface ImageFacts {
  /** Of the installation. */
  context: PassContext;
  /** Deployments of the operator and of what the chart brings with it. */
  operator: readonly KubernetesObject[];
  /** Digests by reference. */
  digests: ReadonlyMap<string, string>;
}

/**
 * The images of an installation (spec/field-reports.md B59): those that its pods run, those that its components are told of, those that users ask for, and
 * the operator's own. Pure.
 */
export function listImages({ context, operator, digests }: ImageFacts): ImageLine[] {
  const lines = new Map<string, ImageLine>();
  const note = (image: string, when: ImageLine['when'], user: string): void => {
    const known = lines.get(image);
    if (known === undefined) lines.set(image, { image, digest: digestOf(image, digests), when, usedBy: [user] });
    else if (!known.usedBy.includes(user)) known.usedBy.push(user);
  };
  for (const deployment of operator)
    for (const image of imagesOf(deployment)) note(image, 'always', titleOf(deployment));
  const { target } = context;
  const workloads = listWantedWorkloads(context);
  for (const workload of workloads) {
    for (const image of imagesOf(workload)) note(image, 'always', titleOf(workload));
  }
  for (const { field } of IMAGES) {
    const image = componentImage(target, field);
    const teller = workloads.find((workload) => JSON.stringify(workload.spec).includes(image));
    const user = ON_DEMAND[field];
    if (user !== undefined) note(image, 'on demand', user);
    else if (teller !== undefined) note(image, 'on demand', titleOf(teller));
  }
  if (target.kubeVirtVersion !== COMPILED_RELEASE) {
    note(componentImage(target, 'virtOperatorImage'), 'once', 'Job that writes the install strategy');
  }
  return [...lines.values()];
}

function titleOf({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.name ?? ''}`;
}

/** All values of fields called `image` of the containers in a pod template. */
function imagesOf({ spec }: KubernetesObject): string[] {
  const template = (spec?.['template'] ?? {}) as { spec?: Record<string, Json> };
  return ['initContainers', 'containers'].flatMap((field) =>
    ((template.spec?.[field] ?? []) as { image?: string }[]).flatMap(({ image }) =>
      image === undefined ? [] : [image],
    ),
  );
}

/** A reference with a digest says it itself. */
function digestOf(image: string, digests: ReadonlyMap<string, string>): string | null {
  return /@(sha256:[0-9a-f]{64})$/.exec(image)?.[1] ?? digests.get(image) ?? null;
}

/** The digests of images that pods run, by reference. */
export function readDigests(pods: readonly KubernetesObject[]): Map<string, string> {
  return new Map(pods.flatMap(readPodDigests));
}

const CONTAINERS = { containers: 'containerStatuses', initContainers: 'initContainerStatuses' } as const;

function readPodDigests({ spec, status }: KubernetesObject): [string, string][] {
  return Object.entries(CONTAINERS).flatMap(([asked, reported]) => {
    const running = new Map(listOf(status?.[reported]).map(({ name, imageID = '' }) => [name, imageID]));
    return listOf(spec?.[asked]).flatMap(({ name, image = '' }): [string, string][] => {
      const digest = /sha256:[0-9a-f]{64}/.exec(running.get(name) ?? '')?.[0];
      return digest === undefined ? [] : [[image, digest]];
    });
  });
}

/** The fields of a container, or of its status, that matter here. */
interface Container {
  name?: string;
  image?: string;
  imageID?: string;
}

function listOf(value: unknown): Container[] {
  return Array.isArray(value) ? (value as Container[]) : [];
}
