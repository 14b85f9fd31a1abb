#!lua flags=no-writes
-- Reads a record, and the back-off of its origin. KEYS: record, back-off. ARGV: most bytes
local back_off = ''
if redis.call('TYPE', KEYS[2]).ok == 'string' then
  back_off = redis.call('GETRANGE', KEYS[2], 0, 63)
end
return {redis.call('GETRANGE', KEYS[1], 0, ARGV[1]), back_off}
