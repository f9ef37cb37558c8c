import { defineScript } from "redis"
import { type Bucket, windowEndSecond, windowIndex } from "./rate-window.ts"

/** Keys live this much longer than their window, so that a process whose clock is behind still finds them. */
export const REDIS_KEY_GRACE_SECONDS = 60

// Each key has two arguments: the maximum for the call to pass, and the lifetime in seconds (0: check only, -1: give a
// count back). The script returns the counts before this call. Redis runs it atomically.
const lua = `
local counts = redis.call("MGET", unpack(KEYS))
local full = false
for i = 1, #KEYS do
  counts[i] = tonumber(counts[i] or 0)
  if counts[i] >= tonumber(ARGV[2 * i - 1]) then full = true end
end
if not full then
  for i = 1, #KEYS do
    local life = ARGV[2 * i]
    if life == "-1" then
      if counts[i] > 0 then redis.call("DECR", KEYS[i]) end
    elseif life ~= "0" and redis.call("INCR", KEYS[i]) == 1 then
      redis.call("EXPIRE", KEYS[i], life)
    end
  end
end
return counts
`

export interface CounterScriptInput {
  readonly keys: Array<string>
  readonly args: Array<string>
}

/** Sends EVALSHA, or EVAL if the server does not have the script. */
export const counterScript = defineScript({
  SCRIPT: lua,
  parseCommand(parser, input: CounterScriptInput) {
    parser.pushKeysLength(input.keys)
    parser.push(...input.args)
  },
  transformReply: (reply: Array<number>): ReadonlyArray<number> => reply
})

export const admitInput = (
  prefix: string,
  buckets: ReadonlyArray<Bucket>,
  peek: ReadonlyArray<Bucket>,
  nowMillis: number
): CounterScriptInput => {
  const input: CounterScriptInput = { keys: [], args: [] }
  for (const bucket of buckets) {
    input.keys.push(keyOf(prefix, bucket, nowMillis))
    input.args.push(String(bucket.max), ttlSecondsOf(bucket, nowMillis))
  }
  for (const bucket of peek) {
    input.keys.push(keyOf(prefix, bucket, nowMillis))
    input.args.push(String(bucket.max), "0")
  }
  return input
}

export const countInput = (prefix: string, buckets: ReadonlyArray<Bucket>, nowMillis: number): CounterScriptInput => ({
  keys: buckets.map((bucket) => keyOf(prefix, bucket, nowMillis)),
  args: buckets.flatMap((bucket) => [String(Number.MAX_SAFE_INTEGER), ttlSecondsOf(bucket, nowMillis)])
})

export const giveBackInput = (
  prefix: string,
  buckets: ReadonlyArray<Bucket>,
  nowMillis: number
): CounterScriptInput => ({
  keys: buckets.map((bucket) => keyOf(prefix, bucket, nowMillis)),
  args: buckets.flatMap(() => [String(Number.MAX_SAFE_INTEGER), "-1"])
})

/** The key contains the window's index, so processes whose clocks differ each count in their own window. */
const keyOf = (prefix: string, bucket: Bucket, nowMillis: number): string =>
  `${prefix}${bucket.key}:${bucket.window.label}:${windowIndex(bucket.window, nowMillis)}`

const ttlSecondsOf = (bucket: Bucket, nowMillis: number): string =>
  String(windowEndSecond(bucket.window, nowMillis) - Math.floor(nowMillis / 1_000) + REDIS_KEY_GRACE_SECONDS)
