import { Context, Effect, Layer, Result, Schema } from "effect"
import type { AccountThere, Connector, ListingThere, OrderThere } from "../../domain/channels/port/connector.ts"
import { AirbnbPriceAndRules } from "../../domain/channels/port/price-and-rules.ts"
import { type Act, makeAnswering, orAway } from "./answering.ts"
import { Books } from "./Books.ts"
import { priced, readDays, restricted, stocked } from "./calendar.ts"
import { type About, makeChanging } from "./changing.ts"
import { DIFFERENCES } from "./channels.ts"
import { approving, declining, listingIn, pushing, settling } from "./host-acts.ts"
import { type SandboxAccount, Settings } from "./rows.ts"
import { takenIn } from "./selling.ts"
import { Telling } from "./Telling.ts"
import { toGuests } from "./to-guests.ts"

// The sandbox as the service reaches it.

interface Span {
  readonly start_date: string
  readonly end_date: string
}

/** The days that ranges name, from the first to the last. */
const daysNamed = (ranges: ReadonlyArray<Span>): Pick<About, "days"> => {
  const [start] = ranges.map(({ start_date }) => start_date).toSorted()
  const end = ranges
    .map(({ end_date }) => end_date)
    .toSorted()
    .at(-1)
  return start === undefined || end === undefined ? {} : { days: { start, end } }
}

/** `3 ranges, 2027-05-01 to 2027-05-09: {"price":120} …`: what was asked, in a line. */
const summaryOf = (ranges: ReadonlyArray<Span>): string => {
  const { days } = daysNamed(ranges)
  const [first] = ranges
  if (days === undefined || first === undefined) return "nothing"
  const { start_date: _start, end_date: _end, ...value } = first
  const told = JSON.stringify(value)
  return ranges.length === 1
    ? `${first.start_date} to ${first.end_date}: ${told}`
    : `${ranges.length} ranges, ${days.start} to ${days.end}: ${told} …`
}

const SUMMARY = 500

/** The settings that were sent, in a line. */
const settingsLine = (settings: object): string => {
  const line = JSON.stringify(settings)
  return line.length > SUMMARY ? `${line.slice(0, SUMMARY)} …` : line
}

/** Answers to a request: doing it again is safe, and the order says what was answered. */
const requests = Effect.gen(function* () {
  const answering = yield* makeAnswering
  const changing = yield* makeChanging
  const books = yield* Books
  const telling = yield* Telling
  const act = (name: keyof Connector, { reservationCode, channelId }: OrderThere, changes: boolean): Act => ({
    act: name,
    subject: channelId,
    summary: reservationCode,
    changes
  })
  return {
    approve: (there: AccountThere, order: OrderThere) =>
      answering(there, act("approve", order, true), (account) =>
        orAway(changing(account, { orderId: order.channelId }, approving)).pipe(
          // What waits for a payment from now on says so before anybody takes it for agreed.
          Effect.tap((status) => (status === "wait_pay" ? telling.tellOrder(account, order.channelId) : Effect.void)),
          Effect.asVoid
        )
      ),
    decline: (there: AccountThere, order: OrderThere) =>
      answering(there, act("decline", order, true), (account) =>
        orAway(changing(account, { orderId: order.channelId }, declining))
      ),
    answered: (there: AccountThere, order: OrderThere) =>
      answering(there, act("answered", order, false), (account) =>
        Effect.map(books.order(account, order.channelId), (found) =>
          found === undefined ? "unknown" : (found.answer ?? "pending")
        )
      )
  } satisfies Partial<Connector>
})

