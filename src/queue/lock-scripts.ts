/*
 * The moves of the leader's lock. Each compares the token first and acts in the same step, so that nobody ends or prolongs another's tenure.
 * The lock is a string key that holds the leader's token and expires; the fence is a number that only grows.
 */

/**
 * Takes the lock if nobody has it (or if this very token has it: an answer may have been lost on the way).
 * KEYS[1] lock, KEYS[2] fence, KEYS[3] last released token. ARGV[1] token, ARGV[2] time to live in milliseconds, ARGV[3] channel of lock events.
 * Returns {token of the holder, remaining milliseconds} when someone else has it; otherwise {own token, fencing number, token that was released
 * last or an empty string}. The fencing number is the higher of the last one plus one and Redis's time in milliseconds: it grows over a loss of all data.
 */
export const ACQUIRE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return {holder, redis.call('PTTL', KEYS[1])}
end
local fence = redis.call('INCR', KEYS[2])
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if fence < now then
  fence = now
  redis.call('SET', KEYS[2], string.format('%.0f', fence))
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('PUBLISH', ARGV[3], 'taken ' .. ARGV[1])
return {ARGV[1], fence, redis.call('GET', KEYS[3]) or ''}
`;

/**
 * Prolongs the lock. Sent only by a holder whose own clock says that its tenure lasts, so that a missing lock means that Redis was emptied: it is
 * then set again, with the fencing number, unless someone else was faster.
 * KEYS[1] lock, KEYS[2] fence. ARGV[1] token, ARGV[2] time to live in milliseconds, ARGV[3] fencing number of the tenure.
 * Returns 1, or 0 when someone else has the lock.
 */
export const RENEW = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('SET', KEYS[2], ARGV[3], 'NX')
return 1
`;

/**
 * Gives the lock back if this token has it, and says in any case that the tenure of this token is over.
 * KEYS[1] lock, KEYS[2] last released token. ARGV[1] token, ARGV[2] channel of lock events. Returns 1 when the lock was given back.
 */
export const RELEASE = `
local held = redis.call('GET', KEYS[1]) == ARGV[1]
if held then redis.call('DEL', KEYS[1]) end
redis.call('SET', KEYS[2], ARGV[1])
redis.call('PUBLISH', ARGV[2], 'released ' .. ARGV[1])
return held and 1 or 0
`;
