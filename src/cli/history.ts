import { createClient, type ApiClient } from '../apply/client.ts';
import { errorText } from '../errors.ts';
import type { PassRecord } from '../queue/pass-log.ts';
import { decideNamespace, readKubeVirts } from './cluster/kubevirts.ts';
import { runCommand, type Answer, type Command, type Session } from './frame/command.ts';
import { UsageError, type ExitCode } from './frame/exit.ts';
import type { CommandIo } from './frame/io.ts';
import { buildHistory, type HistoryEntry } from './history/history-report.ts';
import { readPasses } from './history/read-passes.ts';
import { describeTime } from './text/duration.ts';
import type { Paint } from './text/paint.ts';
import { renderTable } from './text/table.ts';

const FLAGS = {
  'redis-url': { type: 'string' },
  limit: { type: 'string', default: '30' },
} as const;

/** The command `history`. */
export const COMMAND: Command<typeof FLAGS> = {
  name: 'history',
  synopsis: '',
  usage: `Shows what the operator did lately, oldest first: its Events and, if Redis can be reached, its passes with cause, duration, writes and errors.
  --redis-url URL      the operator's Redis (default: REDIS_URL; the password may stand in REDIS_PASSWORD); without it only Events are shown
  --limit N            how many entries (30)`,
  flags: FLAGS,
  run: history,
};

/** Tells what the operator did lately; exit codes as docs/cli.md says. */
export function run(args: string[], io?: CommandIo): Promise<ExitCode> {
  return runCommand(COMMAND, args, io);
}

type HistorySession = Session<typeof FLAGS>;

async function history(session: HistorySession): Promise<Answer> {
  const { flags, common, io, signal, connect } = session;
  const limit = Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw new UsageError(`--limit takes a number of entries, not "${flags.limit}"`);
  const client = createClient(await connect(), { signal });
  const namespace = decideNamespace((await readKubeVirts(client)) ?? [], common.namespace);
  const [events, passes] = await Promise.all([client.list('Event', { namespace }), readAll(session, client, limit)]);
  const entries = buildHistory(passes, events, limit);
  return { text: (paint) => renderHistory(entries, io.now().getTime(), paint), json: entries };
}

function readRedisUrl(text = ''): string | undefined {
  if (text === '') return undefined;
  if (['redis:', 'rediss:'].includes(URL.parse(text)?.protocol ?? '')) return text;
  // Not quoted: the text may hold a password.
  throw new UsageError('--redis-url or REDIS_URL is no address of the form redis://host:port or rediss://host:port');
}

/** The passes, as far as Redis tells them; that it does not is a failure only when the user has named it. */
async function readAll({ flags, io, tell }: HistorySession, client: ApiClient, limit: number): Promise<PassRecord[]> {
  const url = readRedisUrl(flags['redis-url'] ?? io.env['REDIS_URL']);
  if (url === undefined) {
    tell('without --redis-url and REDIS_URL only Events are shown');
    return [];
  }
  const { metadata } = await client.get({ kind: 'Namespace', name: 'kube-system' });
  try {
    return await readPasses({ url, password: io.env['REDIS_PASSWORD'] }, metadata.uid ?? '', limit);
  } catch (error) {
    if (flags['redis-url'] !== undefined) throw error;
    tell(`${errorText(error)}; only Events are shown`);
    return [];
  }
}

/** Entries for people, as seen at `now`. */
export function renderHistory(entries: readonly HistoryEntry[], now: number, paint: Paint): string {
  if (entries.length === 0) return 'nothing is on record here\n';
  const rows = entries.map(({ at, what, isBad, about, text }) => [
    describeTime(at, now),
    isBad ? paint('bad', what) : what,
    about,
    text,
  ]);
  return renderTable(['when', 'what', 'about', ''], rows, paint);
}
