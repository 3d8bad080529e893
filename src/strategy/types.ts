import type { KindName } from '../api/kinds.ts';
import type { KubernetesObject } from '../api/objects.ts';
import type { ImageField } from './images.table.ts';

/** Image references of the components; empty means: derive from registry, prefix and version (spec/reconcile.md §2.4). */
export type ComponentImages = Record<ImageField, string>;

/** What is to be installed: upstream's KubeVirtDeploymentConfig (spec/reconcile.md §2.4). */
export interface TargetDeployment {
  /** The deployment ID: SHA-1 over all other fields, lower-case hex. */
  id: string;
  namespace: string;
  registry: string;
  imagePrefix: string;
  kubeVirtVersion: string;
  images: ComponentImages;
  additionalProperties: Readonly<Record<string, string>>;
  passthroughEnv: Readonly<Record<string, string>>;
  /** The JSON text of the deployment config, byte for byte as upstream's. */
  json: string;
}

/** What the environment contributes to a target deployment; read once by `config.ts` (spec/startup.md §2.1). */
export interface ReleaseEnvironment {
  /** `VIRT_OPERATOR_IMAGE`, else `OPERATOR_IMAGE`. */
  operatorImage: string;
  /** `KUBEVIRT_VERSION`, may be empty. */
  kubeVirtVersion: string;
  /** Component image variables, all but the operator's. */
  images: Omit<ComponentImages, 'virtOperatorImage'>;
  /** `KV_IO_EXTRA_ENV_*` without the prefix. */
  passthroughEnv: Readonly<Record<string, string>>;
  /** `RUNBOOK_URL_TEMPLATE`; must contain exactly one `%s`. */
  runbookUrlTemplate: string;
}

/**
 * All objects of one release for one configuration, in upstream's order. Deeply frozen: customize and apply work on copies.
 * The four CA ConfigMaps stand in it once.
 */
export interface InstallStrategy {
  readonly objects: readonly KubernetesObject[];
  /** Objects of one kind, in order. */
  ofKind(kind: KindName): readonly KubernetesObject[];
}

/** Everything that the objects of a strategy are generated from; nothing else is an input (spec/resources.md §2). */
export interface GenerateInput {
  target: TargetDeployment;
  operatorNamespace: string;
  /** Namespace where monitoring runs, as probed; empty: no monitoring objects. */
  monitorNamespace: string;
  /** Runbook URL with exactly one `%s`. */
  runbookUrlTemplate: string;
}
