import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Api } from "../../src/service/Api.ts"
import { type Fields, type Heard, overRest, type Target } from "./doors.ts"
import { tally } from "./figures.ts"
import { attackedWorld } from "./worlds.ts"

// Many callers want the same night at the same moment: one gets it, the others are told so. On a slow machine the last of them may
// wait too long: the service then answers 500 with `Retry-After` and has done nothing (docs/guides/retry-safely.md), and they repeat the call.

/** Requests that a caller sends at most for one creation. */
const TRIES = 10

export interface CreationsBudget {
  readonly on: string
  /** Creations at once. */
  readonly creations: number
}

const create = Api["create_reservation"]

const NIGHT = { check_in_date: "2027-08-14", check_out_date: "2027-08-15" }
const OTHER_NIGHT = { check_in_date: "2027-08-20", check_out_date: "2027-08-21" }

/** Returns each error message of the answers once, with the header that says when to retry. */
const messagesOf = (heard: ReadonlyArray<Heard>): ReadonlySet<string> =>
  new Set(
    heard.flatMap(({ envelope, reply }) =>
      envelope?.error_code === 0 ? [] : [`${envelope?.error_msg} Retry-After: ${reply.headers["retry-after"]}`]
    )
  )

export const creations = Effect.fnUntraced(function* (target: Target, budget: CreationsBudget) {
  const count = tally("concurrent creations of one night", budget.on)
  const sql = yield* SqlClient.SqlClient
  const world = yield* attackedWorld
  const { fields, token, operatorId } = world
  const names = ["property_id", "custom_channel_id", "guest_name", "currency", "rate_amount", "commission_amount"]
  const order = Object.fromEntries(
    [...names, "received_amount", "income_method_id"].map((name) => [name, fields[name]] as const)
  )

  let repeats = 0
  const createOne = Effect.fnUntraced(function* (fields: Fields) {
    if (create === undefined) return yield* Effect.die("There is no operation create_reservation.")
    for (let tries = 1; ; tries++) {
      const heard = yield* Effect.promise(() => overRest(target, create, token, fields))
      const seconds = heard.reply.headers["retry-after"]
      if (heard.envelope?.error_code !== 500 || seconds === undefined || tries === TRIES) return heard
      repeats += 1
      yield* Effect.sleep(Number(seconds) * 1000)
    }
  })

  const all = (fieldsOf: (nth: number) => Fields): Effect.Effect<ReadonlyArray<Heard>> =>
    Effect.forEach(
      Array.from({ length: budget.creations }, (_, nth) => nth),
      (nth) => createOne(fieldsOf(nth)),
      { concurrency: "unbounded" }
    )

  const judged = (what: string, heard: ReadonlyArray<Heard>) => {
    const codes = new Map<number | undefined, number>()
    for (const { envelope } of heard) codes.set(envelope?.error_code, (codes.get(envelope?.error_code) ?? 0) + 1)
    count.tried(`creations ${what}`, heard.length)
    count.seen(`${what}: ${Array.from(codes, ([code, times]) => `${times} answered ${code}`).join(", ")}`)
    return codes
  }

  const held = (day: string) =>
    sql<{ orders: number; nights: number }>`
      SELECT (SELECT count(*)::int FROM stays s JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
          WHERE s.operator_id = ${operatorId} AND s.check_in_date = ${day}::date AND o.status = 'accepted') AS orders,
        (SELECT count(*)::int FROM calendar_days WHERE operator_id = ${operatorId} AND day = ${day}::date
          AND stay_id IS NOT NULL) AS nights`

  const codes = judged("of one night", yield* all(() => ({ ...order, ...NIGHT })))
  if (codes.get(0) !== 1) count.fell("one night is sold more or less than once", `${codes.get(0) ?? 0} times`)
  for (const code of codes.keys()) {
    if (code !== 0 && code !== 409) count.fell(`a creation that lost is answered ${code} instead of 409`)
  }
  const [after] = yield* held(NIGHT.check_in_date)
  if (after?.orders !== 1 || after.nights !== 1) count.fell("orders and nights disagree", JSON.stringify(after))

  const same = yield* all(() => ({ ...order, ...OTHER_NIGHT, channel_id: "SAMEORDER1" }))
  const answered = judged("under one channel_id", same)
  if (answered.size !== 1 || !answered.has(0))
    count.fell("a repeated creation is refused", JSON.stringify([...answered, ...messagesOf(same)]))
  const made = new Set(same.map(({ envelope }) => JSON.stringify(envelope?.data)))
  if (made.size !== 1) count.fell("repeated creations answer different orders", [...made].slice(0, 3).join(" "))
  const [once] = yield* held(OTHER_NIGHT.check_in_date)
  if (once?.orders !== 1 || once.nights !== 1) count.fell("one channel_id made several orders", JSON.stringify(once))
  if (repeats > 0) count.seen(`${repeats} repeated after Retry-After`)
  return count.figures()
}, Effect.orDie)
