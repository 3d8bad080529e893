import type { KubeVirt } from '../api/kubevirt.ts';
import type { KubernetesObject } from '../api/objects.ts';
import { customizeStrategy } from '../customize/customize.ts';
import { COMPILED_RELEASE } from '../exchange/strategy-source.ts';
import type { PassContext } from '../plan/types.ts';
import { generateStrategy } from '../strategy/generate.ts';
import { decideTarget } from '../strategy/target.ts';
import type { ReleaseEnvironment } from '../strategy/types.ts';
import { decideRelease } from './cluster/release.ts';
import { openScene, requireKubeVirt } from './cluster/scene.ts';
import { buildContext } from './cluster/strategy.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import type { ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';
import { readChartDefaults } from './images/chart-images.ts';
import { listImages, readDigests, type ImageFacts, type ImageLine } from './images/image-list.ts';
import { readKubeVirtFile } from './kubevirt-file.ts';
import type { Paint } from './text/paint.ts';
import { renderTable } from './text/table.ts';

const FLAGS = { cr: { type: 'string' } } as const;

/** The command `images`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'images',
  synopsis: '[--cr FILE]',
  usage: `Lists every image that an installation needs, the operator's own and Redis included, with the digests that the nodes report.
  --cr FILE            of the installation that this KubeVirt object would make, without a cluster; the release is that of VIRT_OPERATOR_IMAGE and
                       KUBEVIRT_VERSION, else the one that this program was built for; the operator's own images are the chart's defaults`,
  flags: FLAGS,
  run: images,
};

/** Lists the images of an installation; exit codes as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

type ImagesSession = Session<typeof FLAGS>;

async function images(session: ImagesSession): Promise<Answer> {
  const { cr } = session.flags;
  const lines = listImages(cr === undefined ? await readLive(session) : await readFromFile(cr, session));
  return { text: (paint) => renderImages(lines, paint), json: lines };
}

/** Label of everything that the chart installs. */
const CHART_LABEL = { key: 'app.kubernetes.io/name', value: 'virt-operator' };

async function readLive({ common, io, signal, tell, connect }: ImagesSession): Promise<ImageFacts> {
  const scene = await openScene({ connection: await connect(), namespace: common.namespace, env: io.env, signal });
  const kubeVirt = requireKubeVirt(scene, common.namespace);
  const context = await buildContext(scene, kubeVirt, io.now());
  if (context === undefined) {
    throw new Error(
      'the install strategy of this release is not stored in the cluster, so its images are not known; wait for the operator',
    );
  }
  const { client, operatorNamespace } = scene;
  const [deployments, pods] = await Promise.all([
    client.list('Deployment', { namespace: operatorNamespace }),
    client.list('Pod', { namespace: operatorNamespace }),
  ]);
  const operator = deployments.filter(isOfChart);
  if (operator.length === 0) tell("the operator runs outside of the cluster; its own images are the chart's defaults");
  return {
    context,
    operator: operator.length === 0 ? await readOperatorDefaults(tell) : operator,
    digests: readDigests(pods),
  };
}

function isOfChart({ metadata }: KubernetesObject): boolean {
  const { labels = {} } = metadata;
  return labels[CHART_LABEL.key] === CHART_LABEL.value || labels['kubevirt.io'] === 'virt-operator';
}

async function readFromFile(file: string, { io, tell }: ImagesSession): Promise<ImageFacts> {
  const warn = (sentence: string): void => {
    tell(`warning: ${sentence}`);
  };
  const kubeVirt = await readKubeVirtFile(file, { read: io.read, warn });
  const { environment } = decideRelease({ env: io.env, deployments: [], kubeVirt: undefined });
  const target = decideTarget(kubeVirt, environment);
  if (target.kubeVirtVersion !== COMPILED_RELEASE) {
    warn(
      `the images are those of ${COMPILED_RELEASE} under the tag ${target.kubeVirtVersion}: other releases may need others`,
    );
  }
  const operator = await readOperatorDefaults(tell);
  return { context: buildOffline(kubeVirt, environment, io.now()), operator, digests: new Map() };
}

/** What the chart brings with it when nothing is set. */
async function readOperatorDefaults(tell: (sentence: string) => void): Promise<KubernetesObject[]> {
  const defaults = await readChartDefaults();
  if (defaults === undefined) {
    tell("warning: the operator's own image and that of Redis are not among them: there is no chart here");
  }
  return defaults ?? [];
}

/** APIs that a cluster has or has not do not matter: no image hangs on them. */
const NO_FEATURES = {
  openshift: false,
  serviceMonitor: false,
  prometheusRule: false,
  validatingAdmissionPolicy: false,
  validatingAdmissionPolicyBinding: false,
};

/** An installation that is not there yet. */
function buildOffline(kubeVirt: KubeVirt, environment: ReleaseEnvironment, now: Date): PassContext {
  const target = decideTarget(kubeVirt, environment);
  const { namespace: operatorNamespace } = target;
  const { runbookUrlTemplate } = environment;
  const base = generateStrategy({ target, operatorNamespace, monitorNamespace: '', runbookUrlTemplate });
  return {
    kubeVirt,
    target,
    strategy: customizeStrategy(base, kubeVirt.spec.customizeComponents).strategy,
    operatorNamespace,
    features: NO_FEATURES,
    schedulableNodes: 0,
    world: { get: () => undefined, list: () => [] },
    generations: [],
    now,
  };
}

/** Images for people. */
export function renderImages(lines: readonly ImageLine[], paint: Paint): string {
  const rows = lines.map(({ image, digest, when, usedBy }) => [
    image,
    digest ?? paint('dim', 'unknown'),
    when,
    usedBy.join(', '),
  ]);
  return renderTable(['image', 'digest', 'needed', 'by'], rows, paint);
}
