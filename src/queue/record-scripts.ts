/**
 * Defines `raise(kind, version)`: the version of the kind becomes `version` if that is higher. Versions are decimal numbers without a length limit
 * (a Lua number would lose digits), so a longer one is higher, and of two equally long ones the one that sorts later.
 * The hash is forgotten when nothing was raised for its time to live: after a restore of etcd numbers begin below what it holds, and no cache
 * would ever reach them.
 * Needs KEYS[1] the hash of versions and ARGV[1] its time to live in milliseconds.
 */
const RAISE = `
local function raise(kind, version)
  local known = redis.call('HGET', KEYS[1], kind)
  if not known or #known < #version or (#known == #version and known < version) then
    redis.call('HSET', KEYS[1], kind, version)
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
end
`;

/**
 * Records why a key is about to be queued, before it is queued: whoever runs the key from now on sees it.
 * KEYS[1] hash of versions, KEYS[2] list of causes, KEYS[3] count of dropped causes.
 * ARGV[1] time to live of versions, ARGV[2] most causes to keep; then, for each cause, its JSON, its kind and its version (both empty when there is
 * nothing to raise).
 */
export const RECORD_CAUSES = `${RAISE}
for i = 3, #ARGV, 3 do
  if ARGV[i + 2] ~= '' then raise(ARGV[i + 1], ARGV[i + 2]) end
  redis.call('RPUSH', KEYS[2], ARGV[i])
end
local over = redis.call('LLEN', KEYS[2]) - tonumber(ARGV[2])
if over > 0 then
  redis.call('LTRIM', KEYS[2], over, -1)
  redis.call('INCRBY', KEYS[3], over)
end
return 1
`;

/**
 * Records a write of our own.
 * KEYS[1] hash of versions, KEYS[2] sorted set of own writes.
 * ARGV[1] time to live of versions, ARGV[2] kind, ARGV[3] version, ARGV[4] name of the write, ARGV[5] now in milliseconds, ARGV[6] most writes to keep.
 */
export const RECORD_WRITE = `${RAISE}
raise(ARGV[2], ARGV[3])
redis.call('ZADD', KEYS[2], ARGV[5], ARGV[4])
redis.call('ZREMRANGEBYRANK', KEYS[2], 0, -1 - tonumber(ARGV[6]))
return 1
`;
