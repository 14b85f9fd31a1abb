#!lua flags=allow-oom
-- Turns of one origin: reserves, renews or releases one.
-- KEYS: turns. ARGV: call, id, pause in ms, hold in ms, most turns at a time, grace in ms,
-- least wait for a turn that is held in ms
--
-- The hash has a field for each turn, `end:pause:hold:fence`, and `opens` (the end of the last
-- pause), `pause` (its length) and `fence`. Times are those of this server.
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local call, id = ARGV[1], ARGV[2]
local pause, hold, grace = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[6])
local key = KEYS[1]
local kind = redis.call('TYPE', key).ok
if kind ~= 'hash' and kind ~= 'none' then
  redis.call('UNLINK', key)
end

local function text(number)
  return string.format('%.0f', number)
end

local before = redis.call('HMGET', key, 'opens', 'pause', 'fence')
local state = {
  opens = tonumber(before[1]) or 0,
  pause = tonumber(before[2]) or 0,
  fence = tonumber(before[3]) or 0
}
-- `first`: the minimum wait for the turn of another to end, at least some milliseconds.
local own, held, first = nil, 0, nil
local fields = redis.call('HGETALL', key)
for at = 1, #fields, 2 do
  local field, value = fields[at], fields[at + 1]
  if not state[field] then
    local ends, after, most, fence = string.match(value, '^(%d+):(%d+):(%d+):(%d+)$')
    ends, after, most = tonumber(ends), tonumber(after), tonumber(most)
    if not ends then
      redis.call('HDEL', key, field)
    else
      -- With more time left than it was granted, the clock has gone back.
      if ends - now > most then
        ends = now + most
        redis.call('HSET', key, field, text(ends) .. ':' .. after .. ':' .. most .. ':' .. fence)
      end
      if ends <= now then
        -- Its worker died or lost it: the pause counts from its end.
        redis.call('HDEL', key, field)
        if ends + after > state.opens then
          state.opens, state.pause = ends + after, after
        end
      elseif field == id then
        own = {left = ends - now, after = after, fence = fence}
      else
        -- It can be released at any time; then its pause follows.
        held = held + 1
        local wait = math.min(ends - now + after, math.max(after, tonumber(ARGV[7])))
        first = math.min(first or wait, wait)
      end
    end
  end
end
if state.opens - now > state.pause then
  state.opens = now + state.pause
end

local function turn(fence)
  local value = text(now + hold) .. ':' .. text(pause) .. ':' .. text(hold) .. ':' .. fence
  redis.call('HSET', key, id, value)
end

local answer
if call == 'reserve' then
  if own then
    answer = {1, tonumber(own.fence), own.left}
  elseif state.opens > now then
    answer = {0, state.opens - now}
  elseif held >= tonumber(ARGV[5]) then
    answer = {0, first}
  else
    state.fence = math.max(state.fence + 1, clock[1] * 1000000 + clock[2])
    turn(text(state.fence))
    answer = {1, state.fence, hold}
  end
elseif not own then
  answer = {0}
elseif call == 'renew' then
  pause = own.after
  turn(own.fence)
  answer = {1}
else
  redis.call('HDEL', key, id)
  if now + pause > state.opens then
    state.opens, state.pause = now + pause, pause
  end
  answer = {1}
end
if answer[1] == 0 and redis.call('EXISTS', key) == 0 then
  return answer
end
redis.call('HSET', key, 'opens', text(state.opens), 'pause', text(state.pause), 'fence',
  text(state.fence))
local time = math.max(redis.call('PTTL', key), pause + hold + grace)
redis.call('PEXPIRE', key, text(time))
return answer
