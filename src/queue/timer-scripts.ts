/**
 * Arms the wake-up of a key.
 * KEYS[1] sorted set of due times, KEYS[2] hash of reasons. ARGV[1] key, ARGV[2] due time in milliseconds, ARGV[3] reason as JSON,
 * ARGV[4] `earliest`: a wake-up that is due no later stays as it is; `replace`: whatever is armed gives way.
 * Returns {due time that holds now, due time that gave way or an empty string}.
 */
export const ARM = `
local current = redis.call('ZSCORE', KEYS[1], ARGV[1])
local at = tonumber(ARGV[2])
if current then
  local known = tonumber(current)
  if known == at or (ARGV[4] == 'earliest' and known < at) then
    return {string.format('%.0f', known), ''}
  end
end
redis.call('ZADD', KEYS[1], at, ARGV[1])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
return {string.format('%.0f', at), current and string.format('%.0f', tonumber(current)) or ''}
`;

/**
 * Takes the wake-up of a key away.
 * KEYS[1] sorted set of due times, KEYS[2] hash of reasons. ARGV[1] key. Returns the due time that was taken away, or an empty string.
 */
export const DISARM = `
local current = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not current then return '' end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return string.format('%.0f', tonumber(current))
`;

/**
 * Moves every wake-up that is due to those that are going off. From then on the key can be armed anew: a pass that is fast must not find its own
 * wake-up still armed, and must not lose the next one with it.
 * KEYS[1] sorted set of due times, KEYS[2] hash of reasons, KEYS[3] hash of wake-ups that are going off. ARGV[1] now in milliseconds.
 * Returns all that are going off, also those that a killed process has left: key, reason, key, reason …
 */
export const CLAIM = `
for _, key in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])) do
  redis.call('HSET', KEYS[3], key, redis.call('HGET', KEYS[2], key) or '{"type":"timer","reason":"unknown"}')
  redis.call('ZREM', KEYS[1], key)
  redis.call('HDEL', KEYS[2], key)
end
return redis.call('HGETALL', KEYS[3])
`;

/**
 * Forgets a wake-up that has queued its key, unless a later one of the same key is going off meanwhile.
 * KEYS[1] hash of wake-ups that are going off. ARGV[1] key, ARGV[2] reason.
 */
export const FORGET = `
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
return 1
`;
