#!lua
-- Records that a host has answered, now or earlier. KEYS: answers. ARGV: host, most hosts, time to
-- live in ms, seconds of the answer
local seconds = math.min(tonumber(redis.call('TIME')[1]), tonumber(ARGV[4]))
local before = redis.call('ZSCORE', KEYS[1], ARGV[1])
if before and tonumber(before) >= seconds then return 0 end
redis.call('ZADD', KEYS[1], seconds, ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
