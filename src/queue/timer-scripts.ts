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
 * Takes the wake-up of a key away, if it is due at the given time or if no time is given.
 * KEYS[1] sorted set of due times, KEYS[2] hash of reasons. ARGV[1] key, ARGV[2] due time in milliseconds or an empty string.
 * Returns the due time that was taken away, or an empty string.
 */
export const DISARM = `
local current = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not current or (ARGV[2] ~= '' and tonumber(current) ~= tonumber(ARGV[2])) then return '' end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
return string.format('%.0f', tonumber(current))
`;
