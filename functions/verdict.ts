/** One violated rule, as it stands in `status.details.causes` (spec/webhooks.md §2). */
export interface Violation {
  reason: 'FieldValueInvalid' | 'FieldValueNotSupported' | 'FieldValueForbidden';
  /** Path of the field in the KubeVirt object; absent where no single field is at fault. */
  field?: string;
  message: string;
}

/** The answer of a validation: one of four shapes (spec/webhooks.md §2). */
export type Verdict =
  | { kind: 'allowed'; warnings?: string[] }
  | { kind: 'refused'; message: string }
  | { kind: 'schema'; problems: string[] }
  | { kind: 'violations'; violations: Violation[]; warnings?: string[] };

/** At most this many causes stand in a schema rejection; the message tells how many more there are (spec/webhooks.md §2). */
const MAX_SCHEMA_CAUSES = 10;
/** Violations beyond this many are counted. Upstream lists all of them; nobody reads so many, and a caller could ask for any number. */
const MAX_VIOLATIONS = 500;
/** Longest text about one fault, in characters: what it quotes may come from anybody and be as long as a whole review. */
const MAX_TEXT = 1024;
/** Warnings beyond this many are counted: API servers pass on 4 kB of them. */
const MAX_WARNINGS = 64;

interface Cause {
  reason?: string;
  field?: string;
  message: string;
}

const INVALID = { reason: 'Invalid', code: 422 };

/** What is left of a text that somebody else has written. */
export const cutText = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);

function boundWarnings(warnings: readonly string[]): { warnings?: string[] } {
  if (warnings.length === 0) return {};
  const rest = warnings.length - MAX_WARNINGS;
  const shown = warnings.slice(0, MAX_WARNINGS).map(cutText);
  return { warnings: rest > 0 ? [...shown, `and ${rest} more warnings`] : shown };
}

function describeCauses(all: readonly Cause[], most: number): Record<string, unknown> {
  const causes = all.slice(0, most).map((cause) => ({ ...cause, message: cutText(cause.message) }));
  const rest = all.length - causes.length;
  const message = causes.map((cause) => cause.message).join(', ');
  return {
    metadata: {},
    message: `${message}${rest > 0 ? `, and ${rest} more` : ''}`,
    ...INVALID,
    details: { causes },
  };
}

/** Builds the `response` of a review from a verdict. */
export function buildResponse(uid: string, verdict: Verdict): Record<string, unknown> {
  const warned = 'warnings' in verdict ? boundWarnings(verdict.warnings) : {};
  switch (verdict.kind) {
    case 'allowed':
      return { uid, allowed: true, ...warned };
    case 'refused':
      return { uid, allowed: false, status: { metadata: {}, message: cutText(verdict.message), code: 400 } };
    case 'schema':
      return {
        uid,
        allowed: false,
        status: describeCauses(
          verdict.problems.map((message) => ({ message })),
          MAX_SCHEMA_CAUSES,
        ),
      };
    case 'violations':
      return { uid, allowed: false, status: describeCauses(verdict.violations, MAX_VIOLATIONS), ...warned };
  }
}
