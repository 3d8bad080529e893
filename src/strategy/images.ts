import type { ComponentImages, TargetDeployment } from './types.ts';

/** What one component image is called in the environment and in registries. */
export interface ImageFacts {
  field: keyof ComponentImages;
  /** Environment variable that overrides the reference. */
  variable: string;
  /** Repository name behind registry and prefix. */
  repository: string;
}

const image = (field: keyof ComponentImages, variable: string, repository: string): ImageFacts => ({
  field,
  variable,
  repository,
});

/** All images of a release, in the order in which they enter the deployment ID (spec/startup.md §2.1, §2.7). */
export const IMAGES: readonly ImageFacts[] = [
  image('virtOperatorImage', 'VIRT_OPERATOR_IMAGE', 'virt-operator'),
  image('virtApiImage', 'VIRT_API_IMAGE', 'virt-api'),
  image('virtControllerImage', 'VIRT_CONTROLLER_IMAGE', 'virt-controller'),
  image('virtHandlerImage', 'VIRT_HANDLER_IMAGE', 'virt-handler'),
  image('virtLauncherImage', 'VIRT_LAUNCHER_IMAGE', 'virt-launcher'),
  image('virtExportProxyImage', 'VIRT_EXPORTPROXY_IMAGE', 'virt-exportproxy'),
  image('virtExportServerImage', 'VIRT_EXPORTSERVER_IMAGE', 'virt-exportserver'),
  image(
    'virtSynchronizationControllerImage',
    'VIRT_SYNCHRONIZATIONCONTROLLER_IMAGE',
    'virt-synchronization-controller',
  ),
  image('virtTemplateApiserverImage', 'VIRT_TEMPLATE_APISERVER_IMAGE', 'virt-template-apiserver'),
  image('virtTemplateControllerImage', 'VIRT_TEMPLATE_CONTROLLER_IMAGE', 'virt-template-controller'),
  image('gsImage', 'GS_IMAGE', 'libguestfs-tools'),
  image('prHelperImage', 'PR_HELPER_IMAGE', 'pr-helper'),
  image('sidecarShimImage', 'SIDECAR_SHIM_IMAGE', 'sidecar-shim'),
];

/** The parts of an operator image reference. */
export interface OperatorImage {
  registry: string;
  /** What stands between the last slash and `virt-operator`. */
  prefix: string;
  /** A tag with its colon, a digest with its at sign, or nothing. */
  suffix: string;
}

/**
 * Splits an operator image; undefined when the reference has no slash or does not name `virt-operator`.
 * The registry reaches to the last slash that leaves `…virt-operator` behind it (spec/startup.md §2.2).
 */
export function parseOperatorImage(reference: string): OperatorImage | undefined {
  const match = /^(.*)\/(.*)virt-operator([@:].*)?$/.exec(reference);
  if (match === null) return undefined;
  const [, registry = '', prefix = '', suffix = ''] = match;
  return { registry, prefix, suffix };
}

/** The reference a component runs with: the one of the environment, else registry, prefix, repository and version (spec/resources.md §2.2). */
export function componentImage(target: TargetDeployment, field: keyof ComponentImages): string {
  const override = target.images[field];
  if (override !== '') return override;
  const repository = IMAGES.find((row) => row.field === field)?.repository ?? field;
  // Versions of rendered manifests may be Go templates that bring their own separator.
  const separator = target.kubeVirtVersion.startsWith('{{if') ? '' : ':';
  return `${target.registry}/${target.imagePrefix}${repository}${separator}${target.kubeVirtVersion}`;
}
