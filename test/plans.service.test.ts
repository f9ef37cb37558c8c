import { assert, describe, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { AuditLog } from "../src/changes/AuditLog.ts"
import { isChange } from "../src/contract/operation.ts"
import { AnswerQueue } from "../src/domain/automation/answering/AnswerQueue.ts"
import { guestQuestionSubscribers } from "../src/domain/automation/answering/guest-questions.ts"
import { listActiveRules, RuleStore } from "../src/domain/automation/rules/store.ts"
import { findInquiryFacts } from "../src/domain/automation/template-facts.ts"
import { makeDeleteExpiredIdentityImages } from "../src/domain/bookings/check-in/identity-image-retention.ts"
import { CheckInStore } from "../src/domain/bookings/check-in/store.ts"
import { ComparisonQueue } from "../src/domain/calendars/listing-calendars/ComparisonQueue.ts"
import { markAvailabilityChangesDue } from "../src/domain/calendars/listing-calendars/due-days.ts"
import { PushQueue } from "../src/domain/calendars/listing-calendars/PushQueue.ts"
import { SendQueue } from "../src/domain/guests/conversations/sending/SendQueue.ts"
import { PreparingQueue } from "../src/domain/knowledge/preparing/preparation-jobs.ts"
import { AnswerStore } from "../src/domain/knowledge/search/store.ts"
import { EventDispatcher } from "../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { InternalSubscribers } from "../src/jobs/events/internal-subscribers.ts"
import { type ApiOperation, operations } from "../src/service/Api.ts"
import { asSystemActor, call, layerService } from "./support/harness.ts"
import { canOverlap, withServerNote } from "./support/overlapping-transactions.ts"
import { layerOwnDatabase } from "./support/own-database.ts"
import { findUnreachedNodes, type PlanNode } from "./support/plan-reachability.ts"
import { parameterTypesSql } from "./support/prepared-plans.ts"
import { makeSampleCalls } from "./support/sample-calls.ts"
import { makeSampleWorld } from "./support/sample-world.ts"

// How the database runs a statement from its sixth time on: by a plan for any value, in which no parameter is a constant.
// What is worked out of parameters alone must then be worked out once, and not anew for every row. And no plan may look so
// dear that the database compiles it.

/** A plan that looks dearer is compiled first (`jit_above_cost`), which takes half a second each time it is run. */
const COMPILED_ABOVE = 100_000

/** The first id of an operator here: no number beside is like it. */
const OPERATORS = 7_000_000_019

// A database of its own: workers would take what is of another file's tests.
// The planner of the embedded database is the same, so the run on the server is enough.
describe.skipIf(!canOverlap)(withServerNote("the plan for any value"), () => {
  layer(layerService(layerOwnDatabase), { excludeTestServices: false })((it) => {
    const lookedAt = new Set<string>()

    /** Ids that no other number of a plan looks like. */
    it.effect("is looked at with operators whose ids are nothing else's", () =>
      Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql.unsafe(`ALTER TABLE operators ALTER id RESTART WITH ${OPERATORS}`)
      )
    )

    for (const operation of operations) {
      it.effect(`of each statement of ${operation._tag} works nothing out of parameters alone for every row`, () =>
        Effect.gen(function* () {
          const world = yield* makeSampleWorld
          const statements = new Map<string, ReadonlyArray<unknown>>()
          for (const fields of makeSampleCalls(operation, world)) {
            yield* TestClock.adjust("1 second")
            const answer = yield* call(world.token, operation._tag, fields).pipe(
              Effect.provideService(Statement.CurrentTransformer, (statement) => {
                const [text, values] = statement.compile()
                statements.set(text, values)
                return Effect.succeed(statement)
              })
            )
            if (!isChange(operation))
              assert.strictEqual(answer.error_code, 0, `${JSON.stringify(fields)} ${answer.error_msg}`)
          }
          const own = Array.from(statements).filter(([, values]) => values.length > 0)
          if (own.length > 0) lookedAt.add(operation._tag)
          for (const [text, values] of own) {
            const plan = yield* genericPlan(text, values)
            assert.deepStrictEqual(repeatedIn(plan, values), [], text)
            assert.isBelow(plan["Total Cost"], COMPILED_ABOVE, text)
            const reached = yield* planWith(text, values)
            assert.deepStrictEqual(findUnreachedNodes(reached, world.operatorId), [], text)
          }
        })
      )
    }

    it.effect("of each statement of latchkey audit works nothing out of parameters alone for every row", () =>
      Effect.gen(function* () {
        const log = yield* Effect.provide(AuditLog, AuditLog.layer)
        const span = { operatorId: 1, since: new Date(0), until: new Date(1) }
        const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
        yield* Effect.all([
          log.operatorExists(1),
          log.listEntries({ operatorId: 1 }, 100),
          log.listEntries({ ...span, record: "task:1" }, 100),
          log.listFailedCalls(span, 100)
        ]).pipe(
          Effect.provideService(Statement.CurrentTransformer, (statement) => {
            sent.push(statement.compile())
            return Effect.succeed(statement)
          })
        )
        assert.lengthOf(sent, 4)
        for (const [text, values] of sent) {
          const plan = yield* genericPlan(text, values)
          assert.deepStrictEqual(repeatedIn(plan, values), [], text)
          assert.isBelow(plan["Total Cost"], COMPILED_ABOVE, text)
        }
      })
    )

    it.effect(
      "of each statement by which listings follow their calendars works nothing out of parameters for every row",
      () =>
        Effect.gen(function* () {
          const followed = Layer.provide(
            EventDispatcher.layer,
            Layer.succeed(InternalSubscribers, [markAvailabilityChangesDue])
          )
          const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
          const now = new Date(0)
          const day = "2027-05-01"
          const lane = {
            operator_id: 0,
            listing_row: 0,
            account_id: 0,
            channel_type: "airbnb",
            listing_id: "L",
            attempts: 0,
            failures: 0
          }
          const taken = {
            ...lane,
            push_id: null,
            content: { kind: "availability" as const, ranges: [] },
            obsolete_reason: null,
            time_zone: null,
            traceparent: null
          }
          const push = { claimedPush: taken, push_id: 0, ranges: [{ start_date: day, end_date: day }] }
          const comparison = { ...lane, time_zone: "Europe/Berlin", suspected: [], compared_at: null }
          yield* Effect.gen(function* () {
            const queue = yield* PushQueue
            const comparisons = yield* ComparisonQueue
            const { dispatchNext: next } = yield* EventDispatcher
            yield* queue.claim(now, 1, [])
            yield* queue.createCalendarPush(taken, now)
            yield* queue.loadInventory(taken, { start_date: day, end_date: day })
            yield* queue.complete(push, { start_date: day, end_date: day }, now)
            yield* queue.completeEmpty(push, "nothing", now)
            yield* queue.refuse(push, "no", now)
            yield* queue.fail(push, "no", now, now)
            yield* queue.compareSoon(taken, now)
            yield* queue.release(taken, now)
            yield* comparisons.syncWithListings(now)
            yield* comparisons.claim(now, 1, [])
            yield* comparisons.complete(comparison, { driftedDays: [day], suspectedDays: [day], nextDueAt: now }, now)
            yield* comparisons.complete(comparison, { driftedDays: [], suspectedDays: [], nextDueAt: now }, now)
            yield* comparisons.postpone(comparison, now)
            yield* next(now)
          }).pipe(
            Effect.provide([PushQueue.layer, ComparisonQueue.layer, followed]),
            Effect.provideService(Statement.CurrentTransformer, (statement) => {
              sent.push(statement.compile())
              return Effect.succeed(statement)
            })
          )
          assert.lengthOf(
            sent.filter(([, values]) => values.length > 0),
            15
          )
          for (const [text, values] of sent) {
            const plan = yield* genericPlan(text, values)
            assert.deepStrictEqual(repeatedIn(plan, values), [], text)
            assert.isBelow(plan["Total Cost"], COMPILED_ABOVE, text)
          }
        })
    )

    /** What an effect sends, each of it planned well. */
    const wellPlanned = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>, least: number) {
      const sent: Array<readonly [string, ReadonlyArray<unknown>]> = []
      yield* Effect.provideService(work, Statement.CurrentTransformer, (statement) => {
        sent.push(statement.compile())
        return Effect.succeed(statement)
      })
      assert.isAtLeast(sent.length, least)
      for (const [text, values] of sent) {
        const plan = yield* genericPlan(text, values)
        assert.deepStrictEqual(repeatedIn(plan, values), [], text)
        assert.isBelow(plan["Total Cost"], COMPILED_ABOVE, text)
      }
    })

    it.effect("of each statement by which messages are sent works nothing out of parameters for every row", () => {
      const now = new Date(0)
      const taken = {
        operator_id: 0,
        conversation_id: 0,
        attempts: 0,
        failures: 0,
        account_id: 0,
        channel_type: "airbnb",
        thread_id: "T",
        message_id: 0,
        code: "m",
        content: "",
        attachment_url: null,
        again: false,
        traceparent: null
      }
      return Effect.gen(function* () {
        const queue = yield* SendQueue
        yield* queue.claim(now, 1, [])
        yield* queue.recordSent(taken, "C", now)
        yield* queue.recordRefusedOrUnknown(taken, "refused", "no", now)
        yield* queue.postpone(taken, "no", true, now, now)
        yield* queue.release(taken, now)
      }).pipe(Effect.provide(SendQueue.layer), (work) => wellPlanned(work, 4))
    })

    it.effect("of each statement by which guests are answered works nothing out of parameters for every row", () => {
      const now = new Date(0)
      const taken = { operator_id: 0, conversation_id: 0, account_id: 0, attempts: 0, failures: 0, traceparent: null }
      const situation = {
        code: "c",
        channel_type: "airbnb",
        said_until: "0",
        waiting: 1,
        questions: [],
        lastPersonMessage: null,
        answered_at: null,
        in_a_row: 0,
        first_id: null,
        has_order: false,
        standing: "",
        about: [],
        rules: []
      }
      const skippedQuestions = [{ plan_id: 0, reason: "no" }]
      const sentences = [{ knowledge_base_id: 1, revision: 1, text: "a", title: "", sub_title: "", fragment: "a" }]
      const given = {
        answer: { text: "a", sources: [] },
        sentences,
        planIds: [1],
        skippedQuestions,
        ruleIds: [1],
        inARow: 1
      }
      const followed = Layer.provide(
        EventDispatcher.layer,
        Layer.succeed(InternalSubscribers, guestQuestionSubscribers)
      )
      return Effect.gen(function* () {
        const queue = yield* AnswerQueue
        yield* queue.claim(now, 1, [])
        yield* queue.loadSituation(taken, now)
        yield* queue.findInquiry(0, 0)
        yield* queue.skipWithoutAnswer(taken, situation, skippedQuestions, now, now)
        yield* asSystemActor(queue.recordAnswer(taken, situation, given, now))
        yield* queue.postpone(taken, now)
        yield* queue.release(taken, now)
        yield* (yield* EventDispatcher).dispatchNext(now)
      }).pipe(Effect.provide([AnswerQueue.layer, followed]), (work) => wellPlanned(work, 8))
    })

    it.effect("of each statement by which knowledge is prepared works nothing out of parameters for every row", () => {
      const now = new Date(0)
      const taken = { operator_id: 0, id: 0, title: "", contents: [], attempts: 0, failures: 0 }
      return Effect.gen(function* () {
        const queue = yield* PreparingQueue
        yield* queue.claim(now, 1, [])
        yield* queue.complete(taken, [{ sub_title: "", text: "a", searchable: "a" }])
        yield* queue.fail(taken, now)
        yield* queue.release(taken, now)
      }).pipe(Effect.provide(PreparingQueue.layer), (work) => wellPlanned(work, 4))
    })

    it.effect("of each statement of the page of a stay works nothing out of parameters alone for every row", () => {
      const at = new Date(0)
      const image = { operatorId: 0, stayId: 0, guestId: 0, imageId: 0, url: "u", maxImages: 1, at }
      return Effect.gen(function* () {
        const store = yield* CheckInStore
        yield* store.findByToken("lkguest_0")
        yield* store.findByCode({ stayCode: "5-ABC", operatorId: undefined, limit: 2 })
        yield* store.findByCode({ stayCode: "5-ABC", operatorId: 0, limit: 2 })
        yield* asSystemActor(store.submitIdentityImage(image))
        yield* asSystemActor(store.approve(0, "5-ABC", at))
        yield* (yield* makeDeleteExpiredIdentityImages)(30, at)
      }).pipe(Effect.provide(CheckInStore.layer), (work) => wellPlanned(work, 6))
    })

    it.effect("of each statement about rules works nothing out of parameters alone for every row", () => {
      const at = new Date(0)
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* RuleStore
        for (const grantId of [undefined, 1]) {
          const scope = { operatorId: 0, grantId }
          yield* asSystemActor(store.create(scope, { name: "Answers", action: "answer", property_ids: [1] }, at))
          for (const turn of [store.pause, store.resume, store.remove]) yield* asSystemActor(turn(scope, 0, at))
          yield* store.findAccess(scope, 0)
        }
        yield* store.search(0, { offset: 0, limit: 1 })
        yield* store.findOwner(0)
        yield* store.findWithStay(0, 0, "5-ABC")
        yield* listActiveRules(sql)([0, 1])
        yield* findInquiryFacts(sql)(0, 0)
      }).pipe(Effect.provide(RuleStore.layer), (work) => wellPlanned(work, 15))
    })

    it.effect("of each statement that looks for an answer works nothing out of parameters alone for every row", () => {
      const asked = { operatorId: 0, now: new Date(0), names: ["aboutwifi", "zither"] }
      return Effect.gen(function* () {
        const store = yield* AnswerStore
        yield* store.search({ ...asked, conversation: undefined, stayCode: undefined })
        yield* store.search({ ...asked, conversation: "C", stayCode: undefined })
        yield* store.search({ ...asked, conversation: undefined, stayCode: "5-ABC" })
        yield* store.stayExists(0, "5-ABC")
      }).pipe(Effect.provide(AnswerStore.layer), (work) => wellPlanned(work, 4))
    })

    it("was looked at for every operation that asks the database", () => {
      assert.sameMembers(Array.from(lookedAt), askingTheDatabase(operations))
    })

    it.effect("shows a text that is lowered anew for every row", () =>
      Effect.gen(function* () {
        const bare = "SELECT id FROM transactions WHERE position(lower($1) in lower(note)) > 0"
        assert.match(repeatedIn(yield* genericPlan(bare, ["x"]), ["x"]).join(), /lower\(\$1\)/)
        const once = "SELECT id FROM transactions WHERE position((SELECT lower($1)) in lower(note)) > 0"
        assert.deepStrictEqual(repeatedIn(yield* genericPlan(once, ["x"]), ["x"]), [])
      })
    )
  })
})

