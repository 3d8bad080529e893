import type { Json } from '../../api/objects.ts';
import type { Paint } from '../text/paint.ts';
import { describeRef, type ObjectChange, type ObjectRef, type PlannedStep, type Restart } from './changes.ts';
import { isMetadataChange, isPodMetadataChange, type FieldChange } from './field-diff.ts';
import type { PlanReport, Remark } from './plan-report.ts';

/** How much is told. */
export interface TextOptions {
  /** Every object and every field; otherwise what is many is counted. */
  isFull: boolean;
}

/** Fields of one object that are told without `--full`. */
const FEW_FIELDS = 8;
/** Objects of one list that are told without `--full`. */
const FEW_OBJECTS = 40;
/** Writes of one step that are told one by one. */
const FEW_WRITES = 3;
/** Longest value that is told whole. */
const LONGEST_VALUE = 60;

/** A plan for people. */
export function renderPlan(report: PlanReport, options: TextOptions, paint: Paint): string {
  const parts = [
    renderHead(report, paint),
    report.remarks.map((remark) => `${renderRemark(remark, paint)}\n`).join(''),
    renderObjects('Create', '+', report.create, { ...options, paint }),
    renderChanges(report.change, options, paint),
    renderObjects('Delete', '-', report.delete, { ...options, paint }),
    renderObjects('For a while', '±', report.temporary, { ...options, paint }),
    renderRestarts(report.restart, paint),
    renderSteps(report.steps, paint),
    renderEnd(report, paint),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

const UNDERTAKINGS: Readonly<Record<string, string>> = {
  install: 'install',
  update: 'update',
  rollback: 'go back',
  reconfigure: 'reconfigure',
  steady: 'repair what differs',
  delete: 'remove',
};

function renderHead({ kubeVirt, undertaking, from, to, releaseSource }: PlanReport, paint: Paint): string {
  const what = UNDERTAKINGS[undertaking] ?? 'nothing';
  const way = from === null || from.version === to.version ? to.version : `${from.version} → ${to.version}`;
  return `${paint('strong', `${kubeVirt}: ${what}, ${way}`)} (registry ${to.registry}; release as in ${releaseSource})\n`;
}

/** One line with a sign: `✗` for what is in the way, `!` for what one should know. */
export function renderRemark({ level, text }: Remark, paint: Paint): string {
  return level === 'problem' ? `${paint('bad', '✗')} ${text}` : `${paint('warn', '!')} ${text}`;
}

function renderObjects(
  title: string,
  sign: string,
  refs: readonly ObjectRef[],
  { isFull, paint }: TextOptions & { paint: Paint },
): string {
  if (refs.length === 0) return '';
  const lines = isFull || refs.length <= FEW_OBJECTS ? refs.map(describeRef) : countKinds(refs);
  return `${paint('strong', `${title} ${refs.length}`)}\n${lines.map((line) => `  ${sign} ${line}\n`).join('')}`;
}

function countKinds(refs: readonly ObjectRef[]): string[] {
  const counts = new Map<string, number>();
  for (const { kind } of refs) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`);
}

function renderChanges(changes: readonly ObjectChange[], { isFull }: TextOptions, paint: Paint): string {
  if (changes.length === 0) return '';
  const isQuiet = ({ fields }: ObjectChange) => !isFull && fields.every(isMetadataChange);
  const told = changes.filter((change) => !isQuiet(change));
  const quiet = changes.filter(isQuiet);
  const rest =
    quiet.length === 0
      ? ''
      : `  ~ ${quiet.length} more, of which only labels and annotations change (--full shows them)\n`;
  const lines = told.map((change) => renderChange(change, isFull, paint)).join('');
  return `${paint('strong', `Change ${changes.length}`)}\n${lines}${rest}`;
}

/** An object with its fields. */
export function renderChange(change: ObjectChange, isFull: boolean, paint: Paint): string {
  const content = change.fields.filter((field) => !isMetadataChange(field) && !isPodMetadataChange(field));
  const fields = isFull || content.length === 0 ? change.fields : content;
  const shown = isFull ? fields : fields.slice(0, FEW_FIELDS);
  const more = fields.length - shown.length;
  const lines = shown.map((field) => `      ${renderField(field, isFull, paint)}\n`).join('');
  return `  ~ ${describeRef(change)}\n${lines}${more > 0 ? paint('dim', `      and ${more} more fields (--full)\n`) : ''}`;
}

function renderField({ path, from, to }: FieldChange, isFull: boolean, paint: Paint): string {
  if (from === undefined) return `${path}: ${paint('good', valueText(to, isFull))} (new)`;
  if (to === undefined) return `${path}: ${paint('bad', valueText(from, isFull))} (goes)`;
  return `${path}: ${paint('bad', valueText(from, isFull))} → ${paint('good', valueText(to, isFull))}`;
}

function valueText(value: Json | undefined, isFull: boolean): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.replaceAll('\n', '↵');
  return isFull || line.length <= LONGEST_VALUE ? line : `${line.slice(0, LONGEST_VALUE - 1)}…`;
}

function renderRestarts(restarts: readonly Restart[], paint: Paint): string {
  if (restarts.length === 0) return '';
  const lines = restarts.map((restart) => {
    const how = restart.kind === 'DaemonSet' ? ', one node first, then 10 % at a time' : '';
    return `  ↻ ${describeRef(restart)}: ${restart.pods} ${restart.pods === 1 ? 'pod' : 'pods'}${how}\n`;
  });
  return `${paint('strong', 'Pods that are replaced')}\n${lines.join('')}`;
}

function renderSteps(steps: readonly PlannedStep[], paint: Paint): string {
  if (steps.length === 0) return '';
  const lines = steps.map((step, index) => `${String(index + 1).padStart(3)}. ${renderStep(step, paint)}\n`);
  return `${paint('strong', 'In this order')}\n${lines.join('')}`;
}

function renderStep({ name, writes, awaits }: PlannedStep, paint: Paint): string {
  const isFew = writes.length <= FEW_WRITES;
  const done = isFew ? writes.map((write) => `${write.verb} ${describeRef(write)}`) : countVerbs(writes);
  const waits = awaits === undefined ? '' : paint('dim', `${done.length === 0 ? '' : 'then '}waits for ${awaits}`);
  return [`${name}:`, done.join(', '), waits].filter((part) => part !== '').join(' ');
}

function countVerbs(writes: PlannedStep['writes']): string[] {
  const counts = new Map<string, number>();
  for (const { verb } of writes) counts.set(verb, (counts.get(verb) ?? 0) + 1);
  return [...counts].map(([verb, count]) => `${verb} ${count} objects`);
}

function renderEnd({ steps, succeeds, create, change, delete: gone }: PlanReport, paint: Paint): string {
  if (!succeeds) return `${paint('bad', 'This would not end well: see ✗ above.')}\n`;
  if (steps.length === 0) return `${paint('good', 'Nothing to do: everything is as it should be.')}\n`;
  const counts = `${create.length} created, ${change.length} changed, ${gone.length} deleted`;
  return `${paint('good', `Ends Deployed: ${counts}.`)}\n`;
}
