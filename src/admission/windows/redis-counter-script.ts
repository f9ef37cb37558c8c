import { defineScript } from "redis"
import { type Bucket, windowEndSecond, windowIndex } from "./rate-window.ts"

/** Seconds a bucket outlives its window in Redis: processes whose clocks differ still find it. */
export const REDIS_KEY_GRACE_SECONDS = 60

// For each key two arguments: the most it may hold for the call to pass, and the seconds it lives, 0 for a bucket that is
// looked at and not counted, -1 for one of which a count is given back. The answer is the counts before this call, so
// the caller decides by the same rule as in memory. Redis runs a script alone: nobody sees or changes a count between the check
// and the increment.
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

/** What one run of the script is given. */
export interface CounterScriptInput {
  readonly keys: Array<string>
  readonly args: Array<string>
}

/** EVALSHA, and EVAL when the server does not know the script (after a restart or a failover). */
export const counterScript = defineScript({
  SCRIPT: lua,
  parseCommand(parser, input: CounterScriptInput) {
    parser.pushKeysLength(input.keys)
    parser.push(...input.args)
  },
  transformReply: (reply: Array<number>): ReadonlyArray<number> => reply
})

/** `buckets` counted if they and `peek` have room. */
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

/** `buckets` counted whether they have room or not. */
export const countInput = (prefix: string, buckets: ReadonlyArray<Bucket>, nowMillis: number): CounterScriptInput => ({
  keys: buckets.map((bucket) => keyOf(prefix, bucket, nowMillis)),
  args: buckets.flatMap((bucket) => [String(Number.MAX_SAFE_INTEGER), ttlSecondsOf(bucket, nowMillis)])
})

/** A count of each of `buckets` given back. */
export const giveBackInput = (
  prefix: string,
  buckets: ReadonlyArray<Bucket>,
  nowMillis: number
): CounterScriptInput => ({
  keys: buckets.map((bucket) => keyOf(prefix, bucket, nowMillis)),
  args: buckets.flatMap(() => [String(Number.MAX_SAFE_INTEGER), "-1"])
})

/** The window's index is part of the key: processes whose clocks differ by a moment count in the window each is in. */
const keyOf = (prefix: string, bucket: Bucket, nowMillis: number): string =>
  `${prefix}${bucket.key}:${bucket.window.label}:${windowIndex(bucket.window, nowMillis)}`

const ttlSecondsOf = (bucket: Bucket, nowMillis: number): string =>
  String(windowEndSecond(bucket.window, nowMillis) - Math.floor(nowMillis / 1_000) + REDIS_KEY_GRACE_SECONDS)
