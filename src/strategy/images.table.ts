/** What one component image is called: in deployment configs, in the environment where a variable overrides it, and in registries. */
interface ImageFacts {
  field: string;
  variable: string;
  /** Repository name behind registry and prefix. */
  repository: string;
}

/** All images of a release, in the order in which they enter the deployment ID (spec/startup.md §2.1, §2.6, §2.7). */
export const IMAGES = [
  { field: 'virtOperatorImage', variable: 'VIRT_OPERATOR_IMAGE', repository: 'virt-operator' },
  { field: 'virtApiImage', variable: 'VIRT_API_IMAGE', repository: 'virt-api' },
  { field: 'virtControllerImage', variable: 'VIRT_CONTROLLER_IMAGE', repository: 'virt-controller' },
  { field: 'virtHandlerImage', variable: 'VIRT_HANDLER_IMAGE', repository: 'virt-handler' },
  { field: 'virtLauncherImage', variable: 'VIRT_LAUNCHER_IMAGE', repository: 'virt-launcher' },
  { field: 'virtExportProxyImage', variable: 'VIRT_EXPORTPROXY_IMAGE', repository: 'virt-exportproxy' },
  { field: 'virtExportServerImage', variable: 'VIRT_EXPORTSERVER_IMAGE', repository: 'virt-exportserver' },
  {
    field: 'virtSynchronizationControllerImage',
    variable: 'VIRT_SYNCHRONIZATIONCONTROLLER_IMAGE',
    repository: 'virt-synchronization-controller',
  },
  {
    field: 'virtTemplateApiserverImage',
    variable: 'VIRT_TEMPLATE_APISERVER_IMAGE',
    repository: 'virt-template-apiserver',
  },
  {
    field: 'virtTemplateControllerImage',
    variable: 'VIRT_TEMPLATE_CONTROLLER_IMAGE',
    repository: 'virt-template-controller',
  },
  { field: 'GsImage', variable: 'GS_IMAGE', repository: 'libguestfs-tools' },
  { field: 'PrHelperImage', variable: 'PR_HELPER_IMAGE', repository: 'pr-helper' },
  { field: 'SidecarShimImage', variable: 'SIDECAR_SHIM_IMAGE', repository: 'sidecar-shim' },
] as const satisfies readonly ImageFacts[];

/** The key of an image in a deployment config. */
export type ImageField = (typeof IMAGES)[number]['field'];
