import { IMAGES, type ImageField } from './images.table.ts';
import type { TargetDeployment } from './types.ts';

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
export function componentImage(target: TargetDeployment, field: ImageField): string {
  const override = target.images[field];
  if (override !== '') return override;
  const repository = IMAGES.find((row) => row.field === field)?.repository ?? field;
  // Versions of rendered manifests may be Go templates that bring their own separator.
  const separator = target.kubeVirtVersion.startsWith('{{if') ? '' : ':';
  return `${target.registry}/${target.imagePrefix}${repository}${separator}${target.kubeVirtVersion}`;
}
