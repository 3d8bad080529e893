import type { KubeVirt } from '../api/kubevirt.ts';
import type { TargetDeployment } from '../strategy/types.ts';

/**
 * In which order workloads change: `update` lets virt-handler go first, so that no new controller talks to an old node; `install` lets virt-api go
 * first, and serves first installs, rollbacks and changes of the configuration alike (spec/apply.md §1).
 */
export type Path = 'install' | 'update';

/** The path from what was observed last to the target. Versions that are not semantic ones cannot be compared and take the way of an update. */
export function decidePath(kubeVirt: KubeVirt, target: TargetDeployment): Path {
  const observed = kubeVirt.status?.observedKubeVirtVersion ?? '';
  if (observed === '') return 'install';
  const order = compareVersions(target.kubeVirtVersion, observed);
  return order !== undefined && order <= 0 ? 'install' : 'update';
}

interface Version {
  numbers: readonly number[];
  prerelease: readonly string[];
}

const SEMVER =
  /^v?(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z.-]+)?$/;

function parseVersion(text: string): Version | undefined {
  const match = SEMVER.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, prerelease] = match;
  return { numbers: [major, minor, patch].map(Number), prerelease: prerelease?.split('.') ?? [] };
}

/** Order of two versions by semver 2.0: negative, zero or positive; undefined when one of them is none. */
export function compareVersions(a: string, b: string): number | undefined {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left === undefined || right === undefined) return undefined;
  const byNumber = left.numbers.map((number, i) => number - (right.numbers[i] ?? 0)).find((order) => order !== 0);
  return byNumber ?? comparePrereleases(left.prerelease, right.prerelease);
}

/** A release comes after its pre-releases. */
function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  const length = Math.max(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compareIdentifiers(a[i], b[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareIdentifiers(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1;
  const [numberA, numberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (numberA && numberB) return Number(a) - Number(b);
  if (numberA !== numberB) return numberA ? -1 : 1;
  return a < b ? -1 : Number(a > b);
}

/** Whether an update leaves out a minor release, which KubeVirt does not support (spec/field-reports.md B24). */
export function skipsMinor(observed: string, target: string): boolean {
  const [from, to] = [parseVersion(observed), parseVersion(target)];
  if (from === undefined || to === undefined) return false;
  const [fromMajor = 0, fromMinor = 0] = from.numbers;
  const [toMajor = 0, toMinor = 0] = to.numbers;
  return fromMajor === toMajor && toMinor > fromMinor + 1;
}
