#!lua flags=allow-oom
-- Extends a lease that is still held.
-- KEYS: lease. ARGV: id, time in ms
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local held = redis.call('HMGET', KEYS[1], 'id', 'end')
if held[1] ~= ARGV[1] or (tonumber(held[2]) or 0) <= now then
  return 0
end
redis.call('HSET', KEYS[1], 'end', string.format('%.0f', now + ARGV[2]), 'time', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
