#!lua flags=allow-oom
-- Grants a lease, unless another one is held.
-- KEYS: lease. ARGV: id, time in ms, time in ms for which the fence is remembered
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'hash' and kind ~= 'none' then
  redis.call('UNLINK', KEYS[1])
end
local held = redis.call('HMGET', KEYS[1], 'id', 'end', 'time', 'fence')
local left = (tonumber(held[2]) or 0) - now
-- With more time left than it was granted, the clock has gone back.
local is_held = held[1] and left > 0 and left <= (tonumber(held[3]) or 0)
if is_held and held[1] ~= ARGV[1] then
  return {0, left}
end
local fence = tonumber(held[4]) or 0
if not is_held then
  fence = math.max(fence + 1, clock[1] * 1000000 + clock[2])
end
fence = string.format('%.0f', fence)
redis.call('HSET', KEYS[1], 'id', ARGV[1], 'end', string.format('%.0f', now + ARGV[2]),
  'time', ARGV[2], 'fence', fence)
redis.call('PEXPIRE', KEYS[1], ARGV[2] + ARGV[3])
return {1, tonumber(fence)}
