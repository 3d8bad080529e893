/**
 * Who may import whom. Data moves one way: watch → queue → worker: (observe → plan → apply → status).
 * A folder may import itself, and what its row names; everything else is an error.
 */
const MAY_IMPORT = {
  'src/api': ['src/strategy/schema'],
  'src/log.ts': ['src/api', 'src/errors.ts'],
  'src/errors.ts': ['src/api'],
  'src/trace': ['src/log.ts', 'src/errors.ts'],
  'src/tracing-environment.ts': ['src/errors.ts'],
  'src/release-environment.ts': ['src/strategy', 'src/errors.ts'],
  'src/config.ts': [
    'src/errors.ts',
    'src/release-environment.ts',
    'src/strategy/types.ts',
    'src/tracing-environment.ts',
  ],
  'src/transport': ['src/api', 'src/log.ts', 'src/errors.ts', 'src/trace/trace.ts'],
  'src/strategy': ['src/api', 'src/plan/types.ts', 'src/errors.ts'],
  'src/customize': ['src/api', 'src/strategy', 'src/errors.ts'],
  'src/exchange': ['src/api', 'src/strategy', 'src/customize', 'src/errors.ts'],
  'src/plan': ['src/api', 'src/strategy', 'src/customize', 'src/errors.ts'],
  'src/watch': ['src/api', 'src/log.ts', 'src/errors.ts'],
  'src/queue': ['src/api', 'src/log.ts', 'src/errors.ts'],
  'src/observe': ['src/api', 'src/plan/types.ts', 'src/strategy/types.ts', 'src/log.ts', 'src/errors.ts'],
  'src/apply': ['src/api', 'src/plan/types.ts', 'src/log.ts', 'src/errors.ts', 'src/trace/trace.ts'],
  'src/status': ['src/api', 'src/plan/types.ts', 'src/apply', 'src/log.ts', 'src/errors.ts'],
  'src/worker': [
    'src/api',
    'src/log.ts',
    'src/errors.ts',
    'src/observe',
    'src/strategy',
    'src/customize',
    'src/exchange',
    'src/plan',
    'src/apply',
    'src/status',
    'src/queue',
    'src/trace/trace.ts',
  ],
  'src/dashboard': ['src/api', 'src/log.ts', 'src/errors.ts', 'src/queue'],
  'src/cli': [
    'src/api',
    'src/log.ts',
    'src/errors.ts',
    'src/config.ts',
    'src/release-environment.ts',
    'functions/kubevirt-schema.ts',
    'src/observe',
    'src/strategy',
    'src/customize',
    'src/exchange',
    'src/plan',
    'src/apply',
    'src/transport',
    // A plan is a rehearsal of the operator's own pass over a copy of what its watches would show: a second copy of either would drift from it.
    'src/worker/outcome.ts',
    'src/worker/pass.ts',
    'src/worker/reconcile.ts',
    'src/worker/situation.ts',
    'src/worker/strategy-loader.ts',
    'src/watch/features.ts',
    'src/watch/table.ts',
    'src/watch/watch.ts',
    // The history of passes is all that a command reads from Redis.
    'src/queue/connection.ts',
    'src/queue/pass-log.ts',
  ],
  functions: [
    'src/api',
    'src/log.ts',
    'src/errors.ts',
    'src/strategy',
    'src/customize',
    'src/plan',
    'src/queue',
    'src/trace/trace.ts',
  ],
};

// Beside main, the role files build and join the parts of a process: they may import everything but main.

const escape = (path) => path.replace(/[.]/g, '\\.');
const pattern = (path) => `^${escape(path)}${path.endsWith('.ts') ? '$' : '/'}`;

module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment:
        'Types count as well: two files that take types from each other lack a third that both may take them from.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'nobody-imports-main', severity: 'error', from: {}, to: { path: '^src/main\\.ts$' } },
    {
      name: 'api-takes-only-types-of-schemas',
      comment:
        'The types of KubeVirt objects come from the schemas of their CRDs; nothing of strategy is loaded with src/api.',
      severity: 'error',
      from: { path: '^src/api/' },
      to: { path: '^src/strategy/schema/', dependencyTypesNot: ['type-only'] },
    },
    ...Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
      name: `${folder}-imports`,
      severity: 'error',
      from: { path: pattern(folder) },
      to: { path: '^(src|functions|sandbox|bench|test)/', pathNot: [folder, ...allowed].map(pattern) },
    })),
    {
      name: 'pure-folders-have-no-io',
      severity: 'error',
      from: { path: '^src/(strategy|customize|exchange|plan)/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|zlib)$' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