/** The custom channels are the service's own and stand in no table. */
const askingTheDatabase = (all: ReadonlyArray<ApiOperation>): Array<string> =>
  all.map(({ _tag }) => _tag).filter((name) => name !== "query_custom_channels")

interface Plan {
  readonly "Node Type": string
  readonly "Total Cost": number
  readonly "Subplan Name"?: string
  readonly Plans?: ReadonlyArray<Plan>
  readonly [property: string]: unknown
}

const genericPlan = Effect.fnUntraced(function* (text: string, values: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const run = <Row extends object>(statement: string) => sql.unsafe<Row>(statement).unprepared
  const types = parameterTypesSql(values)
  const nulls = values.map(() => "NULL").join(", ")
  const rows = yield* sql.withTransaction(
    run("SET LOCAL plan_cache_mode = force_generic_plan").pipe(
      Effect.andThen(run(`PREPARE looked_at (${types}) AS ${text}`)),
      Effect.andThen(
        run<{ "QUERY PLAN": ReadonlyArray<{ Plan: Plan }> }>(
          `EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE looked_at (${nulls})`
        )
      ),
      Effect.tap(run("DEALLOCATE looked_at"))
    )
  )
  const plan = rows[0]?.["QUERY PLAN"][0]?.Plan
  return plan === undefined ? yield* Effect.die(new Error("no plan")) : plan
})

