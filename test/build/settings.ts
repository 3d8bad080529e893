import { ROLES, readConfig, type Config, type Role } from '../../src/config.ts';

/** What a container is told. */
export interface Told {
  role: Role;
  /** Arguments after the role. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
}

/** Variables of Node itself. */
const OF_NODE = /^NODE_/;
/** Variables that are handed on to KubeVirt's components, whatever their names. */
const HANDED_ON = /^KV_IO_EXTRA_ENV_./;

/** Reads the configuration as the process would. Throws as it would; also returns the variables that it asked for. */
export function readTold({ role, args, env }: Told): { config: Config; asked: Set<string> } {
  const asked = new Set<string>();
  const watched = new Proxy(env, {
    get: (target, name) => {
      if (typeof name === 'string') asked.add(name);
      return Reflect.get(target, name) as unknown;
    },
    // Whoever lists all variables looks for those that are handed on.
    ownKeys: (target) => Reflect.ownKeys(target).filter((name) => HANDED_ON.test(String(name))),
  });
  const config = readConfig({ role, args, env: watched, readNamespaceFile: () => undefined, hostname: 'container' });
  return { config, asked };
}

/** Variables of a container that its role does not read. */
export function listUnread(told: Told): string[] {
  const { asked } = readTold(told);
  return Object.keys(told.env).filter((name) => !asked.has(name) && !OF_NODE.test(name) && !HANDED_ON.test(name));
}

/** The role that the first argument of a container names; undefined for a command. */
export function roleOf([first = '']: readonly string[]): Role | undefined {
  return ROLES.find((role) => role === first);
}

/** Every variable that some role reads, in some setting. */
export function listReadable(): Set<string> {
  const release = { VIRT_OPERATOR_IMAGE: 'registry.example.com/virt-operator:v1', TARGET_DEPLOYMENT_CONFIG: '{}' };
  const settings = [
    { REDIS_URL: 'redis://redis.example.com', ...release },
    { REDIS_SENTINELS: 'a:1', REDIS_SENTINEL_MASTER: 'm', ...release },
  ];
  return new Set(settings.flatMap((env) => ROLES.flatMap((role) => [...readTold({ role, args: [], env }).asked])));
}
