'use strict';
// A Redis on a bare machine (design.md decision 15): REDIS_URL, redis-server on the PATH, the Debian package, Docker. Never a fake.
const { spawnSync } = require('node:child_process');
const { existsSync, rmSync, writeFileSync } = require('node:fs');
const { findOnPath } = require('./locations.cjs');
const { SetupError } = require('./setup-error.cjs');

/** Image for machines that have Docker only. */
const IMAGE = 'redis:7';

/** While this file answers 101, Debian's package scripts start no service: a Redis on the usual port is not what we are asked for. */
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';

/**
 * How Redis can be had: `url`, `server` (redis-server is on the PATH) or `docker`. Installs the Debian package when that is the first way that works.
 * Throws a SetupError that names all ways.
 */
function ensureRedis(env) {
  if (env.REDIS_URL) return { way: 'url', url: env.REDIS_URL };
  if (findOnPath('redis-server', env) !== undefined) return { way: 'server' };
  const tried = installPackage(env);
  if (findOnPath('redis-server', env) !== undefined) return { way: 'server' };
  if (hasDocker(env)) return { way: 'docker', image: IMAGE };
  throw new SetupError(
    `Redis is missing${tried}: put redis-server on the PATH (Debian and Ubuntu: the package redis-server), start Docker, or set REDIS_URL to a running one.`,
  );
}

/** Tries the Debian package as root or with a sudo that asks nothing; returns what went wrong, for the error message. */
function installPackage(env) {
  if (findOnPath('apt-get', env) === undefined) return '';
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (asRoot.length > 0 && spawnSync('sudo', ['-n', 'true'], { env }).status !== 0)
    return ' and only root may install it';
  process.stderr.write('Redis: installing the Debian package redis-server\n');
  const apt = (...args) => {
    const [file, ...rest] = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-y', ...args];
    return spawnSync(file, rest, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  };
  const install = () => apt('install', '--no-install-recommends', 'redis-server');
  const allowServices = forbidServices(asRoot);
  try {
    let answer = install();
    // A fresh container has no package lists yet.
    if (answer.status !== 0 && apt('update').status === 0) answer = install();
    if (answer.status === 0) return '';
    return ` and apt-get could not install it (${lastLine(answer.stderr)})`;
  } finally {
    allowServices();
  }
}

/** Returns the function that undoes it. As root only; under sudo the service may start, on its usual port, and is not used. */
function forbidServices(asRoot) {
  if (asRoot.length > 0 || existsSync(SERVICE_POLICY)) return () => undefined;
  writeFileSync(SERVICE_POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(SERVICE_POLICY, { force: true });
}

function hasDocker(env) {
  if (findOnPath('docker', env) === undefined) return false;
  return spawnSync('docker', ['info'], { env, stdio: 'ignore', timeout: 5000 }).status === 0;
}

function lastLine(text) {
  return (text ?? '').trim().split('\n').pop();
}

module.exports = { ensureRedis };
