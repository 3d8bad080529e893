/** Names of packages that are missing in node_modules or have another version than package-lock.json says; empty when all is well. */
export function listStale(root: string): string[];
/** Runs `npm ci` when something is missing or stale, with the npm that runs us. Throws a SetupError. */
export function ensureDependencies(root: string, env: NodeJS.ProcessEnv): void;
/** Makes sure that node_modules/.bin/node is the right one, with the install script of the package `node` when npm has not run it. Throws a SetupError. */
export function ensureNode(root: string, env: NodeJS.ProcessEnv): void;
