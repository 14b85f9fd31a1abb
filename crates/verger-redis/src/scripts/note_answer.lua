#!lua
-- Records that a host has answered. KEYS: answers. ARGV: host, most hosts, time to live in ms
local seconds = redis.call('TIME')[1]
redis.call('ZADD', KEYS[1], seconds, ARGV[1])
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
