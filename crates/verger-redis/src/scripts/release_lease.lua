#!lua flags=allow-oom
-- Ends a lease, but no later one.
-- KEYS: lease. ARGV: id
if redis.call('HGET', KEYS[1], 'id') ~= ARGV[1] then
  return 0
end
return redis.call('UNLINK', KEYS[1])
