#!lua
-- Replaces a record if it is still the one that the caller has read, and keeps its earlier file.
-- KEYS: record, versions, body to keep, bodies to remove...
-- ARGV: tag of the expected record, record, time to live in ms, versions or '', body or ''
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
  redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[3])
end
if ARGV[5] ~= '' then
  redis.call('SET', KEYS[3], ARGV[5], 'PX', ARGV[3])
end
for at = 4, #KEYS do
  redis.call('UNLINK', KEYS[at])
end
return 1
