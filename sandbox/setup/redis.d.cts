/** How Redis can be had: one that runs, a program, or a Docker image. */
export type RedisWay = { way: 'url'; url: string } | { way: 'server' } | { way: 'docker'; image: string };
/** Finds a way, and installs the Debian package when that is the first one that works. Throws a SetupError that names all ways. */
export function ensureRedis(env: NodeJS.ProcessEnv): RedisWay;
