import { parseArgs } from 'node:util';

/** What `npm start` was asked for. */
export interface StartOptions {
  /** Cluster to use instead of a sandbox. */
  kubeconfig: string | undefined;
  openshift: boolean;
  monitoring: boolean;
  /** Port of metrics and probes. */
  port: number;
  dashboardPort: number;
  /** Number of fake nodes. */
  nodes: number;
  /** The control plane alone: no Redis, no operator. */
  bare: boolean;
  /** File that says, as long as everything is up, where it is. */
  state: string | undefined;
}

/** What `--help` prints. */
export const USAGE = `npm start -- [options]

Starts a Kubernetes control plane with fake nodes, Redis and the operator, installs KubeVirt and stays until Ctrl-C.
  --kubeconfig FILE      use this cluster instead of a control plane of its own
  --nodes N              fake nodes, 1 to 1000 (3)
  --openshift            with the APIs of OpenShift that the operator uses
  --monitoring           with the APIs of the Prometheus operator, and a namespace monitoring
  --bare                 the control plane alone, without Redis, operator and KubeVirt
  --state FILE           write a file that says where everything is, for as long as it is up
  --port PORT            metrics and probes (8186)
  --dashboard-port PORT  dashboard (8189)
`;

/** The command line cannot be understood; the message says why. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** Reads the arguments; undefined means that help was asked for. Throws UsageError. */
export function parseOptions(args: readonly string[]): StartOptions | undefined {
  const values = parseFlags(args);
  if (values.help) return undefined;
  const options = {
    kubeconfig: values.kubeconfig,
    openshift: values.openshift,
    monitoring: values.monitoring,
    port: parseNumber('port', values.port, 65_535),
    dashboardPort: parseNumber('dashboard-port', values['dashboard-port'], 65_535),
    nodes: parseNumber('nodes', values.nodes ?? '3', 1000),
    bare: values.bare,
    state: values.state,
  };
  if (options.port === options.dashboardPort) throw new UsageError('--port and --dashboard-port must differ');
  if (options.kubeconfig !== undefined && (values.nodes !== undefined || values.bare)) {
    throw new UsageError('--nodes and --bare are for the control plane of its own and do not go with --kubeconfig');
  }
  return options;
}

function parseFlags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        kubeconfig: { type: 'string' },
        nodes: { type: 'string' },
        openshift: { type: 'boolean', default: false },
        monitoring: { type: 'boolean', default: false },
        bare: { type: 'boolean', default: false },
        state: { type: 'string' },
        port: { type: 'string', default: '8186' },
        'dashboard-port': { type: 'string', default: '8189' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function parseNumber(flag: string, text: string, maximum: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= maximum) return number;
  throw new UsageError(`--${flag} must be a number from 1 to ${maximum}, not "${text}"`);
}
