import { Effect } from "effect"
import { addDays } from "../../src/contract/time.ts"
import { createOperator, insertProperty } from "../support/harness.ts"
import { type Envelope, type Fields, restEnvelope, restWrite, type Target } from "./doors.ts"
import { send } from "./wire.ts"
import { WIDE_LIMITS } from "./worlds.ts"

// Writers that never rest, and the account they keep of what they were told: what was acknowledged must be there.

/** What a writer writes with. */
export interface Estate {
  readonly operatorId: number
  readonly token: string
  /** A property of each writer's own. */
  readonly own: ReadonlyArray<number>
  /** The property whose nights all writers want. */
  readonly wanted: number
}

export const estate = Effect.fnUntraced(function* (writers: number) {
  const { operatorId, token } = yield* createOperator({ rateLimits: WIDE_LIMITS, timeZone: "UTC" })
  const own = yield* Effect.forEach(Array.from({ length: writers }), (_, nth) =>
    insertProperty(operatorId, `Own ${nth}`)
  )
  const wanted = yield* insertProperty(operatorId, "Wanted")
  return { operatorId, token, own, wanted } satisfies Estate
})

/** What was acknowledged, and what may have happened without an answer. */
export interface Ledger {
  /** Entries by id: the last amount that was acknowledged, and the last that was asked for. */
  readonly entries: Map<number, { acknowledged: number; asked: number; edits: number }>
  /** Orders by code, with their nights. */
  readonly orders: Map<string, { readonly day: string }>
  /** Closed days by property. */
  readonly closed: Map<number, Set<string>>
  /** Answers by code. */
  readonly answers: Map<number, number>
  /** Requests that got no whole answer. */
  unanswered: number
  readonly writers: number
}

export const ledger = (writers: number): Ledger => ({
  entries: new Map(),
  orders: new Map(),
  closed: new Map(),
  answers: new Map(),
  unanswered: 0,
  writers
})

export const acknowledged = ({ answers }: Ledger): number => answers.get(0) ?? 0

type Write = (method: "POST" | "PATCH", path: string, fields: Fields) => Promise<Envelope | undefined>

const today = (): string => new Date().toISOString().slice(0, 10)

/** Nights that all writers want: few enough that they meet. */
const WANTED_NIGHTS = 1_000

/** An entry of one euro on a property. */
export const entryOn = (property_id: number) => ({
  direction: "income",
  amount: 1,
  currency: "EUR",
  item_id: 11,
  payment_method_id: 197,
  property_id
})

/** One round of one writer: an entry, an edit of it, a day closed, a night. Numbers never repeat over all rounds. */
const written = async (write: Write, held: Estate, kept: Ledger, writer: number, round: number): Promise<void> => {
  const own = held.own[writer] ?? held.wanted
  const entry = entryOn(own)
  const made = await write("POST", "/transactions", { ...entry, note: `writer ${writer} round ${round}` })
  const id = Number(made?.data["transaction_id"] ?? 0)
  if (made?.error_code === 0) {
    const state = { acknowledged: 1, asked: 2, edits: 0 }
    kept.entries.set(id, state)
    if ((await write("PATCH", `/transactions/${id}`, { amount: 2 }))?.error_code === 0) {
      state.acknowledged = 2
      state.edits++
    }
  }
  const closedDay = addDays(today(), 1 + (round % 1_000))
  const closing = { property_ids: [own], available: false, dates: [closedDay] }
  if ((await write("POST", "/availabilities", closing))?.error_code === 0) {
    kept.closed.set(own, (kept.closed.get(own) ?? new Set()).add(closedDay))
  }
  const check_in_date = addDays(today(), 1 + Math.floor(Math.random() * WANTED_NIGHTS))
  const order = await write("POST", "/reservations", {
    property_id: held.wanted,
    custom_channel_id: 30,
    check_in_date,
    check_out_date: addDays(check_in_date, 1),
    guest_name: `Guest ${writer} ${round}`,
    currency: "EUR",
    rate_amount: 100,
    commission_amount: 0,
    received_amount: 0,
    income_method_id: 197
  })
  const code = order?.data["reservation_code"]
  if (order?.error_code === 0 && typeof code === "string") kept.orders.set(code, { day: check_in_date })
}

/** The writers, all at once, until `over` says so. */
export const writing = (target: Target, held: Estate, kept: Ledger, firstRound: number, over: () => boolean) => {
  const write: Write = async (method, path, fields) => {
    const sent = restWrite(held.token, method, `/v3${path}`, fields)
    const envelope = await send(target.base, target.agent, sent).then(restEnvelope, () => undefined)
    if (envelope === undefined) {
      kept.unanswered++
      // The service is away: nobody gains by asking a thousand times a second.
      await new Promise((resolve) => setTimeout(resolve, 20))
    } else kept.answers.set(envelope.error_code, (kept.answers.get(envelope.error_code) ?? 0) + 1)
    return envelope
  }
  const one = async (writer: number): Promise<number> => {
    let round = firstRound
    while (!over()) await written(write, held, kept, writer, round++)
    return round
  }
  return Promise.all(Array.from({ length: kept.writers }, (_, writer) => one(writer))).then((rounds) =>
    Math.max(...rounds)
  )
}