/** The plan for these values. */
const planWith = Effect.fnUntraced(function* (text: string, values: ReadonlyArray<unknown>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql.unsafe<{ "QUERY PLAN": ReadonlyArray<{ Plan: PlanNode }> }>(
    `EXPLAIN (VERBOSE, FORMAT JSON) ${text}`,
    values
  )
  return rows[0]?.["QUERY PLAN"][0]?.Plan ?? (yield* Effect.die(new Error("no plan")))
})

const CONDITIONS = ["Filter", "Join Filter", "Index Cond", "Recheck Cond", "Hash Cond", "Merge Cond", "TID Cond"]

/** Functions and casts of parameters alone in what a plan looks at for every row. */
const repeatedIn = (root: Plan, values: ReadonlyArray<unknown>): ReadonlyArray<string> => {
  const nodes = nodesOf(root)
  // In a plan the result of a part that runs once is written like a parameter.
  const results = new Set(nodes.flatMap((node) => node["Subplan Name"]?.match(/\$\d+/g) ?? []))
  return nodes.flatMap((node) =>
    CONDITIONS.flatMap((kind) => {
      const condition = node[kind]
      return typeof condition === "string"
        ? (condition.match(OF_PARAMETERS_ALONE) ?? []).filter(isRepeated(results, values))
        : []
    })
  )
}

// ROW(…) is no function: what a row of columns is compared with, the bounds of an index scan.
const OF_PARAMETERS_ALONE =
  /\b(?!ROW\()[a-z_]\w*\(\(?\$\d+\)?(?:::[\w ]+)?(?:, (?:\(?\$\d+\)?|'[^']*'|\d+)(?:::[\w ]+)?)*\)|\(\$\d+\)::[\w ]+(?:\[\])?/gi

/** A number is as small as any; what counts is the work that grows with what a caller sends. */
const isRepeated =
  (results: ReadonlySet<string>, values: ReadonlyArray<unknown>) =>
  (found: string): boolean =>
    (found.match(/\$\d+/g) ?? []).some(
      (parameter) => !results.has(parameter) && typeof values[Number(parameter.slice(1)) - 1] !== "number"
    )

const nodesOf = (plan: Plan): ReadonlyArray<Plan> => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]
