#!/usr/bin/env node
'use strict';
// What the npm scripts run first: `bootstrap.cjs [redis] [control-plane] [helm]`. Always: the dependencies and the right Node; then the parts named.
// Plain CommonJS for Node 18 and later, since it runs before anything is installed. Quick when everything is there.
const { ensureControlPlane, ensureHelm } = require('./sandbox/setup/control-plane.cjs');
const { ensureDependencies, ensureNode } = require('./sandbox/setup/dependencies.cjs');
const { ensureRedis } = require('./sandbox/setup/redis.cjs');
const { SetupError } = require('./sandbox/setup/setup-error.cjs');

const PARTS = { redis: ensureRedis, 'control-plane': ensureControlPlane, helm: ensureHelm };

async function main(names) {
  ensureDependencies(__dirname, process.env);
  ensureNode(__dirname, process.env);
  for (const name of names) {
    const ensure = PARTS[name];
    if (ensure === undefined) throw new SetupError(`unknown part "${name}"; one of: ${Object.keys(PARTS).join(', ')}`);
    await ensure(process.env);
  }
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(error instanceof SetupError ? `\n${error.message}\n\n` : `${error.stack}\n`);
  process.exitCode = 1;
});
