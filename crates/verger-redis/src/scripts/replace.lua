#!lua
-- Replaces a record if it is still the one that the caller has read, and keeps its earlier file.
-- Returns 1 and the back-off of the origin, or 0 and the tag of another record.
-- KEYS: record, back-off, versions, body to keep, other listed bodies..., bodies to remove...
-- ARGV: tag of the expected record, record, its time to live in ms, versions or '', body or '',
-- time to live of versions and bodies in ms, number of other listed bodies
local kind = redis.call('TYPE', KEYS[1]).ok
local tag = kind
if kind == 'string' then
  tag = redis.call('STRLEN', KEYS[1]) .. ':' .. redis.call('GETRANGE', KEYS[1], -32, -1)
end
if tag ~= ARGV[1] then
  return {0, tag}
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
if ARGV[4] ~= '' then
  redis.call('SET', KEYS[3], ARGV[4], 'PX', ARGV[6])
end
if ARGV[5] ~= '' then
  redis.call('SET', KEYS[4], ARGV[5], 'PX', ARGV[6])
end
local listed = 4 + ARGV[7]
for at = 5, listed do
  redis.call('PEXPIRE', KEYS[at], ARGV[6])
end
for at = listed + 1, #KEYS do
  redis.call('UNLINK', KEYS[at])
end
local back_off = ''
if redis.call('TYPE', KEYS[2]).ok == 'string' then
  back_off = redis.call('GETRANGE', KEYS[2], 0, 63)
end
return {1, back_off}
