import { ConfigurationError } from './errors.ts';
import { IMAGES, type ImageField } from './strategy/images.table.ts';
import type { ReleaseEnvironment } from './strategy/types.ts';

/** Runbook addresses of alerts when the environment names none (spec/startup.md §2.1). */
const DEFAULT_RUNBOOK_URL_TEMPLATE = 'https://kubevirt.io/monitoring/runbooks/%s';

/** Variables with this prefix are handed on to the components, without it (spec/startup.md §2.3). */
const PASSTHROUGH_PREFIX = 'KV_IO_EXTRA_ENV_';

/**
 * Reads what the environment says about the release to install (spec/startup.md §2.1).
 * Throws ConfigurationError when the operator image is missing or the runbook template is unusable.
 */
export function readReleaseEnvironment(env: Readonly<Record<string, string | undefined>>): ReleaseEnvironment {
  const operatorImage = [env['VIRT_OPERATOR_IMAGE'], env['OPERATOR_IMAGE']].find((value) => (value ?? '') !== '');
  if (operatorImage === undefined) {
    throw new ConfigurationError(
      'VIRT_OPERATOR_IMAGE is not set; set it to the virt-operator image of the KubeVirt release to install, ' +
        'for example quay.io/kubevirt/virt-operator:v1.9.0',
    );
  }
  return {
    operatorImage,
    kubeVirtVersion: env['KUBEVIRT_VERSION'] ?? '',
    images: readImages(env),
    passthroughEnv: readPassthrough(env),
    runbookUrlTemplate: readRunbookTemplate(env['RUNBOOK_URL_TEMPLATE']),
  };
}

function readImages(env: Readonly<Record<string, string | undefined>>): ReleaseEnvironment['images'] {
  const entries = IMAGES.filter(({ field }) => field !== 'virtOperatorImage').map(
    ({ field, variable }): [ImageField, string] => [field, env[variable] ?? ''],
  );
  return Object.fromEntries(entries) as unknown as ReleaseEnvironment['images'];
}

/** A value is cut at its first equals sign, as upstream cuts it: the deployment ID depends on it. */
function readPassthrough(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(env)
    .filter(([name]) => name.startsWith(PASSTHROUGH_PREFIX) && name !== PASSTHROUGH_PREFIX)
    .map(([name, value = '']): [string, string] => [name.slice(PASSTHROUGH_PREFIX.length), value.split('=')[0] ?? '']);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function readRunbookTemplate(template: string | undefined): string {
  if (template === undefined || template === '') return DEFAULT_RUNBOOK_URL_TEMPLATE;
  if (template.split('%s').length !== 2) {
    throw new ConfigurationError(
      `RUNBOOK_URL_TEMPLATE must contain %s exactly once, where the alert's name goes; it is "${template}"`,
    );
  }
  return template;
}
