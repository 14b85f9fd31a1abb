#!lua
-- Replaces a record if it is still the one that the caller has read, and keeps its earlier file.
-- KEYS: record, versions, body to keep, other listed bodies..., bodies to remove...
-- ARGV: tag of the expected record, record, its time to live in ms, versions or '', body or '',
-- time to live of versions and bodies in ms, number of other listed bodies
local kind = redis.call('TYPE', KEYS[1]).ok
local tag = kind
if kind == 'string' then
  tag = redis.call('STRLEN', KEYS[1]) .. ':' .. redis.call('GETRANGE', KEYS[1], -32, -1)
end
if tag ~= ARGV[1] then
  return tag
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if ARGV[4] ~= '' then
  redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[6])
end
if ARGV[5] ~= '' then
  redis.call('SET', KEYS[3], ARGV[5], 'PX', ARGV[6])
end
local listed = 3 + ARGV[7]
for at = 4, listed do
  redis.call('PEXPIRE', KEYS[at], ARGV[6])
end
for at = listed + 1, #KEYS do
  redis.call('UNLINK', KEYS[at])
end
return 1
