import { isDeepStrictEqual } from 'node:util';
import type { KubeVirt, KubeVirtConfiguration } from '../../src/api/kubevirt.ts';
import { isGateEnabled } from '../../src/api/feature-gates.ts';
import { findCertificateObjections } from '../../src/plan/certificate-objections.ts';
import { hasTooManyMarks } from '../marks.ts';
import type { Violation } from '../verdict.ts';
import { CIPHERS } from '../tls/ciphers.table.ts';
import { parseGoFloat } from './go-float.ts';

/** What a rule of validate-update decides from. */
export interface Update {
  old: KubeVirt;
  new: KubeVirt;
}

/** One check; returns a violation for each thing it finds. */
export type Rule = (update: Update) => Violation[];

type Reason = Violation['reason'];
const violation = (reason: Reason, message: string, field?: string): Violation =>
  field === undefined ? { reason, message } : { reason, field, message };
const invalid = (message: string, field?: string) => violation('FieldValueInvalid', message, field);
const unsupported = (message: string, field?: string) => violation('FieldValueNotSupported', message, field);

const CONFIGURATION = 'spec.configuration';
const configurationOf = (kubeVirt: KubeVirt): KubeVirtConfiguration => kubeVirt.spec.configuration ?? {};

/** A value without empty lists and undefined fields: an absent and an empty list count as equal, an empty object is more than none. */
function normalise(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(normalise);
  if (value === null || typeof value !== 'object') return value ?? undefined;
  const entries = Object.entries(value).map(([key, field]) => [key, normalise(field)] as const);
  const kept = entries.filter(([, field]) => field !== undefined);
  return Object.fromEntries(kept);
}

/** True when a part of the object differs in meaning between old and new. */
export function isChanged(update: Update, read: (kubeVirt: KubeVirt) => unknown): boolean {
  return !isDeepStrictEqual(normalise(read(update.old)), normalise(read(update.new)));
}

/** Longest piece of an object that a message quotes, in characters. */
const MAX_QUOTE = 200;
const quote = (text: string) => JSON.stringify(text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text);

const patchesAreJson: Rule = ({ new: { spec } }) =>
  (spec.customizeComponents?.patches ?? []).flatMap(({ patch }, index) => {
    const field = `spec.customizeComponents.patches[${index}].patch`;
    if (hasTooManyMarks(Buffer.from(patch)))
      return [unsupported('the patch has more parts than the operator reads', field)];
    try {
      JSON.parse(patch);
      return [];
    } catch {
      return [unsupported(`the patch ${quote(patch)} is not valid JSON`, field)];
    }
  });

const certificatesFit: Rule = (update) =>
  findCertificateObjections(update.new.spec).map(({ kind, field, message }) =>
    kind === 'conflict' ? unsupported(message, field) : invalid(message, field),
  );

const overheadRatioIsSane: Rule = ({ new: kubeVirt }) => {
  const ratio = configurationOf(kubeVirt).additionalGuestMemoryOverheadRatio;
  if (typeof ratio !== 'string' || ratio === '') return [];
  const field = `${CONFIGURATION}.additionalGuestMemoryOverheadRatio`;
  const value = parseGoFloat(ratio);
  if (!Number.isFinite(value)) return [unsupported(`the ratio ${quote(ratio)} cannot be parsed into float`, field)];
  return value < 1 ? [unsupported(`the ratio ${quote(ratio)} cannot be smaller than 1.0`, field)] : [];
};

const templateNeedsItsGate: Rule = ({ new: kubeVirt }) => {
  const configuration = configurationOf(kubeVirt);
  const refused = configuration.virtTemplateDeployment?.enabled === true && !isGateEnabled('Template', configuration);
  const field = `${CONFIGURATION}.virtTemplateDeployment.enabled`;
  return refused ? [invalid('virt-template cannot be deployed without enabling the Template feature gate', field)] : [];
};

const manualRolesNeedTheirGate: Rule = ({ new: kubeVirt }) => {
  const configuration = configurationOf(kubeVirt);
  const strategy = configuration.roleAggregationStrategy ?? '';
  const refused =
    strategy !== '' && strategy !== 'AggregateToDefault' && !isGateEnabled('OptOutRoleAggregation', configuration);
  const field = `${CONFIGURATION}.roleAggregationStrategy`;
  return refused
    ? [invalid('roleAggregationStrategy cannot be set to Manual without the feature gate OptOutRoleAggregation', field)]
    : [];
};

const downtimeNeedsItsGate: Rule = (update) => {
  const read = (kubeVirt: KubeVirt) => configurationOf(kubeVirt).migrations?.maxDowntimeMs;
  const wanted = read(update.new);
  if (wanted === undefined || !isChanged(update, read)) return [];
  if (isGateEnabled('MigrationStallDetection', configurationOf(update.new))) return [];
  return [
    invalid(
      'maxDowntimeMs cannot be modified without the feature gate MigrationStallDetection',
      `${CONFIGURATION}.migrations.maxDowntimeMs`,
    ),
  ];
};

