import { objectKey } from '../api/objects.ts';
import { createClient } from '../apply/client.ts';
import { ConfigurationError } from '../errors.ts';
import { findMonitorNamespace } from '../observe/monitor-namespace.ts';
import { buildStrategyConfigMap } from '../exchange/config-map.ts';
import { generateStrategy } from '../strategy/generate.ts';
import { monitorAccountOf, monitorNamespaceCandidates } from '../strategy/target-properties.ts';
import { parseTarget } from '../exchange/deployment-config.ts';
import type { TargetDeployment } from '../strategy/types.ts';
import { openConnection } from './cluster.ts';
import { startParts, type RoleContext, type StartRole } from './role.ts';

/** Completed by the API server: a second run must not fail on the ConfigMap of the first one. */
const NAME_PREFIX = 'kubevirt-install-strategy-';

/**
 * Writes the install strategy of the deployment config in `TARGET_DEPLOYMENT_CONFIG` into a ConfigMap and ends (spec/strategy.md §1, spec/startup.md §3): what
 * a Job of either operator runs.
 */
export const start: StartRole = (context) =>
  startParts(context, async (closers) => {
    const target = readTarget(context);
    const connection = await openConnection(context.config, context.log);
    closers.add('connection to the API server', () => {
      connection.close();
    });
    const client = createClient(connection, { signal: context.signal });
    const search = { candidates: monitorNamespaceCandidates(target), account: monitorAccountOf(target) };
    const monitorNamespace = await findMonitorNamespace(search, (wanted) => client.find(wanted));
    if (monitorNamespace === '')
      context.log.warn(search, 'no monitoring found: the strategy has no monitoring objects');
    const { operatorNamespace, release } = context.config;
    const runbookUrlTemplate = release?.runbookUrlTemplate ?? '';
    const strategy = generateStrategy({ target, operatorNamespace, monitorNamespace, runbookUrlTemplate });
    const configMap = buildStrategyConfigMap(target, strategy);
    const { namespace, labels = {}, annotations = {} } = configMap.metadata;
    const metadata = {
      generateName: NAME_PREFIX,
      ...(namespace === undefined ? {} : { namespace }),
      labels,
      annotations,
    };
    const written = await client.create('ConfigMap', { ...configMap, metadata });
    context.log.info(
      `the install strategy is in ConfigMap ${objectKey(written.metadata.name ?? '', written.metadata.namespace)}`,
    );
    return { ended: Promise.resolve() };
  });

function readTarget({ config }: RoleContext): TargetDeployment {
  try {
    const target = parseTarget(config.targetDeploymentConfig ?? '');
    if (target.namespace === '') throw new Error('there is no text at key "namespace"');
    return target;
  } catch (error) {
    throw new ConfigurationError('TARGET_DEPLOYMENT_CONFIG is not a deployment config', { cause: error });
  }
}
