// @ts-check
/** Words for what the operator tells. Pure: no document, no clock. */

/** @typedef {import('../../queue/situation.ts').Situation} Situation */
/** @typedef {import('../../queue/situation.ts').ComponentState} ComponentState */
/** @typedef {import('../../queue/situation.ts').CertificateState} CertificateState */
/** @typedef {import('../../queue/progress.ts').Progress} Progress */
/** @typedef {import('../../api/causes.ts').Cause} Cause */
/** @typedef {import('../overview.ts').ShownPass} ShownPass */
/** @typedef {'good' | 'busy' | 'bad' | 'idle'} Tone How a state feels; always shown together with its words. */
/** @typedef {{ tone: Tone, text: string }} Verdict */

const UNITS = /** @type {const} */ ([
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]);

/**
 * A duration in at most two units, for example `6 d 23 h`, `4.2 s`, `350 ms`.
 * @param {number} ms
 */
export function durationText(ms) {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  const first = UNITS.findIndex(([, size]) => ms >= size);
  const [unit, size] = UNITS[first] ?? UNITS[3];
  const next = UNITS[first + 1];
  const count = Math.floor(ms / size);
  const rest = next === undefined ? 0 : Math.floor((ms - count * size) / next[1]);
  return next === undefined || rest === 0 ? `${count} ${unit}` : `${count} ${unit} ${rest} ${next[0]}`;
}

/**
 * How far a moment is from now, in whole seconds.
 * @param {number} at
 * @param {number} now
 */
export function distanceText(at, now) {
  const ms = at - now;
  if (Math.abs(ms) < 1000) return 'now';
  const text = wholeText(Math.abs(ms));
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

/**
 * A duration in whole seconds.
 * @param {number} ms
 */
export function wholeText(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1000);
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}

/** @param {Situation | undefined} situation @param {string} type */
const conditionOf = (situation, type) => situation?.conditions.find((each) => each.type === type);

/** Phases that a removal has. */
const REMOVING = ['Deleting', 'Deleted'];

/**
 * The progress that belongs to a situation: what is shown of a removal is the situation alone.
 * @param {Situation} situation
 * @param {Progress | null | undefined} progress
 */
export function progressOf(situation, progress) {
  if (progress?.key !== situation.key || REMOVING.includes(situation.phase)) return undefined;
  return progress;
}

/**
 * Where an installation stands, in a word or two.
 * @param {Situation} situation
 * @param {Progress | undefined} progress
 * @returns {Verdict}
 */
export function phaseVerdict(situation, progress) {
  const phase = progress?.phase || situation.phase;
  if (phase === 'Deleted') return { tone: 'idle', text: 'Removed' };
  const isFailing = failureOf(situation) !== undefined;
  if (phase === 'Deleting') return { tone: isFailing ? 'bad' : 'busy', text: 'Being removed' };
  if (isFailing) return { tone: 'bad', text: 'Failing' };
  if (isUpdating(situation)) return { tone: 'busy', text: 'Updating' };
  return phase === 'Deployed' ? deployedVerdict(situation) : { tone: 'busy', text: phase || 'Waiting' };
}

/** @param {Situation} situation */
function isUpdating(situation) {
  return conditionOf(situation, 'Progressing')?.reason === 'UpdateInProgress';
}

/**
 * @param {Situation} situation
 * @returns {Verdict}
 */
function deployedVerdict(situation) {
  const isAvailable = conditionOf(situation, 'Available')?.status === 'True';
  return isAvailable ? { tone: 'good', text: 'Deployed' } : { tone: 'busy', text: 'Deployed, not yet available' };
}

/** The reasons that name a failure (spec/reconcile.md §2.3). */
const FAILURES = ['DeploymentFailed', 'DeletionFailed', 'ExistingDeployment'];

/**
 * The sentence that says why an installation fails; undefined when it does not.
 * @param {Situation} situation
 */
export function failureOf(situation) {
  return situation.conditions.find(({ reason }) => FAILURES.includes(reason))?.message;
}

