#!lua
-- Stores the back-off of an origin, unless another one ends later, or ends it.
-- KEYS: back-off. ARGV: its end and refusals, or '', time to live in ms
if ARGV[1] == '' then
  return redis.call('UNLINK', KEYS[1])
end
local before = ''
if redis.call('TYPE', KEYS[1]).ok == 'string' then
  before = redis.call('GET', KEYS[1])
end
local function ends(back_off)
  return tonumber(string.match(back_off, '^%d+')) or 0
end
if ends(before) >= ends(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
