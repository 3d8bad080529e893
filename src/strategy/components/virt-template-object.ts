import type { ObjectMeta } from '../../api/objects.ts';
import { APP_LABEL } from './names.ts';

/** The release of virt-template that KubeVirt 1.9.0 carries (spec/resources.md §7.9). */
export const VIRT_TEMPLATE_VERSION = 'v0.2.2';
/** API group of templates and template requests. */
export const TEMPLATE_GROUP = 'template.kubevirt.io';
/** Value of the name label of everything that belongs to virt-template. */
const TEMPLATE_APP = 'virt-template';
/** Service accounts of the two Deployments. */
export const TEMPLATE_ACCOUNTS = {
  api: 'virt-template-apiserver',
  controller: 'virt-template-controller-manager',
} as const;
/** Services of the two Deployments. */
export const TEMPLATE_SERVICES = {
  api: 'virt-template-api-service',
  metrics: 'virt-template-controller-manager-metrics-service',
  webhook: 'virt-template-webhook-service',
} as const;

const NAME_LABEL = 'app.kubernetes.io/name';

/** Tells by which labels the pods of the API server and of the controller are found. */
export function podSelector(controlPlane: 'apiserver' | 'controller-manager'): Record<string, string> {
  return { [NAME_LABEL]: TEMPLATE_APP, 'control-plane': controlPlane };
}

/** Annotation that every object and pod of virt-template carries. */
export function versionAnnotation(): Record<string, string> {
  return { 'template.kubevirt.io/virt-template-version': VIRT_TEMPLATE_VERSION };
}

/** What differs from the usual metadata of a virt-template object. */
export interface TemplateMeta {
  namespace?: string;
  /** Value of the app label; default: the object's name. */
  app?: string;
  labels?: Record<string, string>;
}

/** Metadata of a virt-template object. */
export function templateMeta(name: string, { namespace, app = name, labels }: TemplateMeta = {}): ObjectMeta {
  return { ...bareMeta(name, namespace), labels: { ...labels, [NAME_LABEL]: TEMPLATE_APP, [APP_LABEL]: app } };
}

/** Metadata of the few virt-template objects that have no labels. */
export function bareMeta(name: string, namespace?: string): ObjectMeta {
  return { name, ...(namespace !== undefined && { namespace }), annotations: versionAnnotation() };
}