/** Conditions that are good when they are not true. */
const BAD_WHEN_TRUE = ['Progressing', 'Degraded'];

/**
 * @param {{ type: string, status: string }} condition
 * @returns {Verdict}
 */
export function conditionVerdict({ type, status }) {
  if (status !== 'True' && status !== 'False') return { tone: 'idle', text: 'unknown' };
  const text = status === 'True' ? 'yes' : 'no';
  const isGood = (status === 'True') !== BAD_WHEN_TRUE.includes(type);
  if (isGood) return { tone: 'good', text };
  return { tone: type === 'Degraded' ? 'bad' : 'busy', text };
}

/** @type {Record<ComponentState['state'], Verdict>} */
const COMPONENT = {
  missing: { tone: 'idle', text: 'not created yet' },
  outdated: { tone: 'busy', text: 'waits for its turn' },
  rolling: { tone: 'busy', text: 'rolling out' },
  ready: { tone: 'good', text: 'ready' },
  removing: { tone: 'busy', text: 'being removed' },
};

/**
 * @param {ComponentState} component
 * @returns {Verdict}
 */
export function componentVerdict({ state, crashing }) {
  if (crashing === 0 || state === 'removing') return COMPONENT[state];
  return { tone: 'bad', text: `${COMPONENT[state].text}, ${plural(crashing, 'pod crashes', 'pods crash')}` };
}

/**
 * @param {CertificateState} certificate
 * @param {number} now
 * @returns {Verdict}
 */
export function certificateVerdict({ notBefore, notAfter, renewsAt }, now) {
  if (now >= notAfter) return { tone: 'bad', text: 'expired' };
  if (now < notBefore) return { tone: 'bad', text: 'not valid yet' };
  if (renewsAt !== undefined && now >= renewsAt) return { tone: 'busy', text: 'renewal is due' };
  return { tone: 'good', text: 'valid' };
}

/** @type {Record<ShownPass['outcome'], Verdict>} */
const OUTCOME = {
  done: { tone: 'good', text: 'done' },
  later: { tone: 'busy', text: 'to be continued' },
  retry: { tone: 'bad', text: 'failed, will be retried' },
  never: { tone: 'bad', text: 'failed, needs a change' },
  aborted: { tone: 'idle', text: 'handed over' },
};

/**
 * @param {ShownPass} pass
 * @returns {Verdict}
 */
export function outcomeVerdict({ outcome }) {
  return OUTCOME[outcome] ?? { tone: 'idle', text: outcome };
}

/** @type {Record<Cause['type'], string>} */
const CAUSE = {
  added: 'created',
  modified: 'changed',
  deleted: 'deleted',
  resync: 'periodic check',
  timer: 'scheduled check',
  retry: 'retry',
  recovered: 'recovery',
  requested: 'request',
};

/** The causes that tell what has become of one object. @type {readonly Cause['type'][]} */
const CHANGES = ['added', 'modified', 'deleted'];

/**
 * One cause as a sentence, for example `Deployment virt-api changed`.
 * @param {Cause} cause
 */
export function causeText({ type, kind, name, note }) {
  // The note of a retry begins with the word and its number.
  if (type === 'retry' && note) return note;
  const what = CAUSE[type] ?? type;
  const text = CHANGES.includes(type) && kind !== undefined ? `${kind} ${name ?? ''} ${what}`.replace('  ', ' ') : what;
  if (note === undefined || note === '') return text;
  return note.startsWith('and ') ? `${text} ${note}` : `${text}: ${note}`;
}

/**
 * The causes of a pass in few words: the first one, and how many more there are.
 * @param {Pick<ShownPass, 'causes' | 'causesTotal'>} pass
 */
export function causesText({ causes, causesTotal }) {
  const [first] = causes;
  if (first === undefined) return '–';
  return causesTotal > 1 ? `${causeText(first)} and ${causesTotal - 1} more` : causeText(first);
}
