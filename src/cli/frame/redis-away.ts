/** Redis does not tell what a command asks it for; the cause says why. Ends the command with code 1 and without advice about the cluster. */
export class RedisAway extends Error {
  override name = 'RedisAway';
}
