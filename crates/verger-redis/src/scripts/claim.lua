#!lua flags=allow-oom
-- Grants a lease, unless another one is held. Returns the time that is left of the other one, or 0.
-- KEYS: lease. ARGV: id, time in ms
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'hash' and kind ~= 'none' then
  redis.call('UNLINK', KEYS[1])
end
local held = redis.call('HMGET', KEYS[1], 'id', 'end', 'time')
local left = (tonumber(held[2]) or 0) - now
-- With more time left than it was granted, the clock has gone back.
if held[1] and held[1] ~= ARGV[1] and left > 0 and left <= (tonumber(held[3]) or 0) then
  return left
end
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'end', string.format('%.0f', now + ARGV[2]),
  'time', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 0
