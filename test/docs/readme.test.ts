/** Every command of the README is run by a test: here stands by which, and a command that is not known here fails. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { parseOptions } from '../../sandbox/start/options.ts';
import { noHelm, renderText } from '../chart/render.ts';
import { listCode, listCommands, readDocument, ROOT } from './documents.ts';
import { commandsOf } from './walk.ts';

const text = readDocument('README.md');
const { scripts } = JSON.parse(readDocument('package.json')) as { scripts: Record<string, string> };

/** Files that run the commands of a section one by one, and fail for one that they do not know. */
const WALKS: Record<string, string> = {
  'Try it': 'test/docs/readme-start.test.ts',
  'Try the chart': 'test/docs/readme-chart.test.ts',
};

/** How each other command is tested. */
const ELSEWHERE: Record<string, (t: TestContext) => void> = {
  'docker buildx build --platform linux/amd64,linux/arm64 --tag registry.example.com/virt-operator:0.1.0 --push .':
    () => {
      // Carried out without an engine, instruction by instruction; the platforms by platforms.test.ts.
      assert.match(readDocument('test/build/image.test.ts'), /buildImage\(\)/);
      assert.ok(existsSync(join(ROOT, 'Dockerfile')));
    },
  'helm install virt-operator charts/virt-operator --namespace kubevirt --create-namespace --set image.registry=registry.example.com --set kubevirt.enabled=true':
    (t) => {
      // The same without the registry is run by the walk.
      if (noHelm !== false) {
        t.skip(noHelm);
        return;
      }
      const rendered = renderText({ 'image.registry': 'registry.example.com', 'kubevirt.enabled': true });
      assert.match(rendered, /image: "registry\.example\.com\/virt-operator:0\.1\.0"/);
    },
  'docker compose up --build': () => {
    assert.match(readDocument('test/build/compose.test.ts'), /'is understood by Compose'/);
  },
  'npm start': () => {
    assert.match(scripts['start'] ?? '', /node bootstrap\.cjs && .*sandbox\/start\.ts$/);
  },
  // It cannot run itself: what it is made of is looked at.
  'npm test': () => {
    assert.match(scripts['test'] ?? '', /node bootstrap\.cjs redis control-plane helm && .*test\/run\.ts$/);
    const [, folders = ''] = /FOLDERS = \[([^\]]*)\]/.exec(readDocument('test/run.ts')) ?? [];
    const run = [...folders.matchAll(/'(\w+)'/g)].map(([, folder = '']) => folder);
    const there = new Set(globSync('test/*/**/*.test.ts', { cwd: ROOT }).map((file) => file.split('/')[1] ?? ''));
    assert.deepEqual([...there].toSorted(), [...run, 'long'].toSorted());
  },
  'npm run test:long': () => {
    assert.equal(scripts['test:long'], `${scripts['test'] ?? ''} --long`);
  },
  'npm run check': () => {
    const parts = (scripts['check'] ?? '').split(' && ').map((part) => part.replace('npm run ', ''));
    assert.ok(parts.length >= 6);
    for (const part of parts) assert.ok(part in scripts, part);
  },
  // Run, for its quickest part, by test/long/docs/bench.test.ts.
  'npm run bench': () => {
    assert.ok(existsSync(join(ROOT, 'test/long/docs/bench.test.ts')));
  },
  'npm run bench -- --only install,reaction': () => {
    const known = [...readDocument('bench/run.ts').matchAll(/\{ name: '(\w+)', measure/g)].map(([, name]) => name);
    for (const name of ['install', 'reaction']) assert.ok(known.includes(name), name);
  },
  'npm run --silent sandbox:bin': () => {
    const [, file = ''] = /(sandbox\/[\w-]+\.ts)$/.exec(scripts['sandbox:bin'] ?? '') ?? [];
    assert.match(readFileSync(join(ROOT, file), 'utf8'), /findControlPlane/);
  },
};

/** Commands in the prose and in tables. */
const inline = listCode(text).filter((code) => /^(npm|npx|node|docker|helm|kubectl|git|go) \S/.test(code));

describe('README', () => {
  test('has no command that no test knows', () => {
    const walked = Object.keys(WALKS).flatMap(commandsOf);
    const starts = inline.filter((code) => code.startsWith('npm start -- '));
    // A tool is named, or a command of a walk without its arguments.
    const named = inline.filter((code) => walked.some((command) => command.startsWith(`${code} `)));
    const known = new Set([...walked, ...starts, ...named, ...Object.keys(ELSEWHERE)]);
    assert.deepEqual(
      [...listCommands(text), ...inline].filter((command) => !known.has(command)),
      [],
    );
  });

  test('has every command of the list', () => {
    const there = [...listCommands(text), ...inline];
    assert.deepEqual(
      Object.keys(ELSEWHERE).filter((command) => !there.includes(command)),
      [],
    );
  });

  for (const [heading, file] of Object.entries(WALKS)) {
    test(`"${heading}" is walked by ${file}`, () => {
      assert.ok(commandsOf(heading).length > 8);
      assert.match(readDocument(file), new RegExp(`commandsOf\\('${heading}'\\)`));
    });
  }

  for (const [command, check] of Object.entries(ELSEWHERE)) test(command, check);

  test('options of npm start are understood', () => {
    const starts = inline.filter((code) => code.startsWith('npm start -- '));
    assert.ok(starts.length >= 4);
    for (const code of starts) {
      const args = code
        .replace('npm start -- ', '')
        .replace('--port N --dashboard-port N', '--port 1 --dashboard-port 2')
        .split(' ');
      assert.ok(parseOptions(args) !== undefined, code);
    }
  });

  test('names every command of the program in its table', () => {
    const [, table = ''] = /^## Commands\n([^]*?)(?=^## )/m.exec(text) ?? [];
    const commands = globSync('src/cli/*.ts', { cwd: ROOT }).flatMap((file) => {
      const [, name = ''] = /\bname: '([a-z ]+)'/.exec(readDocument(file)) ?? [];
      return name === '' ? [] : [name];
    });
    assert.ok(commands.length >= 9, commands.join());
    // Steps of the chart, and what developers and npm scripts run.
    const behind = ['setup', 'remove', 'crd'];
    assert.deepEqual(
      commands.filter((name) => !behind.includes(name) && !table.includes(`\`${name}`)),
      [],
    );
  });
});