const tlsSettingsFit: Rule = (update) => {
  const read = (kubeVirt: KubeVirt) => configurationOf(kubeVirt).tlsConfiguration;
  const tls = read(update.new);
  if (tls === undefined || !isChanged(update, read)) return [];
  const field = `${CONFIGURATION}.tlsConfiguration.ciphers`;
  const ciphers = tls.ciphers ?? [];
  const version = tls.minTLSVersion ?? '';
  if (version === '' || version === 'VersionTLS13') {
    return ciphers.length > 0
      ? [unsupported('you cannot specify ciphers when TLS 1.3 is the minimum version or none is given', field)]
      : [];
  }
  return ciphers.flatMap((name, index) =>
    Object.hasOwn(CIPHERS, name) ? [] : [unsupported(`${quote(name)} is not a valid cipher`, `${field}#${index}`)],
  );
};

const seccompProfileIsComplete: Rule = (update) => {
  interface Profile {
    customProfile?: { localhostProfile?: string | null; runtimeDefaultProfile?: boolean } | null;
  }
  const read = (kubeVirt: KubeVirt) =>
    (configurationOf(kubeVirt).seccompConfiguration as { virtualMachineInstanceProfile?: Profile } | undefined)
      ?.virtualMachineInstanceProfile;
  const profile = read(update.new);
  if (profile === undefined || !isChanged(update, read)) return [];
  const field = `${CONFIGURATION}.seccompConfiguration.virtualMachineInstanceProfile.customProfile`;
  const custom = profile.customProfile;
  if (custom === undefined || custom === null) return [invalid('customProfile needs to be set', field)];
  if (typeof custom.localhostProfile !== 'string' || custom.runtimeDefaultProfile !== true) return [];
  return [
    invalid('localhostProfile cannot be set when runtimeDefaultProfile is set', `${field}.localhostProfile`),
    invalid('runtimeDefaultProfile cannot be set when localhostProfile is set', `${field}.runtimeDefaultProfile`),
  ];
};

const replicasArePositive: Rule = ({ new: kubeVirt }) =>
  kubeVirt.spec.infra?.replicas === 0 ? [invalid("infra replica count can't be 0", 'spec.infra.replicas')] : [];

/** Upstream's type of the field holds one byte; its decoder refuses the object as a whole (spec/webhooks.md §4.1). */
const MAX_REPLICAS = 255;

const replicasFitTheirType: Rule = ({ new: { spec } }) =>
  (['infra', 'workloads'] as const).flatMap((part) => {
    const replicas = spec[part]?.replicas ?? 0;
    const isInRange = Number.isInteger(replicas) && replicas >= 0 && replicas <= MAX_REPLICAS;
    return isInRange ? [] : [invalid(`replicas must be a number from 0 to ${MAX_REPLICAS}`, `spec.${part}.replicas`)];
  });

/** True when the gates differ as upstream sees it: the order counts, and taking the developer configuration away does not (spec/webhooks.md §4.3). */
export function areGatesChanged(update: Update): boolean {
  const before = configurationOf(update.old).developerConfiguration;
  const after = configurationOf(update.new).developerConfiguration;
  if (after === undefined) return false;
  if (before === undefined) return true;
  const gates = (developer: typeof after) => [developer.featureGates ?? [], developer.disabledFeatureGates ?? []];
  return !isDeepStrictEqual(gates(before), gates(after));
}

const gatesAreNotContradictory: Rule = (update) => {
  if (!areGatesChanged(update)) return [];
  const developer = configurationOf(update.new).developerConfiguration;
  const disabled = new Set(developer?.disabledFeatureGates);
  const both = (developer?.featureGates ?? []).filter((gate) => disabled.has(gate));
  const field = `${CONFIGURATION}.developerConfiguration.featureGates`;
  return both.map((gate) =>
    violation(
      'FieldValueForbidden',
      `the feature gate ${gate} exists on both featureGates and disabledFeatureGates`,
      field,
    ),
  );
};

/** The checks before the placement dry runs, in upstream's order: what its decoder refuses, then 1 to 12 of spec/webhooks.md §4.3. */
export const RULES_BEFORE_PLACEMENT: readonly Rule[] = [
  replicasFitTheirType,
  patchesAreJson,
  certificatesFit,
  overheadRatioIsSane,
  templateNeedsItsGate,
  manualRolesNeedTheirGate,
  downtimeNeedsItsGate,
  tlsSettingsFit,
];

/** The checks after the placement dry runs: 15 to 18 of spec/webhooks.md §4.3. */
export const RULES_AFTER_PLACEMENT: readonly Rule[] = [
  seccompProfileIsComplete,
  replicasArePositive,
  gatesAreNotContradictory,
];