const calendars = Effect.gen(function* () {
  const answering = yield* makeAnswering
  const changing = yield* makeChanging
  const push = (
    there: AccountThere,
    name: keyof Connector,
    { listingId }: ListingThere,
    ranges: ReadonlyArray<Span>,
    pushed: (account: SandboxAccount) => Parameters<typeof pushing>[1],
    also: Pick<About, "unheardOf"> = {}
  ) =>
    answering(there, { act: name, subject: listingId, summary: summaryOf(ranges), changes: true }, (account) =>
      orAway(
        changing(account, { listings: [listingId], ...daysNamed(ranges), ...also }, pushing(listingId, pushed(account)))
      )
    )
  return {
    pushPrices: (there, { listingId, prices }) =>
      push(there, "pushPrices", { listingId }, prices, () => (listing, days) => priced(listing, days, prices)),
    pushInventories: (there, { listingId, inventories }) =>
      push(
        there,
        "pushInventories",
        { listingId },
        inventories,
        () => (listing, days, unheard) => stocked(listing, days, inventories, takenIn(unheard)),
        { unheardOf: listingId }
      ),
    pushRestrictions: (there, { listingId, restrictions }) =>
      push(
        there,
        "pushRestrictions",
        { listingId },
        restrictions,
        ({ channel_type }) =>
          (listing, days) =>
            restricted(channel_type, listing, days, restrictions)
      ),
    readCalendar: (there, { listingId, start, end }) => {
      const act = { act: "readCalendar", subject: listingId, summary: `${start} to ${end}`, changes: false } as const
      return answering(there, act, (account) =>
        orAway(
          changing(account, { listings: [listingId], days: { start, end } }, (found) =>
            Result.map(listingIn(found, listingId), (listing) => ({
              answer: readDays(account.channel_type, listing, found.scene.days.get(listingId) ?? new Map(), {
                start,
                end
              })
            }))
          )
        )
      )
    }
  } satisfies Partial<Connector>
})

const decodeSettings = Schema.decodeUnknownEffect(Settings)
const decodeAirbnb = Schema.decodeUnknownEffect(AirbnbPriceAndRules)

const pricesAndRules = Effect.gen(function* () {
  const answering = yield* makeAnswering
  const changing = yield* makeChanging
  const write = (
    there: AccountThere,
    name: "writeAirbnbPriceAndRules" | "writeVrboPriceAndRules",
    { listingId, settings }: ListingThere & { readonly settings: object }
  ) =>
    answering(there, { act: name, subject: listingId, summary: settingsLine(settings), changes: true }, (account) =>
      Effect.flatMap(Effect.orDie(decodeSettings(settings)), (sent) => {
        const rules = name === "writeVrboPriceAndRules" ? "vrbo" : "airbnb"
        return orAway(changing(account, { listings: [listingId] }, settling(listingId, rules, sent)))
      })
    )
  return {
    readAirbnbPriceAndRules: (there, { listingId }) => {
      const act = { act: "readAirbnbPriceAndRules", subject: listingId, summary: "", changes: false } as const
      return answering(there, act, (account) =>
        orAway(
          changing(account, { listings: [listingId] }, (found) =>
            Result.map(listingIn(found, listingId), ({ settings }) => ({ answer: settings }))
          )
        ).pipe(
          Effect.flatMap((settings) => Effect.orDie(decodeAirbnb(settings))),
          Effect.map((settings) => ({
            settings,
            eligible_cancellation_policies: DIFFERENCES[account.channel_type].cancellationPolicies
          }))
        )
      )
    },
    writeAirbnbPriceAndRules: (there, payload) => write(there, "writeAirbnbPriceAndRules", payload),
    writeVrboPriceAndRules: (there, payload) => write(there, "writeVrboPriceAndRules", payload)
  } satisfies Partial<Connector>
})

/** The marketplace as the service speaks to it. */
export class Sandbox extends Context.Service<Sandbox, Connector>()("latchkey/sandbox/Sandbox") {
  static readonly layer = Layer.effect(
    Sandbox,
    Effect.gen(function* () {
      return { ...(yield* requests), ...(yield* calendars), ...(yield* pricesAndRules), ...(yield* toGuests) }
    })
  )
}
