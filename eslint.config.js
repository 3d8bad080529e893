import eslint from '@eslint/js';
import jsdoc from 'eslint-plugin-jsdoc';
import tseslint from 'typescript-eslint';

/** Numeric limits of the code base; tables of data are exempt from length. */
const limits = {
  complexity: ['error', 10],
  'max-depth': ['error', 3],
  'max-params': ['error', 4],
  'max-lines': ['error', { max: 400 }],
  'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
};

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'coverage/'] },
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, jsdoc.configs['flat/recommended-typescript-error']],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      ...limits,
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-console': 'error',
      'jsdoc/require-jsdoc': [
        'error',
        { publicOnly: true, contexts: ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration'] },
      ],
      'jsdoc/require-param': 'off',
      'jsdoc/require-returns': 'off',
      'jsdoc/require-throws-type': 'off',
      'jsdoc/require-yields': 'off',
      'jsdoc/tag-lines': 'off',
    },
  },
  {
    // Pure folders: no clock, no randomness, no process, no I/O.
    files: ['src/{strategy,customize,exchange,plan}/**/*.ts'],
    rules: {
      'no-restricted-globals': ['error', 'process', 'setTimeout', 'setInterval', 'fetch', 'performance'],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'time comes in as an argument' },
        { object: 'Math', property: 'random', message: 'randomness stays outside of strategy and plan' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: 'time comes in as an argument' },
      ],
    },
  },
  {
    // Tables of data: rules, schemas, sizes.
    files: ['src/strategy/schema/**/*.ts', 'src/strategy/rbac/**/*.ts', 'src/**/*.table.ts'],
    rules: { 'max-lines': 'off' },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 600 }],
      'max-lines-per-function': 'off',
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] },
          ],
        },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
      'jsdoc/require-jsdoc': 'off',
    },
  },
  {
    files: ['sandbox/**/*.ts', 'bench/**/*.ts', 'src/cli/**/*.ts', 'test/run.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // What runs in browsers: plain JavaScript, checked by tsconfig.public.json.
    files: ['src/dashboard/public/*.js', 'test/integration/dashboard/*.js'],
    rules: limits,
    languageOptions: {
      globals: {
        document: 'readonly',
        location: 'readonly',
        fetch: 'readonly',
        setInterval: 'readonly',
        scrollTo: 'readonly',
        getComputedStyle: 'readonly',
        MutationObserver: 'readonly',
        NodeFilter: 'readonly',
        EventSource: 'readonly',
        Node: 'readonly',
        HTMLElement: 'readonly',
        HTMLButtonElement: 'readonly',
        HTMLInputElement: 'readonly',
        HTMLProgressElement: 'readonly',
        HTMLTimeElement: 'readonly',
      },
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: {
        require: 'readonly',
        module: 'writable',
        process: 'readonly',
        console: 'readonly',
        __dirname: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
      },
    },
  },
);
