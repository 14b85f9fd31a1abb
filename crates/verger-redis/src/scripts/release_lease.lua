#!lua flags=allow-oom
-- Ends a lease, but no later one. Its fence is remembered.
-- KEYS: lease. ARGV: id
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then
  return 0
end
return redis.call('HDEL', KEYS[1], 'id')
