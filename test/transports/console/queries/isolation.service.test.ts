import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { type Context, Effect, Layer, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { type Caller, CurrentCaller } from "../../../../src/contract/caller.ts"
import { toPage } from "../../../../src/contract/page.ts"
import { AccessTokenList } from "../../../../src/transports/console/queries/AccessTokenList.ts"
import { AtChannels } from "../../../../src/transports/console/queries/AtChannels.ts"
import { BesideTalk } from "../../../../src/transports/console/queries/BesideTalk.ts"
import { CalendarsElsewhere } from "../../../../src/transports/console/queries/CalendarsElsewhere.ts"
import { ConnectedApplications } from "../../../../src/transports/console/queries/ConnectedApplications.ts"
import { DaySheet } from "../../../../src/transports/console/queries/DaySheet.ts"
import { DaysBefore } from "../../../../src/transports/console/queries/DaysBefore.ts"
import { EntryChoices } from "../../../../src/transports/console/queries/EntryChoices.ts"
import { FailedPushes } from "../../../../src/transports/console/queries/FailedPushes.ts"
import { FoundStays } from "../../../../src/transports/console/queries/FoundStays.ts"
import { History } from "../../../../src/transports/console/queries/History.ts"
import { Inbox } from "../../../../src/transports/console/queries/Inbox.ts"
import { KnowledgeScopes } from "../../../../src/transports/console/queries/KnowledgeScopes.ts"
import { Ledger } from "../../../../src/transports/console/queries/Ledger.ts"
import { layerConsoleQueries } from "../../../../src/transports/console/queries/layer.ts"
import { Month } from "../../../../src/transports/console/queries/Month.ts"
import { NotificationChoices } from "../../../../src/transports/console/queries/NotificationChoices.ts"
import { OfferedProperties } from "../../../../src/transports/console/queries/OfferedProperties.ts"
import { OneListing } from "../../../../src/transports/console/queries/OneListing.ts"
import { Overview } from "../../../../src/transports/console/queries/Overview.ts"
import { Portfolio } from "../../../../src/transports/console/queries/Portfolio.ts"
import { PricedTargets } from "../../../../src/transports/console/queries/PricedTargets.ts"
import { PriceGrid } from "../../../../src/transports/console/queries/PriceGrid.ts"
import { PropertyPage } from "../../../../src/transports/console/queries/PropertyPage.ts"
import { ReviewedStays } from "../../../../src/transports/console/queries/ReviewedStays.ts"
import { RuleBook } from "../../../../src/transports/console/queries/RuleBook.ts"
import { Sorting } from "../../../../src/transports/console/queries/Sorting.ts"
import { StaffDirectory } from "../../../../src/transports/console/queries/StaffDirectory.ts"
import { StartProgress } from "../../../../src/transports/console/queries/StartProgress.ts"
import { StayBeside } from "../../../../src/transports/console/queries/StayBeside.ts"
import { StayMoves } from "../../../../src/transports/console/queries/StayMoves.ts"
import { Sums } from "../../../../src/transports/console/queries/Sums.ts"
import { Webhooks } from "../../../../src/transports/console/queries/Webhooks.ts"
import { WorkPlan } from "../../../../src/transports/console/queries/WorkPlan.ts"
import { Year } from "../../../../src/transports/console/queries/Year.ts"
import { largeIds, secretsOf } from "../../../attacks/secrets.ts"
import { toConsoleCaller } from "../../../support/console-caller.ts"
import { layerService } from "../../../support/harness.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"
import { makeSampleWorld, type SampleWorld } from "../../../support/sample-world.ts"
import { EVERY_PAGE_MS } from "../../../support/time-limits.ts"

// Each read model of the console, run by the caller of one operator with the record ids of another operator. The result has nothing
// of the other operator and equals the result for ids that do not exist.

const FOLDER = "src/transports/console/queries"

/** The records that a call of a read model names. */
interface NamedRecords {
  readonly property: number
  readonly listing: number
  readonly channelAccount: number
  readonly group: number
  readonly tag: number
  readonly staff: number
  readonly webhook: number
  readonly rule: number
  readonly account: number
  readonly conversation: string
  readonly order: string
  readonly stay: string
}

const NOBODYS: NamedRecords = {
  property: 999_999_999,
  listing: 999_999_999,
  channelAccount: 999_999_999,
  group: 999_999_999,
  tag: 999_999_999,
  staff: 999_999_999,
  webhook: 999_999_999,
  rule: 999_999_999,
  account: 999_999_999,
  conversation: "nobody",
  order: "9-NOBODY",
  stay: "9-NOBODY"
}

const readRuleAndListing = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ rule: number; listing: number }>`
    SELECT (SELECT min(id) FROM automation_rules WHERE operator_id = ${operatorId}) AS rule,
      (SELECT min(id) FROM listings WHERE operator_id = ${operatorId}) AS listing`
  return row ?? (yield* Effect.die(new Error("the world has no rule and no listing")))
}, Effect.orDie)

