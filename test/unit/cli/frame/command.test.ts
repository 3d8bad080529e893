import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { runCommand, type Command } from '../../../../src/cli/frame/command.ts';
import { EXIT, UsageError } from '../../../../src/cli/frame/exit.ts';
import { RedisAway } from '../../../../src/cli/frame/redis-away.ts';
import { ApiError, ConfigurationError } from '../../../../src/errors.ts';
import { MemoryIo } from '../io.ts';

const FLAGS = { word: { type: 'string', default: 'fine' } } as const;

function command(more: Partial<Command<typeof FLAGS>> = {}): Command<typeof FLAGS> {
  return {
    name: 'probe',
    synopsis: '[THING]',
    usage: 'Does nothing.',
    flags: FLAGS,
    run: ({ flags }) =>
      Promise.resolve({ text: (paint) => `${paint('good', flags.word)}\n`, json: { word: flags.word } }),
    ...more,
  };
}

async function run(args: string[], more: Partial<Command<typeof FLAGS>> = {}, io = new MemoryIo()) {
  const code = await runCommand(command(more), args, io);
  return { code, out: io.outText, err: io.errText };
}

const refused = (error: Error) => ({ run: () => Promise.reject(error) });

describe('runCommand', () => {
  test('text for people, without colours where it goes to no terminal', async () => {
    assert.deepEqual(await run([]), { code: EXIT.good, out: 'fine\n', err: '' });
  });

  test('colours on a terminal, and none where the user wants none', async () => {
    const onTerminal = (env: Record<string, string>) => Object.assign(new MemoryIo(), { isTerminal: true, env });
    assert.equal((await run([], {}, onTerminal({}))).out, '\u001b[32mfine\u001b[39m\n');
    assert.equal((await run([], {}, onTerminal({ NO_COLOR: '1' }))).out, 'fine\n');
    assert.equal((await run([], {}, onTerminal({ TERM: 'dumb' }))).out, 'fine\n');
  });

  test('JSON for programs', async () => {
    assert.equal((await run(['-o', 'json', '--word', 'x'])).out, '{\n  "word": "x"\n}\n');
  });

  test('an answer may be a no', async () => {
    const no = () => Promise.resolve({ text: () => 'no\n', json: false, exit: EXIT.no });
    assert.deepEqual(await run([], { run: no }), { code: 3, out: 'no\n', err: '' });
  });

  test('help lists the flags and the exit codes', async () => {
    const { code, out } = await run(['--help']);
    assert.equal(code, 0);
    assert.match(out, /^usage: virt-operator probe \[THING\] \[flags\]\n\nDoes nothing\.\n/);
    assert.match(out, /--kubeconfig FILE/);
    assert.match(out, /3 if the answer is no/);
  });

  test('a command that looks at no cluster has no flags for one', async () => {
    for (const reach of ['machine', 'nothing'] as const) {
      const { out } = await run(['--help'], { reach });
      assert.doesNotMatch(out, /kubeconfig|namespace/);
      assert.equal(out.includes('--timeout'), reach === 'machine');
      assert.equal((await run(['--kubeconfig', 'x'], { reach })).code, EXIT.usage);
    }
  });

  test('YAML where a command has it', async () => {
    const formats = ['yaml', 'json'] as const;
    assert.equal((await run([], { formats })).out, 'fine\n');
    assert.equal((await run(['-o', 'yaml'], { formats })).out, 'fine\n');
    assert.match((await run(['-o', 'json'], { formats })).out, /"word"/);
    assert.match((await run(['-o', 'text'], { formats })).err, /-o takes yaml or json, not "text"/);
    assert.match(
      (await run(['--help'], { formats })).out,
      /--output FORMAT {2}yaml, for kubectl; json, for programs \(default: yaml\)\n/,
    );
  });

  test('a flag may mean something else to a command, and its help says so', async () => {
    const { out } = await run(['--help'], { namespace: 'where the thing is' });
    assert.match(out, /-n, --namespace NS {3}where the thing is\n/);
  });

  const failures = [
    {
      name: 'an unknown flag',
      args: ['--nope'],
      more: {},
      code: 2,
      want: /^probe: Unknown option '--nope'; "virt-operator probe --help" lists the flags\n$/,
    },
    { name: 'a positional', args: ['now'], more: {}, code: 2, want: /now/ },
    {
      name: 'an unknown format',
      args: ['-o', 'yaml'],
      more: {},
      code: 2,
      want: /-o takes text or json, not "yaml"/,
    },
    {
      name: 'no time',
      args: ['--timeout', 'soon'],
      more: {},
      code: 2,
      want: /--timeout takes a number of seconds, not "soon"/,
    },
    {
      name: 'unusable input',
      args: [],
      more: refused(new UsageError('no such file')),
      code: 2,
      want: /^probe: no such file\n$/,
    },
    { name: 'no credentials', args: [], more: refused(new ConfigurationError('none')), code: 2, want: /none/ },
    {
      name: 'a failure',
      args: [],
      more: refused(new Error('a', { cause: new Error('b') })),
      code: 1,
      want: /^probe: a: b\n$/,
    },
    {
      name: 'a missing right',
      args: [],
      more: refused(new Error('reading', { cause: new ApiError('may not', { status: 403, reason: 'Forbidden' }) })),
      code: 1,
      want: /may not\nThe kubeconfig's user lacks a right/,
    },
    {
      name: 'an API server that is away',
      args: [],
      more: refused(new Error('reading', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) })),
      code: 1,
      want: /^probe: reading: refused\nIs the cluster up, and is this its kubeconfig\?/,
    },
    {
      name: 'a Redis that is away',
      args: [],
      more: refused(
        new RedisAway('no passes', { cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }),
      ),
      code: 1,
      want: /^probe: no passes: refused\n$/,
    },
    {
      name: 'a server whose certificate nobody vouches for',
      args: [],
      more: refused(Object.assign(new Error('unable'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })),
      code: 1,
      want: /^probe: unable\nNo authority that the kubeconfig trusts has signed/,
    },
    {
      name: 'a value that begins with a dash',
      args: ['--timeout', '-1'],
      more: {},
      code: 2,
      want: /^probe: [^\n]*--timeout[^\n]* ambiguous; "virt-operator probe --help" lists the flags\n$/,
    },
    {
      name: 'an unknown user',
      args: [],
      more: refused(new ApiError('who?', { status: 401, reason: 'Unauthorized' })),
      code: 1,
      want: /who\?\n.*log in again/,
    },
  ];
  for (const { name, args, more, code, want } of failures) {
    test(`fails: ${name}`, async () => {
      const ran = await run(args, more);
      assert.deepEqual([ran.code, ran.out], [code, '']);
      assert.match(ran.err, want);
    });
  }

  test('a failure is JSON too for who wants JSON, whatever it is', async () => {
    for (const args of [
      ['-o', 'json', '--nope'],
      ['--output=json', '--timeout', 'soon'],
      ['-ojson', 'now'],
      ['-o', 'json'],
    ]) {
      const { out, err, code } = await run(args, refused(new Error('no answer')));
      const { error } = JSON.parse(out) as { error: string };
      assert.equal(err, `probe: ${error}\n`);
      assert.ok(code > 0);
    }
    assert.equal((await run(['-o', 'xml'])).out, '');
  });

  test('gives up in time, and says how to allow more', async () => {
    const wait: Command<typeof FLAGS>['run'] = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(signal.reason as Error);
        });
      });
    const { code, err } = await run(['--timeout', '0.05'], { run: wait });
    assert.equal(code, EXIT.failed);
    assert.match(err, /gave up after 0\.05 seconds; --timeout allows more/);
  });

  test('a command may have a grace for telling what has become of it until the time was over', async () => {
    const wait: Command<typeof FLAGS>['run'] = async ({ signal, timeout }) => {
      await new Promise((resolve) => {
        timeout.addEventListener('abort', resolve);
      });
      return { text: () => `${signal.aborted ? 'too late' : 'in time'}\n`, json: null, exit: EXIT.no };
    };
    const { code, out } = await run(['--timeout', '0.01'], { run: wait, graceSeconds: 60 });
    assert.deepEqual([code, out], [EXIT.no, 'in time\n']);
  });

  test('without a kubeconfig and outside of a pod, the ways out are told', async () => {
    const connect: Command<typeof FLAGS>['run'] = async (session) => {
      await session.connect();
      throw new Error('connected');
    };
    const io = Object.assign(new MemoryIo(), { env: { HOME: '/nowhere' } });
    const { code, err } = await run([], { run: connect }, io);
    assert.equal(code, EXIT.usage);
    assert.match(err, /there is no cluster to look at.*--kubeconfig FILE.*"sandbox up"/);
  });

  test('a context without a kubeconfig is a mistake', async () => {
    const connect: Command<typeof FLAGS>['run'] = async (session) => {
      await session.connect();
      throw new Error('connected');
    };
    const io = Object.assign(new MemoryIo(), { env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } });
    const { code, err } = await run(['--context', 'x'], { run: connect }, io);
    assert.equal(code, EXIT.usage);
    assert.match(err, /--context names a context of a kubeconfig, and there is none/);
  });
});