const recordsOf = ({ accountId, records, fields }: SampleWorld, rule: number, listing: number): NamedRecords => ({
  property: Number(records["properties"]),
  listing,
  channelAccount: Number(records["channel_accounts"]),
  group: Number(records["groups"]),
  tag: Number(records["tags"]),
  staff: Number(records["staffs"]),
  webhook: Number(records["webhooks"]),
  rule,
  account: accountId,
  conversation: String(records["conversations"]),
  order: String(fields["reservation_code"]),
  stay: String(fields["stay_code"])
})

/** Work of the day, a change that a channel refused, and a guest who waits for an answer: what some read models show alone. */
const makePending = Effect.fnUntraced(function* (operatorId: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE tasks SET expected_date = ${TODAY}::date WHERE operator_id = ${operatorId}`
  yield* sql`
    UPDATE listing_pushes SET state = 'refused', reason = 'no such listing', settled_at = ${NOW}
    WHERE operator_id = ${operatorId}`
  yield* sql`DELETE FROM messages WHERE operator_id = ${operatorId} AND sender_role = 'host'`
}, Effect.orDie)

interface ReadModelCall {
  readonly name: string
  readonly run: (caller: Caller, named: NamedRecords) => Effect.Effect<unknown>
}

/** What a method requires: a method is an effect, or a function that returns one. */
type RequirementOf<Method> =
  Method extends Effect.Effect<unknown, unknown, infer Required>
    ? Required
    : Method extends (...input: never) => Effect.Effect<unknown, unknown, infer Required>
      ? Required
      : never

/** The methods of a read model that do not take their operator from the caller. There must be none. */
type MethodsWithoutCaller<Model> = {
  [Method in keyof Model]: CurrentCaller extends RequirementOf<Model[Method]> ? never : Method
}[keyof Model]

type CallsOf<Model> = {
  readonly [Method in keyof Model]: (
    method: Model[Method],
    named: NamedRecords
  ) => Effect.Effect<unknown, never, CurrentCaller>
}

/** Returns the calls of a read model, one for each of its methods. Each method must require `CurrentCaller`. */
const callsOf = <Identifier, Model extends object>(
  readModel: Context.Service<Identifier, Model> & ([MethodsWithoutCaller<Model>] extends [never] ? unknown : never),
  calls: CallsOf<Model>
): Effect.Effect<ReadonlyArray<ReadModelCall>, never, Identifier> =>
  Effect.map(readModel, (model) => {
    const name = readModel.key.slice(readModel.key.lastIndexOf("/") + 1)
    assert.sameMembers(Object.keys(calls), Object.keys(model), name)
    const callOf = <Method extends keyof Model>(method: Method): ReadModelCall => ({
      name: `${name} ${String(method)}`,
      run: (caller, named) => Effect.provideService(calls[method](model[method], named), CurrentCaller, caller)
    })
    return Struct.keys(model).map(callOf)
  })

/** A day on which a guest of the sample world arrives. */
const [TODAY, NOW] = ["2027-05-01", new Date("2027-05-01T10:00:00Z")]
const CLOCK = `${TODAY} 12:00:00`
const PAGE = toPage({})
const ALL_DAYS = { from: undefined, until: undefined }
const MAY = { first: "2027-05-01", last: "2027-05-31" }

const READ_MODELS = [
  callsOf(AccessTokenList, { list: (read) => read(undefined) }),
  callsOf(AtChannels, {
    of: (read, { channelAccount }) => read({ account: channelAccount, isUnmappedOnly: undefined }, 0)
  }),
  callsOf(BesideTalk, { of: (read, { conversation }) => read(conversation) }),
  callsOf(CalendarsElsewhere, { of: (read) => read(TODAY, 0) }),
  callsOf(ConnectedApplications, { list: (applications) => applications }),
  callsOf(DaysBefore, { of: (read, { property }) => read([property], MAY) }),
  callsOf(DaySheet, { of: (read, { staff }) => read(TODAY, staff) }),
  callsOf(EntryChoices, { of: (read, { order, property }) => read("income", order, property) }),
  callsOf(FailedPushes, { of: (read) => read(NOW, 0) }),
  callsOf(FoundStays, {
    of: (read, { property, stay }) => {
      const filter = { status: undefined, payment: undefined, from: undefined, to: undefined }
      const anyDays = { ...filter, checkOutFrom: undefined, checkOutTo: undefined }
      return Effect.all([
        read({ ...anyDays, searchText: stay, propertyId: undefined }, CLOCK, 0),
        read({ ...anyDays, searchText: undefined, propertyId: property }, CLOCK, 0)
      ])
    },
    lines: (read, { property }) =>
      read(
        {
          ...{ searchText: undefined, propertyId: property, status: undefined, payment: undefined },
          ...{ from: undefined, to: undefined, checkOutFrom: undefined, checkOutTo: undefined }
        },
        CLOCK,
        2
      )
  }),
  callsOf(History, {
    of: (read, { property, account }) =>
      Effect.all([read({ record: `property:${property}` }), read({ accountId: account })])
  }),
  callsOf(Inbox, {
    page: (read) =>
      Effect.all(
        [true, false].map((isUnansweredOnly) => read({ today: "1970-01-01", now: new Date(0), isUnansweredOnly }, PAGE))
      )
  }),
  callsOf(KnowledgeScopes, {
    of: (scopeChoices) => scopeChoices,
    trial: (read, { stay }) => read(TODAY, stay)
  }),
  callsOf(Ledger, {
    lines: (read, { property, order }) =>
      Effect.all([
        read({ ...ALL_DAYS, property_id: property, order_code: undefined }, 100),
        read({ ...ALL_DAYS, property_id: undefined, order_code: order }, 100)
      ])
  }),
  callsOf(Month, {
    of: (read) => read(MAY, 0, { q: undefined, group: undefined, tag: undefined })
  }),
  callsOf(NotificationChoices, { load: (choices) => choices }),
  callsOf(OfferedProperties, { of: (read) => read({ from: TODAY, before: "2027-05-03" }) }),
  callsOf(OneListing, { of: (read, { listing }) => read(listing, MAY) }),
  callsOf(Overview, { of: (read) => read(CLOCK, NOW) }),
  callsOf(Portfolio, {
    of: (read) =>
      read({ q: undefined, today: TODAY, propertiesOffset: 0, groupsOffset: 0, tagsOffset: 0, roomTypesOffset: 0 })
  }),
  callsOf(PropertyPage, { of: (read, { property }) => read(property, TODAY) }),
  callsOf(PriceGrid, {
    of: (read, { property, group }) => {
      const filter = { type: "property", q: undefined, ...MAY, offset: 0 } as const
      return Effect.all([
        read({ ...filter, groupId: undefined, openId: property }),
        read({ ...filter, groupId: group, openId: undefined }),
        read({ ...filter, type: "room_type", groupId: undefined, openId: undefined })
      ])
    }
  }),
  callsOf(PricedTargets, { of: (read, { property }) => read({ type: "property", ids: [property], span: MAY }) }),
  callsOf(ReviewedStays, { of: (read, { order }) => Effect.map(read([order]), (stays) => Array.from(stays)) }),
  callsOf(RuleBook, { of: (read, { rule }) => read(TODAY, rule) }),
  callsOf(Sorting, {
    group: (read, { group }) => read({ id: group, q: undefined }),
    tag: (read, { tag }) => read({ id: tag, q: undefined }),
    roomType: (read) => read({ q: undefined })
  }),
  callsOf(StaffDirectory, {
    list: (read) => read(0),
    form: (read, { staff }) => read({ id: staff, q: undefined })
  }),
  callsOf(StartProgress, { load: (steps) => steps }),
  callsOf(StayBeside, { of: (read, { stay }) => read(stay) }),
  callsOf(StayMoves, {
    of: (read, { stay, property }) => read(stay, { propertyId: property, checkIn: MAY.first, checkOut: MAY.last })
  }),
  callsOf(Sums, {
    of: (read, { property, order }) =>
      Effect.all([
        read({ ...ALL_DAYS, property_id: property, order_code: undefined }),
        read({ ...ALL_DAYS, property_id: undefined, order_code: order })
      ])
  }),
  callsOf(Webhooks, {
    list: (webhooks) => webhooks,
    find: (read, { webhook }) => read(webhook),
    deliveries: (read, { webhook }) => read({ id: webhook, beforeEventId: undefined }, 100)
  }),
  callsOf(WorkPlan, {
    of: (read, { staff }) => read({ from: "1970-01-01", to: "2027-12-31", staff, offset: 0 }),
    choices: (choices) => choices,
    currencyOf: (read, { property, stay }) =>
      Effect.all([read({ property }), read({ property: undefined, stayCode: stay })])
  }),
  callsOf(Year, { of: (read, { property }) => read(2027, property) })
]

/** The names of all read models, from the source: one that is missing above fails the test. */
const READ_MODEL_NAMES = readdirSync(FOLDER).flatMap((file) =>
  Array.from(
    readFileSync(join(FOLDER, file), "utf8").matchAll(/class (\w+) extends Context\.Service</g),
    ([, name]) => name
  )
)

layer(layerConsoleQueries.pipe(Layer.provideMerge(layerService(layerOwnDatabase))))("the read models", (it) => {
  it.effect(
    "return nothing of another operator, whichever of its records a call names",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const mine = yield* makeSampleWorld
        yield* largeIds
        const theirs = yield* makeSampleWorld
        const { rule, listing } = yield* readRuleAndListing(theirs.operatorId)
        const named = recordsOf(theirs, rule, listing)
        yield* makePending(theirs.operatorId)
        const { texts } = yield* secretsOf(theirs.operatorId)
        // A mark stands there now, which is the name of no event.
        yield* sql`UPDATE events SET event = 'reservation_created' WHERE operator_id = ${theirs.operatorId}`
        const callerOf = ({ operatorId, accountId }: SampleWorld) =>
          toConsoleCaller({ operatorId, accountId, role: "main" })
        const secretsIn = (result: unknown) =>
          Array.from(texts).filter((text) => (JSON.stringify(result) ?? "").includes(text))
        const calls = (yield* Effect.all(READ_MODELS)).flat()
        assert.sameMembers(Array.from(new Set(calls.map(({ name }) => name.split(" ")[0]))), READ_MODEL_NAMES)
        const silent: Array<string> = []
        for (const { name, run } of calls) {
          const result = yield* run(callerOf(mine), named)
          assert.deepStrictEqual([name, secretsIn(result)], [name, []])
          assert.deepStrictEqual(result, yield* run(callerOf(mine), NOBODYS), name)
          if (secretsIn(yield* run(callerOf(theirs), named)).length === 0) silent.push(name)
        }
        // A call that returns nothing to the operator of the records proves nothing here.
        assert.deepStrictEqual(silent, [])
      }),
    EVERY_PAGE_MS
  )
})
